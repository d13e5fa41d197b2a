"""A random sample of a split's rows: of all of them, or of parts drawn at random where the files are large.

The same files, seed and number of rows give the same sample on every computer.
"""

from __future__ import annotations

import contextlib
import itertools
import random
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, Any, NamedTuple, TypeVar, cast

from s2s import hub
from s2s.data.formats import streams
from s2s.data.formats.parquet import RowGroups
from s2s.data.formats.streams import Content, ReadThrough
from s2s.data.formats.table import Table, TableRow
from s2s.data.options import choose_indices
from s2s.data.repository import library
from s2s.data.repository.reading import SplitReader, format_of

# These numbers are part of what `sample=SEED` of a recorded SPEC means: with others, it names other rows.
SAMPLE_BYTES = 64_000_000  # read at most; larger files are read in parts, but for zips
MAX_FILES = 16  # of a split from which parts are read
BLOCK = 1_000_000  # bytes of a part of a text file
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
T = TypeVar("T")


class Sample(NamedTuple):
    """Rows drawn out of `n_seen`, in the order of the files; `parts` says out of which, if not out of all."""

    rows: list[TableRow]
    n_drawn: int  # a row that is a list of pairs counts once
    n_seen: int
    parts: str = ""
    total: int | None = None  # rows of the whole split, as far as the files tell


def draw(reader: SplitReader, files: Sequence[hub.File], n: int, seed: int) -> Sample:
    """A random sample of `n` rows, or all if there are fewer."""
    generator = random.Random(seed)
    some = _some(files, MAX_FILES, generator)
    drawing = _Drawing(reader, files, some, n, generator)
    kind = hub.kind(files[0].path)
    if kind == "parquet":
        return drawing.from_groups()
    if library.needs_library(files[0]):
        return drawing.from_starts()
    if kind == "zip" or _size(files) <= SAMPLE_BYTES:  # the list of a zip's files is at its end
        return drawing.of(reader.rows(files))
    if format_of(files[0]).has_lines and all(_has_lines(reader.content(file)) for file in some):
        return drawing.from_blocks()
    return drawing.from_starts()


def _some(given: Sequence[T], n: int, generator: random.Random) -> list[T]:
    return [given[at] for at in choose_indices(len(given), n, generator)]


class _Group(NamedTuple):
    table: Table
    n_rows: int
    n_bytes: int


