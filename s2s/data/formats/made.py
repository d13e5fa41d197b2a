"""Columns that are made of others, such as an instruction, its input and the turns before as one source.

Knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from s2s.data.formats.column_names import ANSWERS, HISTORY, INSTRUCTIONS
from s2s.data.formats.columns import Column
from s2s.data.formats.table import TURN, Table, TableRow

NONE = frozenset({"", "<noinput>"})  # what stands for no input


class MadeColumn(NamedTuple):
    """A column that `make` computes from the columns with the indices `of`; without `make`, the first of these."""

    column: Column
    of: tuple[int, ...]
    make: Callable[..., str | None] | None = None


def with_made(table: Table, made: Sequence[MadeColumn]) -> Table:
    """The table with the columns `made` instead of its own."""

    def read(
        rows: Iterable[TableRow], stored: Sequence[int], chosen: Sequence[int]
    ) -> Iterator[TableRow]:
        parts = [(made[at].make, [stored.index(each) for each in made[at].of]) for at in chosen]
        for number, fields in rows:
            if fields is None:
                yield TableRow(number, None)
                continue
            texts = [
                make(*[fields[index] for index in of]) if make else fields[of[0]]
                for make, of in parts
            ]
            yield TableRow(number, texts)

    def rows(chosen: Sequence[int]) -> Iterator[TableRow]:
        if all(made[at].make is None for at in chosen):
            return table.rows([made[at].of[0] for at in chosen])
        stored = list(dict.fromkeys(each for at in chosen for each in made[at].of))
        return read(table.rows(stored), stored, chosen)

    head = read(table.head, range(len(table.columns)), range(len(made)))
    columns = tuple(each.column for each in made)
    return replace(table, columns=columns, head=tuple(head), rows=rows)


def joined(*parts: str | None) -> str | None:
    """An instruction and its input, which may be empty, as the last turn after those before, if there are any."""
    *before, instruction, given = parts
    if instruction and any(before):
        return f" {TURN} ".join(filter(None, (*before, joined(instruction, given))))
    if not instruction or not given or given.strip().casefold() in NONE:
        return instruction
    return f"{instruction} {given}"


def extended(table: Table) -> Table:
    """The table with one column more, `instruction+input`, if it has an instruction, its input and an answer."""
    of = made_of(table.columns)
    if not of:
        return table
    name = "+".join(table.columns[at].name.strip() for at in of)
    more = MadeColumn(Column(name, "texts" if len(of) > 2 else "text"), of, joined)
    stored = [MadeColumn(column, (at,)) for at, column in enumerate(table.columns)]
    return with_made(table, [*stored, more])


def made_of(columns: Sequence[Column]) -> tuple[int, ...]:
    """The indices of the columns that `extended` makes a further one of: instruction and input; none if it does not."""
    names = []
    for column in columns:
        name = column.name.strip().casefold()
        kind = "texts" if name == HISTORY else "text"
        names.append(name if column.kind == kind else "")
    found = next((parts for parts in INSTRUCTIONS.values() if {*parts} <= {*names}), ())
    return tuple(map(names.index, found)) if {*ANSWERS} & {*names} else ()
