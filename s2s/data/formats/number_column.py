"""One number per row: a text file, or one column of a table. Knows nothing of what the numbers mean."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from s2s.config import UserError, nearest, shortened
from s2s.data.formats import streams, tables
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.options import Caps
from s2s.files import archives

LARGEST = 1e9  # a mean of larger numbers may overflow, and no score has them
NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?", re.IGNORECASE | re.ASCII)
DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+", re.ASCII)
SEVERAL = re.compile(r"[\s,;|]+")  # between the numbers of several columns
MISSING = frozenset(
    {"", "nan", "inf", "-inf", "none", "null", "na", "n/a", "-"}
)  # no column's name
DELIMITED = (".tsv", ".csv")
JSONL = ".jsonl"
TEXT = ".txt"
NUMBER_FILES = (TEXT, *DELIMITED, JSONL)
QUOTED = 60  # characters of a cell in an error
MOST_COLUMNS = 100
JUDGED = 1000  # rows by which the column of numbers is found
SECONDS = 30.0


class Cells(NamedTuple):
    """The rows of a file with their line numbers, from 1, and the names of the columns where the format has them."""

    rows: Sequence[tuple[int, Sequence[Any] | None]]
    names: Sequence[str] = ()


def read_numbers(name: str, content: bytes, column: str = "", *, most: int) -> list[float]:
    """The numbers of a .txt, .tsv, .csv or .jsonl file, one per row. `column`: a name, or a number from 1; by default
    the only column of numbers. A table may have a first row of names.

    Raises UserError for more than `most` rows, several columns, and what is no finite number, with its line.
    """
    kind = f".{name.lower().rpartition('.')[2]}"
    if kind not in NUMBER_FILES:
        raise UserError(
            f"`{shortened(name)}` is not a file of scores; give {', '.join(NUMBER_FILES[:-1])} or {JSONL}."
        )
    given = streams.in_memory(name, content)
    with ReadingBudget(Caps(seconds=SECONDS)) as budget:
        cells = _limited(given.name, _cells(given, kind, budget, most + 2), most)
    if kind == TEXT:
        _check_one_column(given.name, cells)
    at = 0 if kind == TEXT else _column_index(given.name, cells, column)
    body = cells.rows[1:] if kind in DELIMITED and _is_header(cells, at) else cells.rows
    return [_number_at(given.name, line, row, at) for line, row in body]


def _cells(given: Content, kind: str, budget: ReadingBudget, most: int) -> Cells:
    if kind == TEXT:
        lines = list(islice(streams.lines(given, budget), most))
        while lines and not lines[-1].strip():
            lines.pop()
        return Cells([(number, [line]) for number, line in enumerate(lines, 1)])
    if kind == JSONL:
        return _objects(given, budget, most)
    table = tables.opened(given, budget)
    _check_width(given.name, len(table.columns))
    rows = table.rows(range(len(table.columns)))
    return Cells([(row.number, row.fields) for row in islice(rows, most)])


def _objects(given: Content, budget: ReadingBudget, most: int) -> Cells:
    found = list[tuple[int, Mapping[str, Any]]]()
    names = dict[str, None]()
    for line, row in islice(_parsed(given, budget), most):
        found.append((line, row))
        names.update(dict.fromkeys(row))
        _check_width(given.name, len(names))
    return Cells([(line, [row.get(name) for name in names]) for line, row in found], tuple(names))


def _check_width(name: str, n: int) -> None:
    if n > MOST_COLUMNS:
        raise UserError(
            f"`{name}` has more than {MOST_COLUMNS} columns; give a table with the column of the scores only."
        )


def _parsed(given: Content, budget: ReadingBudget) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(streams.lines(given, budget), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(
                f"Line {number:,} of `{given.name}` is not JSON ({archives.why(error)}); write one object per line,"
                ' such as {"score": 0.83}.'
            ) from error
        if not isinstance(row, dict):
            raise UserError(
                f"Line {number:,} of `{given.name}` is JSON but not an object; write one object per line, such as"
                ' {"score": 0.83}.'
            )
        yield number, row


def _limited(name: str, cells: Cells, most: int) -> Cells:
    if not cells.rows:
        raise UserError(f"`{name}` is empty; give one number per line.")
    if len(cells.rows) > most + 1:  # one of them may hold names
        raise UserError(f"`{name}` has more than {most:,} rows; give one number per sentence.")
    return cells


def _check_one_column(name: str, cells: Cells) -> None:
    for line, row in cells.rows:
        text = str((row or [""])[0]).strip()
        parts = SEVERAL.split(text)
        if (
            len(parts) > 1
            and not DECIMAL_COMMA.fullmatch(text)
            and any(_number(part) is not None for part in parts)
        ):
            raise UserError(
                f"Line {line:,} of `{name}` has {len(parts)} columns (`{shortened(text, QUOTED)}`); give one number per"
                " line, or a .tsv or .csv table and the name of its column."
            )


def _column_index(name: str, cells: Cells, column: str) -> int:
    names = list(cells.names) or [str(cell).strip() for cell in cells.rows[0][1] or ()]
    return _named(name, names, column) if column.strip() else _only_column(name, cells, names)


def _is_header(cells: Cells, at: int) -> bool:
    name = str((cells.rows[0][1] or ())[at]).strip()
    return not NUMBER.fullmatch(name) and name.casefold() not in MISSING


def _named(name: str, names: Sequence[str], column: str) -> int:
    column = column.strip()
    if column.isdecimal() and len(column) < 10 and 1 <= int(column) <= len(names):
        return int(column) - 1
    folded = [one.casefold() for one in names]
    if column.casefold() in folded:
        return folded.index(column.casefold())
    known = [shortened(one, QUOTED) for one in names]
    listed = ", ".join(f"`{one}`" for one in nearest(shortened(column), known) or known[:3])
    raise UserError(
        f"There is no column `{shortened(column)}` in `{name}`; the nearest are {listed}, or give a number from 1 to"
        f" {len(names)}."
    )


def _only_column(name: str, cells: Cells, names: Sequence[str]) -> int:
    if len(names) == 1:
        return 0
    rows = [row for _, row in cells.rows[:JUDGED] if row is not None]
    body = rows if cells.names or len(rows) == 1 else rows[1:]  # row 1 may hold names
    found = [
        at for at in range(len(names)) if 2 * sum(_is_number(row, at) for row in body) > len(body)
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UserError(
            f"`{name}` has {len(names)} columns, and none of numbers; name the column of the scores."
        )
    is_data = not cells.names and all(_number(names[at]) is not None for at in found)
    listed = ", ".join(
        str(at + 1) if is_data else f"`{shortened(names[at], QUOTED)}`" for at in found[:5]
    )
    raise UserError(
        f"`{name}` has {len(found)} columns of numbers ({listed}), and one is needed; say which in the field Column."
    )


def _is_number(row: Sequence[Any], at: int) -> bool:
    return _number(row[at]) is not None


def _number_at(name: str, line: int, row: Sequence[Any] | None, at: int) -> float:
    if row is None:
        raise UserError(
            f"Line {line:,} of `{name}` has another number of columns than line 1; give each line the same columns."
        )
    if (found := _number(row[at])) is not None:
        return found
    text = "" if row[at] is None else str(row[at]).strip()
    if not text:
        raise UserError(
            f"Line {line:,} of `{name}` has no score; give one number for each sentence."
        )
    if DECIMAL_COMMA.fullmatch(text):
        raise UserError(
            f"Line {line:,} of `{name}` is `{shortened(text, QUOTED)}`; write a decimal point instead of the comma."
        )
    raise UserError(
        f"Line {line:,} of `{name}` is `{shortened(text, QUOTED)}`; a score is a number from {-LARGEST:,.0f} to"
        f" {LARGEST:,.0f}, such as 0.83. Correct that line."
    )


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool) or not NUMBER.fullmatch(text := str(cell).strip()):
        return None
    value = float(text)
    return value if abs(value) <= LARGEST else None
