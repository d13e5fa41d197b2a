"""A column that others make: an instruction, its input and the turns before, as one source. Knows nothing of files."""

from __future__ import annotations

from collections.abc import Sequence

from s2s.data.formats.column_names import ANSWERS, HISTORY, INSTRUCTIONS
from s2s.data.formats.columns import Column
from s2s.data.formats.table import TURN, MadeColumn, Table, with_made

NONE = frozenset({"", "<noinput>"})  # what stands for no input


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
    """The indices of the columns that make one more; none if there is no more."""
    names = [
        name
        if column.kind
        == ("texts" if (name := column.name.strip().casefold()) == HISTORY else "text")
        else ""
        for column in columns
    ]
    found = next((parts for parts in INSTRUCTIONS.values() if {*parts} <= {*names}), ())
    return tuple(map(names.index, found)) if {*ANSWERS} & {*names} else ()
