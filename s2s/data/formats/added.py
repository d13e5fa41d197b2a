"""A column that others make: an instruction, its input and the turns before, as one source. Knows nothing of files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from s2s.data.formats.column_names import ANSWERS, HISTORY, INSTRUCTIONS
from s2s.data.formats.columns import Column
from s2s.data.formats.table import TURN, Table, TableRow

NONE = frozenset({"", "<noinput>"})  # what stands for no input
Rows = Callable[[Sequence[int]], Iterator[TableRow]]


class Added:
    """Columns with one more where they have an instruction, its input and an answer: `instruction+input`."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._parts = _parts(columns)
        self.columns = tuple(columns)
        if self._parts:
            name = "+".join(columns[at].name.strip() for at in self._parts)
            kind = "texts" if len(self._parts) > 2 else "text"
            self.columns = (*columns, Column(name, kind))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns that make the one that was added; empty without one."""
        return tuple(self.columns[at].name for at in self._parts)

    def stored(self, chosen: Sequence[int]) -> list[int]:
        """The columns to read for these."""
        last = len(self.columns) - 1
        if not self._parts or last not in chosen:
            return list(chosen)
        return [at for at in chosen if at != last] + list(self._parts)

    def rows(self, chosen: Sequence[int], read: Rows) -> Iterator[TableRow]:
        """The rows of these columns, of what `read` reads of the stored ones."""
        stored = self.stored(chosen)
        if stored == list(chosen):
            return read(chosen)
        return self._made(chosen, read(stored))

    def _made(self, chosen: Sequence[int], rows: Iterator[TableRow]) -> Iterator[TableRow]:
        at = chosen.index(len(self.columns) - 1)
        for number, fields in rows:
            if fields is None:
                yield TableRow(number, None)
                continue
            others = [*fields[: -len(self._parts)]]
            others.insert(at, joined(*fields[-len(self._parts) :]))
            yield TableRow(number, others)


def joined(*parts: str | None) -> str | None:
    """An instruction and its input, which may be empty, as the last turn after those before, if there are any."""
    *before, instruction, given = parts
    if instruction and any(before):
        return f" {TURN} ".join(filter(None, (*before, joined(instruction, given))))
    if not instruction or not given or given.strip().casefold() in NONE:
        return instruction
    return f"{instruction} {given}"


def extended(table: Table) -> Table:
    """The table with that column."""
    more = Added(table.columns)
    if not more.names:
        return table
    at = [*range(len(more.columns))]
    head = tuple(more.rows(at, lambda _: iter(_stored(table.head, more.stored(at)))))
    return replace(
        table, columns=more.columns, head=head, rows=lambda chosen: more.rows(chosen, table.rows)
    )


def _stored(rows: Sequence[TableRow], at: Sequence[int]) -> Iterator[TableRow]:
    for number, fields in rows:
        yield TableRow(number, None if fields is None else [fields[index] for index in at])


def _parts(columns: Sequence[Column]) -> tuple[int, ...]:
    names = [
        name
        if column.kind
        == ("texts" if (name := column.name.strip().casefold()) == HISTORY else "text")
        else ""
        for column in columns
    ]
    found = next((parts for parts in INSTRUCTIONS.values() if {*parts} <= {*names}), ())
    return tuple(map(names.index, found)) if {*ANSWERS} & {*names} else ()
