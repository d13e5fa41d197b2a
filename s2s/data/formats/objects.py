"""Tables of JSON objects: .jsonl, one a line, and .json, a list of them. Knows nothing of source and target."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from s2s.config import UserError
from s2s.data.formats import streams
from s2s.data.formats.columns import Column
from s2s.data.formats.streams import Content, Meter
from s2s.data.formats.table import HEAD, Row, Sheet, flat, kind

EXAMPLE = '{"src": "...", "tgt": "..."}'
MEND = f"write one object a line, such as {EXAMPLE}"
NESTED = "translation"  # in many published sets the two texts stand one level down, in a field of this name
BETWEEN = re.compile(r"[\s,]*")
DECODER = json.JSONDecoder()
FAULT = "without a text in both fields"


class Found(NamedTuple):
    """An object and the line it begins at, its `translation` spread out: `translation.en`."""

    line: int
    fields: Mapping[str, Any]


def jsonl(content: Content, meter: Meter) -> Sheet:
    """One JSON object a line."""
    lines = enumerate(streams.lines(content, meter), start=1)
    found = (
        Found(number, _spread(_parsed(content.name, number, line)))
        for number, line in lines
        if line and not line.isspace()
    )
    return _sheet(content.name, found)


def json_(content: Content, meter: Meter) -> Sheet:
    """A list of objects, or objects one after the other; read piece by piece, never as a whole."""
    return _sheet(content.name, _objects(content, meter))


def _parsed(name: str, number: int, line: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
        _check_whole(row, line)
    except (ValueError, RecursionError) as error:
        raise UserError(f"Line {number:,} of `{name}` is not JSON ({error}); {MEND}.") from error
    if not isinstance(row, dict):
        raise UserError(f"Line {number:,} of `{name}` is JSON but no object; {MEND}.")
    return row


def _check_whole(row: Any, line: str) -> None:
    r"""`"\ud800"` is JSON, but half a character: raises UnicodeEncodeError."""
    if "\\u" in line:
        json.dumps(row, ensure_ascii=False).encode()


def _spread(row: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = row.get(NESTED)
    if not isinstance(inner, dict):
        return row
    return {
        **{key: value for key, value in row.items() if key != NESTED},
        **{f"{NESTED}.{key}": value for key, value in inner.items()},
    }


def _objects(content: Content, meter: Meter) -> Iterator[Found]:
    """Each object is cut from the front of what was read; where none is whole yet, more is read, up to the length of a line."""
    rest = ""
    line = 1
    is_open = True
    for text in streams.texts(content, meter):
        rest += text
        if is_open and (stripped := rest.lstrip()):
            line += rest.count("\n", 0, len(rest) - len(stripped))
            rest = stripped.removeprefix("[")
            is_open = False
        found, rest, line = _whole(content.name, rest, line)
        yield from found
        if len(rest) > meter.caps.line:
            what = f"is not JSON, or longer than {streams.format_size(meter.caps.line)}, the limit of one line (`line`)"
            raise UserError(f"The object at line {line:,} of `{content.name}` {what}; {MEND}.")
    end = rest.strip(" \t\n\r,").removeprefix("]").strip()
    if end:
        _parsed(content.name, line, end)
        raise UserError(
            f"More follows the list of objects that ends at line {line:,} of `{content.name}`; give one list."
        )


def _whole(name: str, text: str, line: int) -> tuple[list[Found], str, int]:
    """The objects that end in a text, what stands after them, and its line."""
    found: list[Found] = []
    at = 0
    while True:
        begin = _end(BETWEEN.match(text, at))
        line += text.count("\n", at, begin)
        at = begin
        if not text.startswith("{", at):
            return found, text[at:], line
        try:
            row, end = DECODER.raw_decode(text, at)
            _check_whole(row, text[at:end])
        except UnicodeEncodeError as error:
            raise UserError(
                f"The object at line {line:,} of `{name}` is not JSON ({error}); {MEND}."
            ) from error
        except (ValueError, RecursionError):
            return found, text[at:], line
        found.append(Found(line, _spread(row)))
        line += text.count("\n", at, end)
        at = end


def _end(match: re.Match[str] | None) -> int:
    return match.end() if match else 0


def _sheet(name: str, found: Iterable[Found]) -> Sheet:
    rows = iter(found)
    first = list(itertools.islice(rows, HEAD))
    if not first:
        raise UserError(f"`{name}` is empty; give a file with at least one pair.")
    names = list(dict.fromkeys(key for row in first for key in row.fields))
    columns = tuple(Column(key, kind([row.fields.get(key) for row in first])) for key in names)
    head = tuple(_row(one, names) for one in first)
    narrow = f"Line {first[0].line} of `{name}` has fewer than two fields; write objects such as {EXAMPLE}."
    return Sheet(
        columns,
        head,
        lambda chosen: _chosen(itertools.chain(first, rows), [names[at] for at in chosen]),
        True,
        FAULT,
        narrow,
    )


def _chosen(found: Iterable[Found], names: Sequence[str]) -> Iterator[Row]:
    return (_row(one, names) for one in found)


def _row(found: Found, names: Sequence[str]) -> Row:
    return Row(found.line, [flat(found.fields.get(name)) for name in names])
