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
from s2s.data.formats import added, streams
from s2s.data.formats.columns import Column
from s2s.data.formats.objects import unfolded
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import HEAD, EmptyError, Table, TableRow

DELIMITERS = MappingProxyType({",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"})
NUMBER = re.compile(r"\s*[-+]?\d+([.,]\d+)?\s*")
MIN_NUMBERS = 3  # rows of numbers under a word make the word a header
SEP = re.compile(r"""\ufeff?"?sep=([^\w\s"']|\t)"?[,;\t ]*""", re.IGNORECASE)
SNIFFED = 20  # rows from which the delimiter is detected
TABS_AGREE = 0.8  # of the first rows with as many tabs as the first: tabs are the delimiter
ENTITY = re.compile(r"&(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
HIDDEN = "\ufdd0"  # stands for an entity's semicolon; no text has this code point (Unicode, section 23.7)
QUOTED = re.compile(r'"(?:[^"]|"")*"')
OPEN = re.compile(r'"(?:[^"]|"")*""(?:[^"]|"")*')
QUOTES = (
    "Fields are quoted as in .csv (line {:,} is the first), and the quotation marks are kept; `#quotes=remove` removes"
    " them."
)
QUOTING = "close every quotation mark and double those inside a quoted field"


def tsv(content: Content, budget: ReadingBudget, *, unquote: bool = False) -> Table:
    """Tab-separated fields. A quotation mark is an ordinary character, unless they are unquoted as those of .csv."""
    lines = streams.lines(content, budget)
    first = list(itertools.islice(lines, 1))
    named = _named(content.name, first, budget)
    lines = itertools.chain(first, lines)
    start = 2 if named else 1
    if unquote or named not in ("", "\t"):
        csv.field_size_limit(budget.caps.line)
        delimiter = named or "\t"
        rows = _parsed(content.name, lines, delimiter, start)
        return _table(content.name, rows, budget, delimiter)
    return _table(content.name, _split(lines, start, budget), budget, "\t")


def _named(name: str, first: list[str], budget: ReadingBudget) -> str:
    """The delimiter that Excel's first line `sep=;` names, which is removed; "" without such a line."""
    found = SEP.fullmatch(first[0]) if first else None
    if not found:
        return ""
    budget.notes.append(
        f"Line 1 of `{name}` names the delimiter, as Excel writes it: {_in_words(found[1])}."
    )
    del first[0]
    return found[1]


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
    """Whether a field is as .csv writes one with a quotation mark in it, or all of line 1 are between these marks."""
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
    named = _named(content.name, first, budget)
    delimiter, *alternatives = [named] if named else _sniffed(first)
    lines = itertools.chain(first, lines)
    rows = _parsed(content.name, lines, delimiter, 2 if named else 1)
    return _table(content.name, rows, budget, delimiter, alternatives)


def _parsed(name: str, lines: Iterable[str], delimiter: str, start: int) -> Iterator[TableRow]:
    """The rows of the lines, which are numbered from `start`."""
    reader = csv.reader(map(_hidden, _ended(lines)), delimiter=delimiter, strict=True)
    line = start
    try:
        for fields in reader:
            if any(field and not field.isspace() for field in fields):
                yield TableRow(line, [field.replace(HIDDEN, ";") for field in fields])
            line = reader.line_num + start
    except csv.Error as error:
        raise UserError(
            f"The row at line {line:,} of `{name}` is not CSV ({error}); {QUOTING}."
        ) from error


def _ended(lines: Iterable[str]) -> Iterator[str]:
    r"""The lines with their ends; in CSV a lone `\r` ends a line, too."""
    for line in lines:
        *ended, last = line.split("\r")
        yield from (f"{part}\r" for part in ended)
        yield f"{last}\n"


def _hidden(line: str) -> str:
    """With HIDDEN for the semicolons that end HTML entities: `Tom &amp; Jerry;Tom et Jerry` has one delimiter."""
    return ENTITY.sub(_hide, line) if "&" in line else line


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
    widths = list[int]()
    is_tight = False
    try:
        reader = csv.reader(map(_hidden, _ended(lines)), delimiter=delimiter)
        for row in itertools.islice(reader, SNIFFED):
            if any(map(str.strip, row)):
                widths.append(len(row))
                is_tight = is_tight or any(not field.startswith(" ") for field in row[1:])
    except csv.Error:  # a field is too long; reading the whole file reports it
        widths = []
    if not widths or widths[0] == 1:
        return Fit(0.0, False, False, False)
    agreement = sum(width == widths[0] for width in widths) / len(widths)
    is_tab = delimiter == "\t"
    if is_tab and agreement >= TABS_AGREE:  # the other rows are malformed, and said to be
        agreement = 1.0
    return Fit(agreement, is_tab, is_tight, all(width == 2 for width in widths))


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
    following = (_checked(row, width) for row in itertools.islice(rows, HEAD - 1))
    head = (row, *following)
    columns = tuple(
        Column(_unquoted(cell.strip()), kind, "numbers" if kind == "other" else "")
        for cell, kind in zip(first, _kinds(head, width), strict=True)
    )
    fault = f"without exactly {width} fields, as row 1 has,"
    too_narrow = _one_column(name, first[0], delimiter)
    table = Table(
        columns,
        head,
        lambda chosen: _selected(itertools.chain(head, rows), chosen, width),
        False,
        fault,
        too_narrow,
        delimiter,
        tuple(alternatives),
    )
    return added.extended(unfolded(table))


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


def _checked(row: TableRow, width: int) -> TableRow:
    return (
        row if row.fields is not None and len(row.fields) == width else TableRow(row.number, None)
    )


def _selected(rows: Iterable[TableRow], chosen: Sequence[int], width: int) -> Iterator[TableRow]:
    for number, fields in (_checked(row, width) for row in rows):
        yield TableRow(number, None if fields is None else [fields[at] for at in chosen])


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
