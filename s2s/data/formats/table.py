"""A table that was opened, whatever its format: its columns, its first rows, and a way to read all. Knows nothing of source and target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from s2s.data.formats.columns import Column

HEAD = 100  # rows that are looked at before a table is read
TURN = "<turn>"  # between the texts of a list, with a blank on each side


class Row(NamedTuple):
    """The line, from 1, at which a row begins, and its fields: None for one without a text, or where the row is unlike the others."""

    number: int
    fields: Sequence[str | None] | None


@dataclass(frozen=True)
class Sheet:
    """`rows` gives the fields of these columns, by their number from 0, of every row that is not empty."""

    columns: tuple[
        Column, ...
    ]  # under the names that the format gives; where row 1 may be a header, under its fields
    head: tuple[Row, ...]  # all columns of the first rows, row 1 included
    rows: Callable[[Sequence[int]], Iterator[Row]]
    is_named: bool  # the format names its columns; otherwise row 1 may be a header or data
    fault: str  # of a row without fields, "without exactly 2 fields"
    narrow: str  # what is said where two columns are wanted and there are fewer
    delimiter: str = ""
    counted: str = "line"  # by the numbers of rows; "row" where a format has no lines


def flat(value: Any) -> str | None:
    """A text, or several as turns of one; None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(text, str) for text in value):
        return f" {TURN} ".join(value)
    return None


def kind(values: Sequence[Any]) -> str:
    """What a column holds, by some of its values: `text`, `texts` or `other`."""
    known = [value for value in values if value is not None and value != []]
    if any(isinstance(value, str) for value in known):
        return "text"
    return "texts" if any(flat(value) is not None for value in known) else "other"
