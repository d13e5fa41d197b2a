"""Two columns of a .tsv, .csv or .jsonl table: its lines to texts. Knows nothing of folders and of bytes."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import UserError, knob, nearest
from s2s.data.corpus import Options

HEADER = ("auto", "yes", "no")
EXAMPLE = '{"src": "...", "tgt": "..."}'

# Names by which a first row is known to be a header; a data row that happens to hold two of them needs #header=no.
SRC_NAMES = frozenset({"src", "source", "input", "text", "question", "prompt", "document", "article", "dialogue", "command", "mr"})
TGT_NAMES = frozenset({"tgt", "trg", "target", "output", "answer", "response", "summary", "reference", "ref", "translation"})
CODES = frozenset(
    {"en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "fi", "pl", "cs", "ru", "uk", "el", "tr", "ar", "he", "hi", "zh", "ja", "ko"}
)
LANGUAGES = CODES | {"english", "german", "french", "spanish", "italian", "portuguese", "dutch", "russian", "chinese", "japanese"}


@dataclass(frozen=True)
class FileOptions(Options):
    """What may follow the `#` of a file."""

    src: str = knob("", help="Source column: a name from the first row, or a number from 1.")
    tgt: str = knob("", help="Target column: a name from the first row, or a number from 1.")
    header: str = knob("auto", help="Does row 1 hold the column names? auto looks for usual names.", choices=HEADER)


class Row(NamedTuple):
    """The fields of one row and the line, from 1, that it begins at."""

    line: int
    fields: list[str]


class Columns(NamedTuple):
    """Which columns are read, from 0, and whether row 1 is a header."""

    src: int
    tgt: int
    has_header: bool


class Table(NamedTuple):
    """What a picker of columns offers. `columns`, `src` and `tgt` are as FileOptions takes them: a name, or a number from 1
    where there is no name, or one that stands for another column too. `labels` are for people: `column 2 (the house)`.
    """

    columns: tuple[str, ...]
    src: str
    tgt: str
    has_header: bool
    labels: tuple[str, ...]

    @property
    def header(self) -> str:
        """What `FileOptions.header` must be for the columns to mean what they mean here."""
        return "yes" if self.has_header else "no"


class Reading(NamedTuple):
    """Texts as they stand in the file, and what is to be said about them."""

    texts: list[tuple[str, str]]
    notes: list[str]


def suffix(name: str) -> str:
    """`"A.TSV"` -> `".tsv"`."""
    return PurePath(name).suffix.lower()


def read(name: str, lines: list[str], options: FileOptions) -> tuple[Table, Reading]:
    """The two columns of a table whose name ends in a key of TABLES and whose lines are not all empty; errors call it by that name."""
    return TABLES[suffix(name)](name, lines, options)


def dropped(lines: list[int], what: str, why: str) -> list[str]:
    """`dropped([3, 9], "row", "without a text")` -> `["2 rows without a text dropped (the first at line 3)."]`."""
    if not lines:
        return []
    return [f"{len(lines):,} {what}{'' if len(lines) == 1 else 's'} {why} dropped (the first at line {lines[0]:,})."]


def _tsv(name: str, lines: list[str], options: FileOptions) -> tuple[Table, Reading]:
    """Fields between tabs, no quoting: a quotation mark is a character like any other."""
    return _rows(name, [Row(number, line.split("\t")) for number, line in enumerate(lines, start=1)], options)


def _csv(name: str, lines: list[str], options: FileOptions) -> tuple[Table, Reading]:
    """Fields between commas; one that holds a comma, a quotation mark or a line break stands in quotation marks."""
    reader, rows, line = csv.reader(io.StringIO("\n".join(lines), newline=""), strict=True), [], 1
    try:
        for fields in reader:
            rows.append(Row(line, fields))
            line = reader.line_num + 1
    except csv.Error as error:
        mend = "close every quotation mark and write one inside a quoted field twice"
        raise UserError(f"The row at line {line:,} of `{name}` is not CSV ({error}); {mend}.") from error
    return _rows(name, rows, options)


def _jsonl(name: str, lines: list[str], options: FileOptions) -> tuple[Table, Reading]:
    """One JSON object a line; the two texts may stand one level down, in `translation`, as in many published sets."""
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    rows = [_object(name, number, line) for number, line in numbered]
    fields = list(rows[0])
    if len(fields) < 2:
        raise UserError(f"Line {numbered[0][0]} of `{name}` has fewer than two fields; write objects such as {EXAMPLE}.")
    chosen = _columns(name, fields, FileOptions(src=options.src, tgt=options.tgt, header="yes"))
    src, tgt = fields[chosen.src], fields[chosen.tgt]
    found = [(row.get(src), row.get(tgt)) for row in rows]
    texts = [(one, other) for one, other in found if isinstance(one, str) and isinstance(other, str)]
    lost = [number for (number, _), pair in zip(numbered, found, strict=True) if not all(isinstance(text, str) for text in pair)]
    notes = [f"`{src}` is the source, `{tgt}` the target.", *dropped(lost, "row", "without a text in both fields")]
    return _offered(fields, chosen), Reading(texts, notes)


def _object(name: str, number: int, line: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
        if "\\u" in line:
            json.dumps(row, ensure_ascii=False).encode()  # "\ud800" is JSON, but half a character
    except (ValueError, RecursionError) as error:
        raise UserError(f"Line {number:,} of `{name}` is not JSON ({error}); write one object a line, such as {EXAMPLE}.") from error
    if not isinstance(row, dict):
        raise UserError(f"Line {number:,} of `{name}` is JSON but no object; write one object a line, such as {EXAMPLE}.")
    inner = row.get("translation")
    return inner if isinstance(inner, dict) else row


Read = Callable[[str, list[str], FileOptions], tuple[Table, Reading]]
TABLES: Mapping[str, Read] = MappingProxyType({".tsv": _tsv, ".csv": _csv, ".jsonl": _jsonl})


def _rows(name: str, rows: list[Row], options: FileOptions) -> tuple[Table, Reading]:
    """The two chosen columns. Rows with another number of fields than the first are dropped and counted."""
    rows = [row for row in rows if any(field.strip() for field in row.fields)]
    first, width = rows[0].fields, len(rows[0].fields)
    if width < 2:
        raise UserError(_one_column(name, first))
    chosen = _columns(name, first, options)
    body = rows[1:] if chosen.has_header else rows
    lost = [row.line for row in body if len(row.fields) != width]
    texts = [(row.fields[chosen.src], row.fields[chosen.tgt]) for row in body if len(row.fields) == width]
    notes = [_said(first, chosen), *dropped(lost, "row", f"without exactly {width} fields, as row 1 has,")]
    return _offered(first, chosen), Reading(texts, notes)


def _one_column(name: str, first: list[str]) -> str:
    wanted = "a tab" if suffix(name) == ".tsv" else "a comma"
    others = {"a comma": ",", "a semicolon": ";", "a tab": "\t"}
    used = next((other for other, mark in others.items() if other != wanted and mark in "".join(first)), "")
    hint = f"; row 1 seems to use {used}" if used else ""
    return f"`{name}` has one column only: row 1 has no {wanted.removeprefix('a ')}{hint}; put {wanted} between source and target."


def _said(first: list[str], chosen: Columns) -> str:
    src, tgt, has_header = chosen
    if has_header:
        return f"Row 1 is a header: `{first[src].strip()}` is the source, `{first[tgt].strip()}` the target."
    return f"Row 1 is data, not a header: column {src + 1} is the source, column {tgt + 1} the target."


def _offered(first: list[str], chosen: Columns) -> Table:
    """A name serves where `_asked` finds this very column by it: it is not empty, no number, and stands once."""
    cells = [cell.strip() for cell in first]
    counts = Counter(cells)
    serves = [bool(chosen.has_header and cell and not cell.isdecimal() and counts[cell] == 1) for cell in cells]
    columns = tuple(cell if named else str(at) for at, (cell, named) in enumerate(zip(cells, serves, strict=True), start=1))
    labels = (_label(*item) for item in zip(columns, cells, serves, strict=True))
    return Table(columns, columns[chosen.src], columns[chosen.tgt], chosen.has_header, tuple(labels))


def _label(column: str, cell: str, is_name: bool) -> str:
    if is_name:
        return cell
    return f"column {column} ({cell[:40]})" if cell else f"column {column}"


def _columns(name: str, first: list[str], options: FileOptions) -> Columns:
    """Those asked for, else those with a usual name, else the first two."""
    names = [cell.strip().casefold() for cell in first]
    has_header = options.header == "yes" or (options.header == "auto" and _is_header(names, options))
    known = names if has_header else [""] * len(names)
    src = _asked(name, first, options.src, options) if options.src else None
    tgt = _asked(name, first, options.tgt, options) if options.tgt else None
    if src is None:
        src = _usual(known, (SRC_NAMES, LANGUAGES), taken=tgt)
    if tgt is None:
        tgt = _usual(known, (TGT_NAMES, LANGUAGES), taken=src)
    if src == tgt:
        raise UserError(f"`#src={options.src},tgt={options.tgt}` is the same column twice; choose two of the {len(first)} in `{name}`.")
    return Columns(src, tgt, has_header)


def _is_header(names: list[str], options: FileOptions) -> bool:
    """Row 1 has a name that was asked for, or two different usual ones."""
    asked = {name.casefold() for name in (options.src, options.tgt) if name and not name.isdecimal()}
    return bool(asked & set(names)) or len(set(names) & (SRC_NAMES | TGT_NAMES | LANGUAGES)) >= 2


def _asked(name: str, first: list[str], column: str, options: FileOptions) -> int:
    """The index of a column given by name or by number from 1; a number is never a name."""
    names = [cell.strip() for cell in first]
    if column.isdecimal() and len(column) < 10 and 1 <= int(column) <= len(names):  # int() refuses thousands of digits
        return int(column) - 1
    folded = [cell.casefold() for cell in names]
    if not column.isdecimal() and options.header != "no" and column.casefold() in folded:
        return names.index(column) if column in names else folded.index(column.casefold())
    close = ", ".join(f"`{cell[:40]}`" for cell in nearest(column, names) or names[:3])
    raise UserError(f"There is no column `{column}` in `{name}`; the nearest are {close}, or give a number from 1 to {len(names)}.")


def _usual(names: list[str], kinds: Iterable[frozenset[str]], *, taken: int | None) -> int:
    free = [index for index in range(len(names)) if index != taken]
    return next((index for kind in kinds for index in free if names[index] in kind), free[0])
