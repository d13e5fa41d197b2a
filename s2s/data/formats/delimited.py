"""Tables with delimiters: .tsv and .csv. Knows nothing of source and target."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from html.entities import html5
from types import MappingProxyType
from typing import NamedTuple

from s2s.config import UserError
from s2s.data.formats import streams
from s2s.data.formats.columns import Column
from s2s.data.formats.made import extended
from s2s.data.formats.objects import unfolded
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import HEAD, EmptyError, Table, TableRow, picked, read_once

DELIMITERS = MappingProxyType({",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"})
NUMBER = re.compile(r"\s*[-+]?\d+([.,]\d+)?\s*")
MIN_NUMBERS = 3  # rows of numbers under a word make the word a header
SEP = re.compile(r"""\ufeff?"?sep ?= ?(tab|\\t|[^\w\s"'\\]|\t|)"?[,;|\t ]*""", re.IGNORECASE)
SNIFFED = 20  # rows from which the delimiter is detected
TABS_AGREE = 0.8  # of the first rows with as many tabs as the first: tabs are the delimiter
ENTITY = re.compile(r"&(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
HIDDEN = "\ufdd0"  # stands for an entity's semicolon; no text has this code point (Unicode, section 23.7)
BREAK = f"\ufdd1{HIDDEN}"  # stands for a carriage return within a cell
QUOTED = re.compile(r'"(?:[^"]|"")*"')
OPEN = re.compile(r'"(?:[^"]|"")*""(?:[^"]|"")*')
QUOTES = (
    "Fields are quoted as in .csv (the first on line {:,}), and the quotation marks are kept; `#quotes=remove` removes"
    " them."
)
QUOTING = "close every quotation mark and double those inside a quoted field"


def tsv(content: Content, budget: ReadingBudget, *, unquote: bool = False) -> Table:
    """Tab-separated fields. A quotation mark is an ordinary character, unless they are unquoted as those of .csv."""
    lines = streams.lines(content, budget)
    first = list(itertools.islice(lines, HEAD))
    named, start = _named(content.name, first, budget)
    lines = itertools.chain(first, lines)
    if unquote or named not in ("", "\t"):
        csv.field_size_limit(budget.caps.line)
        delimiter = named or "\t"
        rows = _parsed(content.name, lines, delimiter, start)
        return _table(content.name, rows, budget, delimiter)
    return _table(content.name, _split(lines, start, budget), budget, "\t")


def _named(name: str, first: list[str], budget: ReadingBudget) -> tuple[str, int]:
    """The delimiter that Excel's first line `sep=;` names, "" for none, and the number of the line after it.

    Removes that line and the empty ones before it.
    """
    at = next((at for at, line in enumerate(first) if line.strip("\ufeff \t")), 0)
    found = SEP.fullmatch(first[at]) if first else None
    if not found:
        return "", 1
    named = "\t" if found[1].lower() in ("tab", "\\t") else found[1]
    does = (
        f"names the delimiter, as Excel writes it: {_in_words(named)}" if named else "is not read"
    )
    budget.notes.append(f"Line {at + 1} of `{name}` {does}.")
    del first[: at + 1]
    return named, at + 2


def _in_words(delimiter: str) -> str:
    return DELIMITERS.get(delimiter, f"`{delimiter}`")


def _split(lines: Iterable[str], start: int, budget: ReadingBudget) -> Iterator[TableRow]:
    is_noted = False
    for number, line in enumerate(lines, start=start):
        if line and not line.isspace():
            fields = line.split("\t")
            may_be = '""' in line or number == start or len(fields) == 1
            if may_be and not is_noted and _is_quoted(fields, is_first=number == start):
                budget.notes.append(QUOTES.format(number))
                is_noted = True
            yield TableRow(number, fields)


def _is_quoted(fields: Sequence[str], *, is_first: bool) -> bool:
    quoted = [field for field in fields if QUOTED.fullmatch(field)]
    is_all = is_first and len(quoted) == len(fields) > 1
    # a field that holds a line break begins here, and ends on a later line
    is_open = OPEN.fullmatch(fields[-1]) is not None or (
        len(fields) == 1 and fields[0].count('"') % 2 == 1
    )
    return is_all or is_open or any('""' in field[1:-1] for field in quoted)


def csv_(content: Content, budget: ReadingBudget) -> Table:
    """Fields separated by commas, semicolons, tabs or bars; quoted if they contain a delimiter or a line break."""
    csv.field_size_limit(budget.caps.line)  # for the whole process: the limit of a line
    lines = streams.lines(content, budget)
    first = list(itertools.islice(lines, HEAD))
    named, start = _named(content.name, first, budget)
    delimiter, *alternatives = [named] if named else _sniffed(first)
    is_spaced = not _fit(first, delimiter).is_tight
    lines = itertools.chain(first, lines)
    rows = _parsed(content.name, lines, delimiter, start, is_spaced=is_spaced)
    return _table(content.name, rows, budget, delimiter, alternatives)


def _parsed(
    name: str, lines: Iterable[str], delimiter: str, start: int, *, is_spaced: bool = False
) -> Iterator[TableRow]:
    """The rows of the lines, which are numbered from `start`; without the spaces around fields if `is_spaced`."""
    reader = csv.reader(
        map(_hidden, _ended(lines, delimiter)),
        delimiter=delimiter,
        strict=True,
        skipinitialspace=is_spaced,
    )
    line = start
    try:
        for fields in reader:
            if any(field and not field.isspace() for field in fields):
                texts = [_shown(field) if HIDDEN in field else field for field in fields]
                yield TableRow(line, [text.strip(" ") for text in texts] if is_spaced else texts)
            line = reader.line_num + start
    except csv.Error as error:
        raise UserError(
            f"The row at line {line:,} of `{name}` is not CSV ({error}); {QUOTING}."
        ) from error


def _ended(lines: Iterable[str], delimiter: str) -> Iterator[str]:
    for line in lines:
        if "\r" not in line:
            yield f"{line}\n"
            continue
        *ended, last = line.split("\r")
        are_rows = 2 * sum(delimiter in part for part in (*ended, last)) > len(ended) + 1
        if are_rows or '"\r' in line or '\r"' in line:
            yield from (f"{part}\r" for part in ended)
            yield f"{last}\n"
        else:
            yield BREAK.join((*ended, f"{last}\n"))


def _hidden(line: str) -> str:
    """The line with HIDDEN for the semicolons of HTML entities: `Tom &amp; Jerry;Tom et Jerry` has one delimiter."""
    return ENTITY.sub(_hide, line) if "&" in line else line


def _shown(field: str) -> str:
    return field.replace(BREAK, "\r").replace(HIDDEN, ";")


def _hide(entity: re.Match[str]) -> str:
    name = entity[1]
    is_known = name.startswith("#") or f"{name};" in html5
    return f"&{name}{HIDDEN}" if is_known else entity[0]


class Fit(NamedTuple):
    """How well a delimiter splits the first rows; the greatest one is used."""

    agreement: float  # the share of rows with as many fields as the first; 0 if the first has one
    is_tab: bool  # which texts hardly have
    is_tight: bool  # some row has no space after it: "Hello, world" is more often one text
    gives_pairs: bool  # exactly two fields in every row


def _sniffed(lines: Sequence[str]) -> list[str]:
    """The delimiter of a table, then others that split every row alike; ties by the order of DELIMITERS."""
    fits = {delimiter: _fit(lines, delimiter) for delimiter in DELIMITERS}
    best, *others = sorted(fits, key=lambda delimiter: fits[delimiter], reverse=True)
    return [best, *(other for other in others if fits[other].agreement == 1.0)]


def _fit(lines: Sequence[str], delimiter: str) -> Fit:
    rows = _first_rows(lines, delimiter)
    is_tight = any(field and not field.startswith(" ") for row in rows for field in row[1:])
    if not is_tight:  # a quotation mark after the space opens a field
        rows = _first_rows(lines, delimiter, skips=True)
    widths = [len(row) for row in rows]
    if not widths or widths[0] == 1:
        return Fit(0.0, False, True, False)
    agreement = sum(width == widths[0] for width in widths) / len(widths)
    is_tab = delimiter == "\t"
    if is_tab and agreement >= TABS_AGREE:  # the other rows are malformed, and said to be
        agreement = 1.0
    return Fit(agreement, is_tab, is_tight, all(width == 2 for width in widths))


def _first_rows(lines: Sequence[str], delimiter: str, *, skips: bool = False) -> list[list[str]]:
    reader = csv.reader(
        map(_hidden, _ended(lines, delimiter)), delimiter=delimiter, skipinitialspace=skips
    )
    try:
        rows = list(itertools.islice(reader, SNIFFED))
    except csv.Error:  # a field is too long; reading the whole file reports it
        return []
    return [row for row in rows if any(map(str.strip, row))]


def _table(
    name: str,
    rows: Iterator[TableRow],
    budget: ReadingBudget,
    delimiter: str,
    alternatives: Sequence[str] = (),
) -> Table:
    if (row := next(rows, None)) is None:
        raise EmptyError(f"`{name}` is empty; give a file with at least one pair.")
    first = [field or "" for field in row.fields or ()]
    width = len(first)
    budget.check_columns(name, width)
    # without the fields of malformed rows, of which there may be any number
    even = (
        each if len(each.fields or ()) == width else TableRow(each.number, None)
        for each in itertools.chain([row], rows)
    )
    head = list(itertools.islice(even, HEAD))
    columns = tuple(
        Column(_unquoted(cell.strip()), kind, "numbers" if kind == "other" else "")
        for cell, kind in zip(first, _kinds(head, width), strict=True)
    )
    table = Table(
        columns,
        *read_once(head, even, width, picked),
        is_named=False,
        fault=f"without exactly {width} fields, as row 1 has,",
        too_narrow=_one_column(name, first[0], delimiter),
        delimiter=delimiter,
        alternatives=tuple(alternatives),
    )
    return extended(unfolded(table))


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if QUOTED.fullmatch(name) else name


def _kinds(head: Sequence[TableRow], width: int) -> list[str]:
    """The kind of each column: `other` if all rows below the first are numbers, else `text`."""
    body = [row.fields for row in head[1:] if row.fields is not None]
    columns = list(zip(*body, strict=True)) if len(body) >= MIN_NUMBERS else [()] * width
    return [
        "other" if column and all(NUMBER.fullmatch(field or "") for field in column) else "text"
        for column in columns
    ]


def is_quoted_note(note: str) -> bool:
    """Whether a note says that fields are quoted."""
    return note.endswith(QUOTES.partition("}")[2])


def _one_column(name: str, first: str, delimiter: str) -> str:
    used = next(
        (
            words
            for mark, words in DELIMITERS.items()
            if mark != delimiter and mark in _hidden(first)
        ),
        "",
    )
    hint = f"; row 1 seems to use {used}" if used else ""
    expected = _in_words(delimiter)
    missing = expected.removeprefix("a ")
    return (
        f"`{name}` has only one column: row 1 has no {missing}{hint}; put {expected} between source and"
        " target."
    )
