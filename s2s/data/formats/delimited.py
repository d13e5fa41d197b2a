"""Tables whose fields stand between tabs, commas or the like: .tsv and .csv. Knows nothing of source and target."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType

from s2s.config import UserError
from s2s.data.formats import streams
from s2s.data.formats.columns import Column
from s2s.data.formats.streams import Content, Meter
from s2s.data.formats.table import HEAD, Row, Sheet

DELIMITERS = MappingProxyType({",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"})
NUMBER = re.compile(r"\s*[-+]?\d+([.,]\d+)?\s*")
FEWEST = 3  # rows of numbers under a word make the word a header
SNIFFED = 20  # rows by which a delimiter is known
QUOTING = "close every quotation mark and write one inside a quoted field twice"


def tsv(content: Content, meter: Meter) -> Sheet:
    """Fields between tabs, no quoting: a quotation mark is a character like any other."""
    return _sheet(content.name, _cut(streams.lines(content, meter)), "\t")


def _cut(lines: Iterable[str]) -> Iterator[Row]:
    for number, line in enumerate(lines, start=1):
        if line and not line.isspace():
            yield Row(number, line.split("\t"))


def csv_(content: Content, meter: Meter) -> Sheet:
    """Fields between commas, semicolons, tabs or bars; one that holds such or a line break stands in quotation marks."""
    lines = streams.lines(content, meter)
    first = list(itertools.islice(lines, HEAD))
    delimiter = _sniffed(first)
    csv.field_size_limit(meter.caps.line)  # of the whole process: as long as a line may be
    return _sheet(
        content.name, _parsed(content.name, itertools.chain(first, lines), delimiter), delimiter
    )


def _parsed(name: str, lines: Iterable[str], delimiter: str) -> Iterator[Row]:
    reader = csv.reader(_ended(lines), delimiter=delimiter, strict=True)
    line = 1
    try:
        for fields in reader:
            if any(field and not field.isspace() for field in fields):
                yield Row(line, fields)
            line = reader.line_num + 1
    except csv.Error as error:
        raise UserError(
            f"The row at line {line:,} of `{name}` is not CSV ({error}); {QUOTING}."
        ) from error


def _ended(lines: Iterable[str]) -> Iterator[str]:
    r"""With their ends; in CSV a lone `\r` ends a line, too."""
    for line in lines:
        *ended, last = line.split("\r")
        yield from (f"{part}\r" for part in ended)
        yield f"{last}\n"


def _sniffed(lines: Sequence[str]) -> str:
    """The delimiter that cuts the most rows into as many fields as the first; of equals the first of DELIMITERS."""
    return max(DELIMITERS, key=lambda delimiter: _agreement(lines, delimiter))


def _agreement(lines: Sequence[str], delimiter: str) -> float:
    """The share of rows as wide as the first, which has at least two fields."""
    rows = csv.reader(_ended(lines), delimiter=delimiter)
    widths = []
    try:
        widths = [
            len(row)
            for row in itertools.islice(rows, SNIFFED)
            if any(field.strip() for field in row)
        ]
    except csv.Error:  # too long a field; who reads them all will say it
        return 0.0
    return (
        sum(width == widths[0] for width in widths) / len(widths)
        if widths and widths[0] > 1
        else 0.0
    )


def _sheet(name: str, rows: Iterator[Row], delimiter: str) -> Sheet:
    head = tuple(itertools.islice(rows, HEAD))
    if not head:
        raise UserError(f"`{name}` is empty; give a file with at least one pair.")
    first = [field or "" for field in head[0].fields or ()]
    width = len(first)
    columns = tuple(
        Column(cell.strip(), kind) for cell, kind in zip(first, _kinds(head, width), strict=True)
    )
    fault = f"without exactly {width} fields, as row 1 has,"
    narrow = _one_column(name, first[0], delimiter)
    return Sheet(
        columns,
        head,
        lambda chosen: _chosen(itertools.chain(head, rows), chosen, width),
        False,
        fault,
        narrow,
        delimiter,
    )


def _kinds(head: Sequence[Row], width: int) -> list[str]:
    """A column is of another kind than text where all below its first row are numbers."""
    body = [row.fields for row in head[1:] if row.fields is not None and len(row.fields) == width]
    columns = list(zip(*body, strict=True)) if len(body) >= FEWEST else [()] * width
    return [
        "other" if column and all(NUMBER.fullmatch(field or "") for field in column) else "text"
        for column in columns
    ]


def _chosen(rows: Iterable[Row], chosen: Sequence[int], width: int) -> Iterator[Row]:
    for number, fields in rows:
        yield Row(
            number,
            [fields[at] for at in chosen] if fields is not None and len(fields) == width else None,
        )


def _one_column(name: str, first: str, delimiter: str) -> str:
    used = next(
        (words for mark, words in DELIMITERS.items() if mark != delimiter and mark in first), ""
    )
    hint = f"; row 1 seems to use {used}" if used else ""
    wanted = DELIMITERS[delimiter]
    return f"`{name}` has one column only: row 1 has no {wanted.removeprefix('a ')}{hint}; put {wanted} between source and target."
