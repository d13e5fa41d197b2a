"""Two columns of a table of any format, as pairs. Knows nothing of folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType
from typing import NamedTuple

from s2s.config import UserError, nearest, setting
from s2s.data.corpus import Options, one_line
from s2s.data.formats.columns import (
    LANGUAGES,
    LIKE_SOURCE,
    LIKE_TARGET,
    NOT_ALONE,
    Column,
    Guess,
    guess,
)
from s2s.data.formats.delimited import DELIMITERS, NUMBER, csv_, tsv
from s2s.data.formats.objects import json_, jsonl
from s2s.data.formats.parquet import parquet
from s2s.data.formats.streams import Content, Meter
from s2s.data.formats.table import TURN, Row, Sheet
from s2s.data.formats.tmx import tmx
from s2s.data.pair import Pair

__all__ = [
    "TABLES",
    "TURN",
    "FileOptions",
    "Offer",
    "Reading",
    "offered",
    "paired",
    "read",
    "suffix",
    "texts",
]

HEADER = ("auto", "yes", "no")
TABLES: Mapping[str, Callable[[Content, Meter], Sheet]] = MappingProxyType(
    {".tsv": tsv, ".csv": csv_, ".jsonl": jsonl, ".json": json_, ".parquet": parquet, ".tmx": tmx}
)

# Names by which a first row is known to be a header; a data row that happens to hold two of them needs #header=no.
USUAL = LIKE_SOURCE | LIKE_TARGET | (LANGUAGES - NOT_ALONE)
TELLING = 0.85  # score of a guess that hangs on both names
N_SAMPLES = 5
SAMPLE = 200  # characters of a field in a sample


@dataclass(frozen=True)
class FileOptions(Options):
    """What may follow the `#` of a file."""

    src: str = setting("", help="Source column: a name from the first row, or a number from 1.")
    tgt: str = setting("", help="Target column: a name from the first row, or a number from 1.")
    prefix: str = setting(
        "",
        help="Column whose text stands before the source, `summarize: ...`: several tasks in one file.",
    )
    header: str = setting(
        "auto", help="Does row 1 hold the column names? auto looks for usual names.", choices=HEADER
    )


class Columns(NamedTuple):
    """Which columns are read, from 0, whether row 1 is a header, and why these."""

    src: int
    tgt: int
    has_header: bool
    reason: str


@dataclass(frozen=True)
class Offer:
    """What may be read of some files, from their first rows. `kind` is `table`, `aligned` (two texts), `splits` (several of either)
    or `plain`, for texts without a partner, which `text:FILE` reads.

    Names of columns, `src` and `tgt` are as FileOptions takes them: a name, or a number from 1 where there is no name, or one that
    stands for another column too. `labels` are for people: `column 2 (the house)`. `reason` is a part of a sentence.
    """

    kind: str
    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    src: str = ""
    tgt: str = ""
    reason: str = ""
    has_header: bool = False
    is_named: bool = True  # by the format itself, so that there is no header to ask about
    delimiter: str = ""
    encoding: str = ""
    samples: tuple[tuple[str, ...], ...] = ()  # a field a column, of a few rows
    splits: tuple[str, ...] = ("train",)


class Reading(NamedTuple):
    """Pairs of a file and what is to be said about them."""

    pairs: list[Pair]
    notes: list[str]


def suffix(name: str) -> str:
    """`"A.TSV.gz"` -> `".tsv"`."""
    lower = name.lower().removesuffix(".gz")
    return PurePath(lower).suffix


def read(content: Content, options: FileOptions, meter: Meter) -> Reading:
    """The pairs of a table whose file name ends in a key of TABLES. Raises UserError."""
    sheet = TABLES[suffix(content.file)](content, meter)
    chosen = _chosen(content, sheet, options)
    at = [chosen.src, chosen.tgt]
    if options.prefix:
        at.append(_asked(content.name, sheet, options.prefix, options))
    pairs, notes = paired(
        _body(sheet, chosen.has_header, at), meter, sheet.fault, counted=sheet.counted
    )
    return Reading(pairs, [_said(sheet, chosen), *notes, *meter.said()])


def offered(content: Content, options: FileOptions, meter: Meter) -> Offer:
    """What `read` would read, from the first rows."""
    sheet = TABLES[suffix(content.file)](content, meter)
    texts = [at for at, column in enumerate(sheet.columns) if column.kind != "other"]
    if len(texts) == 1 and not (options.src or options.tgt):
        return _offer(
            sheet,
            Columns(texts[0], texts[0], _has_header(sheet, options), "the only column of text"),
            meter,
            "plain",
        )
    return _offer(sheet, _chosen(content, sheet, options), meter, "table")


def texts(content: Content, column: str, meter: Meter) -> Iterator[str]:
    """One column of a table, by its name or number; without one the only column of text."""
    sheet = TABLES[suffix(content.file)](content, meter)
    options = FileOptions(src=column)
    known = [at for at, one in enumerate(sheet.columns) if one.kind != "other"]
    if not column and len(known) != 1:
        names = ", ".join(f"`{sheet.columns[at].name[:40]}`" for at in known[:5])
        raise UserError(
            f"`{content.name}` has {len(known)} columns of text ({names}); say which one with #column=NAME."
        )
    at = _asked(content.name, sheet, column, options) if column else known[0]
    for row in _body(sheet, _has_header(sheet, options), [at]):
        if row.fields and row.fields[0]:
            yield meter.cell(row.fields[0])


def paired(
    rows: Iterable[Row], meter: Meter, fault: str, *, what: str = "row", counted: str = "line"
) -> Reading:
    """Makes each text one line, puts a third field before the source, and drops rows with an empty side or without fields."""
    pairs: list[Pair] = []
    lost = 0
    n_lost = 0
    n_empty = 0
    cut = list[str]()
    for at, (number, fields) in enumerate(rows):
        if at == meter.caps.rows:
            cut = [
                f"The first {at:,} rows were read, which is the limit (`rows`); the others were left out."
            ]
            break
        if fields is None or fields[0] is None or fields[1] is None:
            lost = lost or number
            n_lost = n_lost + 1
            continue
        src = meter.cell(_line(fields[0]))
        tgt = meter.cell(_line(fields[1]))
        if not src.strip() or not tgt.strip():
            n_empty += 1
            continue
        prefix = meter.cell(_line(fields[2] or "").strip()) if len(fields) > 2 else ""
        pairs.append(Pair(f"{prefix.removesuffix(':')}: {src}" if prefix else src, tgt))
    whats = what if n_lost == 1 else f"{what}s"
    dropped = (
        [f"{n_lost:,} {whats} {fault} dropped (the first at {counted} {lost:,})."] if n_lost else []
    )
    return Reading(pairs, [*dropped, *_empty(n_empty), *cut])


def _line(text: str) -> str:
    return one_line(text) if "\n" in text or "\r" in text else text


def _empty(n: int) -> list[str]:
    return [f"{n:,} {'pair' if n == 1 else 'pairs'} with an empty side dropped."] if n else []


def _body(sheet: Sheet, has_header: bool, at: Sequence[int]) -> Iterator[Row]:
    """All rows but the header."""
    rows = sheet.rows(at)
    if has_header and not sheet.is_named:
        next(rows, None)
    return rows


def _said(sheet: Sheet, chosen: Columns) -> str:
    src, tgt = (sheet.columns[at].name for at in (chosen.src, chosen.tgt))
    if sheet.is_named:
        return f"`{src}` is the source, `{tgt}` the target."
    cut = (
        f" Between two fields stands {DELIMITERS[sheet.delimiter]}."
        if sheet.delimiter in (";", "|")
        else ""
    )
    if chosen.has_header:
        return f"Row 1 is a header: `{src}` is the source, `{tgt}` the target.{cut}"
    return f"Row 1 is data, not a header: column {chosen.src + 1} is the source, column {chosen.tgt + 1} the target.{cut}"


def _offer(sheet: Sheet, chosen: Columns, meter: Meter, kind: str) -> Offer:
    """A name serves where `_asked` finds this very column by it: it is not empty, no number, and stands once."""
    cells = [column.name.strip() for column in sheet.columns]
    counts = Counter(cells)
    serves = [
        bool(chosen.has_header and cell and not cell.isdecimal() and counts[cell] == 1)
        for cell in cells
    ]
    names = [
        cell if named else str(at)
        for at, (cell, named) in enumerate(zip(cells, serves, strict=True), start=1)
    ]
    columns = tuple(
        Column(name, column.kind) for name, column in zip(names, sheet.columns, strict=True)
    )
    labels = tuple(_label(*item) for item in zip(names, cells, serves, strict=True))
    body = sheet.head[1:] if chosen.has_header and not sheet.is_named else sheet.head
    samples = tuple(
        tuple((field or "")[:SAMPLE] for field in row.fields)
        for row in body[:N_SAMPLES]
        if row.fields is not None
    )
    return Offer(
        *(
            kind,
            columns,
            labels,
            names[chosen.src],
            names[chosen.tgt],
            chosen.reason,
            chosen.has_header,
        ),
        is_named=sheet.is_named,
        delimiter=sheet.delimiter,
        encoding=meter.encoding,
        samples=samples,
    )


def _label(column: str, cell: str, is_name: bool) -> str:
    if is_name:
        return cell
    return f"column {column} ({cell[:40]})" if cell else f"column {column}"


def _chosen(content: Content, sheet: Sheet, options: FileOptions) -> Columns:
    """Those asked for, else those that are guessed by name, else the first two of text."""
    if len(sheet.columns) < 2:
        raise UserError(sheet.narrow)
    has_header = _has_header(sheet, options)
    asked = [
        _asked(content.name, sheet, name, options) if name else None
        for name in (options.src, options.tgt)
    ]
    for one in _guesses(sheet.columns, PurePath(content.file).stem) if has_header else []:
        names = [column.name.strip() for column in sheet.columns]
        src = names.index(one.src)
        tgt = names.index(one.tgt)
        if asked in ([None, None], [src, None], [None, tgt], [src, tgt]):
            return Columns(src, tgt, has_header, one.reason)
    src, tgt = _first_free(sheet.columns, asked, has_header)
    if src == tgt:
        same = f"`#src={options.src},tgt={options.tgt}` is the same column twice"
        raise UserError(f"{same}; choose two of the {len(sheet.columns)} in `{content.name}`.")
    return Columns(
        src,
        tgt,
        has_header,
        "the columns that were asked for" if any(asked) else "the first two columns of text",
    )


def _guesses(columns: Sequence[Column], config: str) -> list[Guess]:
    return [
        one
        for one in guess([Column(name.strip(), kind) for name, kind in columns], config)
        if one.src != one.tgt
    ]


def _has_header(sheet: Sheet, options: FileOptions) -> bool:
    """Row 1 has a name that was asked for, or two different usual ones, or a word above numbers."""
    if sheet.is_named or options.header != "auto":
        return sheet.is_named or options.header == "yes"
    names = {column.name.casefold() for column in sheet.columns}
    asked = {
        name.casefold()
        for name in (options.src, options.tgt, options.prefix)
        if name and not name.isdecimal()
    }
    if (
        asked & names
        or len(names & USUAL) >= 2
        or any(one.score >= TELLING for one in _guesses(sheet.columns, ""))
    ):
        return True
    above = any(
        column.kind == "other" and not NUMBER.fullmatch(column.name) for column in sheet.columns
    )
    return above and len(names) == len(sheet.columns)


def _asked(name: str, sheet: Sheet, column: str, options: FileOptions) -> int:
    """The index of a column given by name or by number from 1; a number is never a name. `en` stands for `translation.en`, too."""
    names = [one.name.strip() for one in sheet.columns]
    if (
        column.isdecimal() and len(column) < 10 and 1 <= int(column) <= len(names)
    ):  # int() refuses thousands of digits
        return int(column) - 1
    folded = [cell.casefold() for cell in names]
    wanted = column.casefold()
    if not column.isdecimal() and (options.header != "no" or sheet.is_named):
        if wanted in folded:
            return names.index(column) if column in names else folded.index(wanted)
        inner = [cell.rpartition(".")[2] for cell in folded]
        if sheet.is_named and wanted in inner:
            return inner.index(wanted)
    close = ", ".join(f"`{cell[:40]}`" for cell in nearest(column, names) or names[:3])
    raise UserError(
        f"There is no column `{column}` in `{name}`; the nearest are {close}, or give a number from 1 to {len(names)}."
    )


def _first_free(
    columns: Sequence[Column], asked: Sequence[int | None], has_header: bool
) -> tuple[int, int]:
    """What was not asked for: the first column with a usual name, else the first of text, else the first."""
    names = [column.name.strip().casefold() if has_header else "" for column in columns]
    src, tgt = asked
    if src is None:
        src = _usual(columns, names, (LIKE_SOURCE, LANGUAGES), taken=tgt)
    if tgt is None:
        tgt = _usual(columns, names, (LIKE_TARGET, LANGUAGES), taken=src)
    return src, tgt


def _usual(
    columns: Sequence[Column],
    names: Sequence[str],
    kinds: Iterable[frozenset[str]],
    *,
    taken: int | None,
) -> int:
    free = [at for at in range(len(names)) if at != taken]
    free.sort(key=lambda at: columns[at].kind == "other")
    return next((at for kind in kinds for at in free if names[at] in kind), free[0])
