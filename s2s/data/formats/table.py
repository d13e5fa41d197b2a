"""An opened table of any format: its columns, its first rows, and how to read them all.

Knows nothing of source and target.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePath
from typing import Any, NamedTuple, TypeVar

from s2s.config import UserError, is_usable, shortened, unusable
from s2s.data.formats.columns import Column, holds_numbers

HEAD = 100  # rows that are inspected before a table is read
MAX_NAME = 60  # characters of a column's name in an error
TURN = "<turn>"  # between the texts of a list, with a space on each side
TABLES = (".tsv", ".csv", ".jsonl", ".json", ".parquet", ".tmx")  # files that are a table each
R = TypeVar("R")


def suffix(name: str) -> str:
    """The extension of a table's file, in lower case: `"A.TSV.gz"` -> `".tsv"`."""
    lower = name.lower().removesuffix(".gz").removesuffix(".zst")
    return PurePath(lower).suffix


def is_table(name: str) -> bool:
    return suffix(name) in TABLES


class EmptyError(UserError):
    """A table has no rows."""


class TableRow(NamedTuple):
    """The line, from 1, where a row begins, and its fields: None for a missing text, or for a malformed row."""

    number: int
    fields: Sequence[str | None] | None


ReadRows = Callable[[Sequence[int]], Iterator[TableRow]]


@dataclass(frozen=True)
class Table:
    """An opened table. `rows(indices)` yields the fields of the columns with these indices for every non-empty row."""

    columns: tuple[Column, ...]  # with the format's names, or with the fields of row 1
    head: tuple[TableRow, ...]  # the first rows with all columns, row 1 included
    rows: ReadRows
    is_named: bool = True  # by its format; otherwise row 1 may be a header or data
    fault: str = "without a text in both fields"  # what is wrong with a malformed row
    too_narrow: str = ""  # the error for a table with fewer than two columns
    delimiter: str = ""
    alternatives: tuple[str, ...] = ()  # delimiters that split the first rows alike, too
    unit: str = "line"  # of the row numbers; "row" for formats without lines
    order: str = ""  # what tells source from target, as a configuration's name does: `en-de`

    def body(self, rows: Iterable[TableRow], *, has_header: bool = True) -> Iterator[TableRow]:
        return itertools.islice(iter(rows), int(has_header and not self.is_named), None)

    def first_fields(self, *, has_header: bool = True) -> list[Sequence[str | None]]:
        """The fields of the first rows, without the header and malformed rows: by these the table is judged."""
        return [row.fields for row in self.body(self.head, has_header=has_header) if row.fields]


def begun(rows: Iterator[R], empty: str) -> list[R]:
    """The first rows, by which a table is judged. Raises EmptyError, which says `empty`, if there are none."""
    if first := list(itertools.islice(rows, HEAD)):
        return first
    raise EmptyError(empty)


def picked(rows: Iterable[TableRow], chosen: Sequence[int]) -> Iterator[TableRow]:
    """The rows with the fields of these columns only."""
    for number, fields in rows:
        yield TableRow(number, None if fields is None else [fields[at] for at in chosen])


def read_once(
    first: Sequence[R],
    rest: Iterator[R],
    n_columns: int,
    pick: Callable[[Iterable[R], Sequence[int]], Iterator[TableRow]],
) -> tuple[tuple[TableRow, ...], ReadRows]:
    """The head and the rows of a table whose rows come one after the other, with all their columns."""
    head = tuple(pick(first, range(n_columns)))
    return head, lambda chosen: pick(itertools.chain(first, rest), chosen)


def first_rows(columns: Sequence[Column], rows: ReadRows) -> tuple[TableRow, ...]:
    """The head of a table: a field per column, None where that holds neither texts nor numbers."""
    read = [at for at, one in enumerate(columns) if one.kind != "other" or holds_numbers(one)]
    head = []
    for number, given in itertools.islice(rows(read), HEAD):
        fields: list[str | None] = [None] * len(columns)
        for at, field in zip(read, given or (), strict=True):
            fields[at] = field
        head.append(TableRow(number, fields))
    return tuple(head)


def checked(rows: Iterable[TableRow], name: str, unit: str = "line") -> Iterator[TableRow]:
    """The rows, for formats whose cells may hold any character. Raises UserError for one not allowed in texts."""
    for row in rows:
        for text in row.fields or ():
            if text and not is_usable(text):
                raise unusable(text, f"{unit.capitalize()} {row.number:,} of `{name}`")
        yield row


def check_names(names: Iterable[str], of: str) -> None:
    """Raises UserError for two columns of one name, and for a name with a character that no text has."""
    for name, n in Counter(names).items():
        shown = shortened(name, MAX_NAME)
        if not is_usable(name):
            raise unusable(name, f"The column name {shown!a} of {of}")
        if n > 1:
            raise UserError(
                f"{of[:1].upper()}{of[1:]} has {n} columns named `{shown}`; give each column a different name."
            )


def check_once(names: Sequence[str], name: str, of: str) -> None:
    """Raises UserError if several columns have the name that one was chosen by."""
    if (n := names.count(name)) > 1:
        raise UserError(
            f"{of} has {n} columns named `{shortened(name, MAX_NAME)}`; give each a different name, or choose by"
            " number, as in #src=1,tgt=2."
        )


def one_line(text: str) -> str:
    r"""The text on one line: each line break, with the white space around it, becomes one space."""
    if "\n" not in text and "\r" not in text:
        return text
    return " ".join(filter(None, map(str.strip, re.split("[\r\n]+", text))))


def broken_note(rows: int | Iterable[str]) -> list[str]:
    """A note that line breaks became spaces, if any did, given the number of such rows or the text of all rows."""
    n = rows if isinstance(rows, int) else sum("\n" in row or "\r" in row for row in rows)
    said = "each became one space, with the white space around it"
    return [f"Line breaks in {n:,} {'row' if n == 1 else 'rows'}: {said}."] if n else []


def flat(value: Any) -> str | None:
    """A text, or a list of texts joined as turns, each of which may be a list of words; None for anything else."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(text, str) for text in value):
        return f" {TURN} ".join(value)
    if all(isinstance(words, list) for words in value):
        texts = [" ".join(words) for words in value if all(isinstance(word, str) for word in words)]
        return f" {TURN} ".join(texts) if len(texts) == len(value) and any(texts) else None
    return None


def are_integers(value: Any) -> bool:
    """Whether a value is a list of integers, such as the tags of words."""
    return isinstance(value, list) and bool(value) and all(type(each) is int for each in value)


def cell(value: Any) -> str | None:
    """A text, a list of texts joined as turns, a number as it is written, or integers with spaces between them.

    None for anything else, and for NaN.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, float | Decimal):
        return None if math.isnan(value) else str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if are_integers(value):
        return " ".join(map(str, value))
    return flat(value)


def kind(values: Sequence[Any]) -> str:
    """The kind of a column, from some of its values: `text`, `texts` or `other`."""
    known = [value for value in values if value is not None and value != []]
    if any(isinstance(value, list) and flat(value) is not None for value in known):
        return "texts"
    return "text" if any(isinstance(value, str) for value in known) else "other"
