"""Each format of tables by the end of a file's name, and how a file is opened as a table."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from s2s.data.formats import archive, streams
from s2s.data.formats.archive import AlignedTexts
from s2s.data.formats.columns import Column
from s2s.data.formats.delimited import csv_, tsv
from s2s.data.formats.objects import json_, jsonl
from s2s.data.formats.parquet import parquet
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import HEAD, Table, TableRow, begun, picked, read_once, suffix
from s2s.data.formats.tmx import tmx


class Format(NamedTuple):
    """How a format is read, and where a part of a large file may begin."""

    read: Callable[[Content, ReadingBudget], Table]
    has_lines: bool = False  # a row is a line, wherever reading starts
    has_header: bool = False  # the first line names the columns of all others


def opened(content: Content, budget: ReadingBudget) -> Table:
    """The table of a file whose name ends in a key of FORMATS."""
    return FORMATS[suffix(content.file)].read(content, budget)


def _lines(content: Content, budget: ReadingBudget) -> Table:
    rows = (
        TableRow(number, [line])
        for number, line in enumerate(streams.lines(content, budget), start=1)
        if line and not line.isspace()
    )
    first = begun(rows, f"`{content.name}` is empty; choose another split.")
    text = (Column("text", "text"),)
    return Table(text, *read_once(first, rows, 1, picked), fault="without a text")


def _zipped(content: Content, budget: ReadingBudget) -> Table:
    parts = archive.parts(content, budget)
    name = "train" if "train" in parts else next(iter(parts))
    if others := [f"`{part}`" for part in parts if part != name]:
        budget.notes.append(f"Of `{content.name}` only `{name}` is read, not {', '.join(others)}.")
    part = parts[name]
    return _aligned(part, budget) if isinstance(part, AlignedTexts) else opened(part, budget)


def _aligned(texts: AlignedTexts, budget: ReadingBudget) -> Table:
    def rows(chosen: Sequence[int]) -> Iterator[TableRow]:
        read = sorted(set(chosen))
        lines = _even_lines([texts.contents[at] for at in read], budget)
        for number, line in enumerate(lines, start=1):
            yield TableRow(number, [line[read.index(at)] for at in chosen])

    columns = tuple(Column(side, "text") for side in texts.sides)
    every = itertools.zip_longest(*(streams.lines(side, budget) for side in texts.contents))
    head = tuple(TableRow(*row) for row in enumerate(itertools.islice(every, HEAD), start=1))
    return Table(columns, head, rows)


def _even_lines(contents: Sequence[Content], budget: ReadingBudget) -> Iterator[tuple[str, ...]]:
    """Line N of each text. Raises UserError where one ends before another, which would be paired wrongly."""
    sides = [streams.lines(content, budget) for content in contents]
    for n_whole, line in enumerate(itertools.zip_longest(*sides)):
        if None in line:
            ended = line.index(None)
            longer = next(at for at, text in enumerate(line) if text is not None)
            counts = {ended: n_whole, longer: n_whole + 1 + sum(1 for _ in sides[longer])}
            src, tgt = ((contents[at].name, counts[at]) for at in sorted(counts))
            raise archive.uneven(src, tgt, "give texts with the same number of lines")
        yield line


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        ".tsv": Format(tsv, has_lines=True, has_header=True),
        ".csv": Format(csv_, has_lines=True, has_header=True),
        ".jsonl": Format(jsonl, has_lines=True),
        ".json": Format(json_),
        ".parquet": Format(parquet),
        ".tmx": Format(tmx),
        ".txt": Format(_lines, has_lines=True),
        ".zip": Format(_zipped),
    }
)
