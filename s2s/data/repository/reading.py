"""The rows of a split, file after file, under the limits of one reading."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from s2s import hub
from s2s.data.formats.columns import Column
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import EmptyError, Table, TableRow
from s2s.data.formats.tables import FORMATS, Format
from s2s.data.repository import choice, library
from s2s.data.repository.choice import Chosen
from s2s.data.repository.origins import Origin


def format_of(file: hub.File) -> Format:
    """The format of a file that is read here, not with `datasets`."""
    return FORMATS[f".{hub.kind(file.path)}"]


@dataclass
class SplitReader:
    """The files of one split and what their reading shares: limits, and what is said about the columns."""

    origin: Origin
    budget: ReadingBudget
    src: str = ""
    tgt: str = ""
    config: str = ""  # its name may tell the direction: `de-en`
    lists: str = "auto"
    column_notes: tuple[str, ...] = field(default=(), init=False)
    is_plain: bool = field(default=False, init=False)
    empty: list[EmptyError] = field(default_factory=list, init=False)  # one per file without rows

    def content(self, file: hub.File) -> Content:
        name = f"{self.origin.name}/{file.path}"
        return Content(name, file.path.rpartition("/")[2], partial(self.origin.open, file))

    def table(self, file: hub.File) -> Table:
        """An opened table of any format."""
        if library.needs_library(file):
            return library.table(self.origin, file, self.budget)
        return format_of(file).read(self.content(file), self.budget)

    def choose(self, found: Sequence[Column]) -> Chosen:
        """Source and target among the columns of a file; the first file's are noted."""
        chosen = choice.choose_two(
            self.origin.name, found, src=self.src, tgt=self.tgt, config=self.config
        )._replace(lists=self.lists)
        self.is_plain = chosen.src == chosen.tgt
        self.column_notes = self.column_notes or tuple(choice.columns_notes(found, chosen))
        return chosen

    def pairs(self, table: Table) -> Iterator[TableRow]:
        """Source, target and further references of each row of a table."""
        chosen = self.choose(table.columns)
        rows = table.body(table.rows(chosen.all))
        return choice.in_pairs(rows, table.columns, chosen)

    def rows(self, files: Sequence[hub.File]) -> Iterator[TableRow]:
        """Source, target and further references of each row, file after file."""
        for file in files:
            with self.skipping_empty():
                yield from self.pairs(self.table(file))

    @contextlib.contextmanager
    def skipping_empty(self) -> Iterator[None]:
        """Counts a file without rows, such as one of many shards, instead of refusing all of the split."""
        try:
            yield
        except EmptyError as error:
            self.empty.append(error)

    def first_table(self, files: Sequence[hub.File]) -> Table:
        """The table of the first file with rows. Raises EmptyError where none has any."""
        for file in files[:-1]:
            with self.skipping_empty():
                return self.table(file)
        return self.table(files[-1])