@dataclass(frozen=True)
class _Drawing:
    """How `n` rows are drawn from `files`, of which at most `some` are read."""

    reader: SplitReader
    files: Sequence[hub.File]
    some: Sequence[hub.File]
    n: int
    generator: random.Random

    def of(self, rows: Iterable[TableRow], parts: str = "", n_bytes: int = 0) -> Sample:
        """Draws from `rows`, in order, each set equally probable (algorithm R); `n_bytes` of the files hold them."""
        kept: list[tuple[int, TableRow]] = []
        n_seen = 0
        for row in rows:
            if len(kept) < self.n:
                kept.append((n_seen, row))
            elif (at := int(self.generator.random() * (n_seen + 1))) < self.n:
                kept[at] = (n_seen, row)
            n_seen += 1
        kept.sort(key=lambda one: one[0])
        total = _about(n_seen * _size(self.some) / n_bytes) if n_bytes else None
        return Sample([row for _, row in kept], len(kept), n_seen, parts, total)

    def from_groups(self) -> Sample:
        """Draws from row groups of .parquet files: from all, or from as many at random as the limit allows."""
        groups: list[_Group] = []
        for file in self.some:
            with self.reader.skipping_empty():
                content = self.reader.content(file)
                groups += _groups(self.reader, RowGroups(content, self.reader.budget))
        read = _within_limit(groups, self.n, self.generator)
        rows = self._rows_of_groups(read)
        n_seen = sum(group.n_rows for group in read)
        n_drawn = min(self.n, n_seen)
        if len(read) == len(groups) and len(self.some) == len(self.files):
            return Sample(list(rows), n_drawn, n_seen)
        share = _size(self.some) / max(1, _size(self.files))
        total = sum(group.n_rows for group in groups)
        if share != 1.0:
            total = _about(total / share)
        parts = f"{len(read):,} row groups of its files"
        return Sample(list(rows), n_drawn, n_seen, parts, total)

    def _rows_of_groups(self, groups: Sequence[_Group]) -> Iterator[TableRow]:
        n_rows = sum(group.n_rows for group in groups)
        drawn = list(choose_indices(n_rows, self.n, self.generator))
        start = 0
        for group in groups:
            end = start + group.n_rows
            inside = drawn[bisect_left(drawn, start) : bisect_left(drawn, end)]
            if inside:
                yield from self.reader.pairs(_with_rows(group.table, [at - start for at in inside]))
            start = end

    def from_blocks(self) -> Sample:
        """Draws from blocks at random positions of text files; their first and last lines are completed or left out."""
        blocks = [(file, start) for file in self.some for start in range(0, file.size, BLOCK)]
        read = _some(blocks, SAMPLE_BYTES // BLOCK, self.generator)
        heads = {file.path: _header(self.reader, file) for file, _ in read}
        rows = (
            row
            for file, start in read
            for row in _block(self.reader, file, start, heads[file.path])
        )
        n_bytes = sum(min(BLOCK, file.size - start) for file, start in read)
        return self.of(
            rows,
            f"{len(read):,} blocks of {streams.format_size(BLOCK)} of its files",
            n_bytes,
        )

    def from_starts(self) -> Sample:
        """Draws from the first rows of files that can only be read from their start."""
        share = SAMPLE_BYTES // len(self.some)
        rows = (row for file in self.some for row in _start(self.reader, file, share))
        if len(self.some) == len(self.files) and all(file.size <= share for file in self.files):
            return self.of(rows)
        parts = f"the first {streams.format_size(share)} of its files"
        if library.needs_library(self.files[0]):  # of which nobody says how much was read
            return self.of(rows, parts)
        return self.of(rows, parts, sum(min(share, file.size) for file in self.some))


def _groups(reader: SplitReader, file: RowGroups) -> list[_Group]:
    chosen = reader.choose(file.table().columns)
    # With other columns, a seed would name other groups.
    n_bytes = file.n_bytes([chosen.src, chosen.tgt])
    return [
        _Group(file.table([at]), n_rows, size)
        for at, (n_rows, size) in enumerate(zip(file.n_rows, n_bytes, strict=True))
    ]


def _within_limit(groups: Sequence[_Group], n_rows: int, generator: random.Random) -> list[_Group]:
    """Groups in random order up to the limit of bytes, but at least with as many rows as are needed."""
    taken: list[int] = []
    n_bytes = n_taken = 0
    for at in sorted(range(len(groups)), key=lambda _: generator.random()):
        n_bytes += groups[at].n_bytes
        if n_bytes > SAMPLE_BYTES and n_taken >= n_rows:
            break
        n_taken += groups[at].n_rows
        taken.append(at)
    return [groups[at] for at in sorted(taken)]


def _with_rows(table: Table, wanted: Sequence[int]) -> Table:
    return replace(table, rows=lambda chosen: _at(table.rows(chosen), wanted))


def _at(rows: Iterator[TableRow], wanted: Sequence[int]) -> Iterator[TableRow]:
    done = 0
    for at in wanted:
        yield from itertools.islice(rows, at - done, at - done + 1)
        done = at + 1


def _has_lines(content: Content) -> bool:
    """Whether rows are lines of the file as it is stored: a .csv may have line breaks between quotation marks."""
    if content.is_compressed:
        return False
    with content.open() as file:
        start = file.read(BLOCK if hub.kind(content.file) == "csv" else 2)
    if start[:2] in UTF_16:
        return False
    lines = start.rpartition(b"\n")[0]
    return not _has_open_quotes(lines)


def _has_open_quotes(lines: bytes) -> bool:
    return any(line.count(b'"') % 2 for line in lines.split(b"\n"))


def _header(reader: SplitReader, file: hub.File) -> bytes:
    if not format_of(file).has_header:
        return b""
    with reader.content(file).open() as raw:
        return raw.read(BLOCK).partition(b"\n")[0] + b"\n"


def _block(reader: SplitReader, file: hub.File, start: int, header: bytes) -> Iterator[TableRow]:
    content = reader.content(file)
    with content.open() as raw:
        raw.seek(max(0, start - 1))
        block = raw.read(BLOCK + (start > 0))
        tail = b""
        while block and not (block + tail).endswith(b"\n") and b"\n" not in tail:
            more = raw.read(1 << 16)
            tail += more
            if not more or len(tail) > reader.budget.caps.line:
                break
    whole = block + tail.partition(b"\n")[0]
    lines = whole.partition(b"\n")[2] if start else whole.removeprefix(header)
    if not lines.strip() or (hub.kind(file.path) == "csv" and _has_open_quotes(lines)):
        return iter(())
    named = content._replace(open=streams.in_memory(file.path, header + lines).open)
    return reader.pairs(format_of(file).read(named, reader.budget))


def _start(reader: SplitReader, file: hub.File, share: int) -> Iterator[TableRow]:
    with contextlib.suppress(_StartIsOverError), reader.skipping_empty():
        if library.needs_library(file):
            table = library.table(reader.origin, file, reader.budget, share)
        else:
            raw = content = reader.content(file)
            if file.size > share:
                content = content._replace(open=lambda: cast(IO[bytes], _Start(raw.open(), share)))
            table = format_of(file).read(content, reader.budget)
        yield from reader.pairs(table)


class _StartIsOverError(Exception):
    """More than the start of a file was to be read."""


class _Start(ReadThrough):
    """A file of which nothing more is read once so many bytes have been."""

    def __init__(self, raw: IO[bytes], limit: int) -> None:
        super().__init__(raw)
        self._limit = limit

    def readinto(self, buffer: Any) -> int:
        if self.tell() >= self._limit:
            raise _StartIsOverError
        return super().readinto(buffer)


def _size(files: Sequence[hub.File]) -> int:
    return sum(file.size for file in files)


def _about(n: float) -> int:
    """A number rounded to two digits, since it is an estimate."""
    return int(float(f"{n:.1e}"))
