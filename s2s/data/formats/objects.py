"""Tables of JSON objects: .jsonl, one per line, and .json, a list or one object. Knows nothing of source and target."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import UserError, is_usable, shortened, unusable
from s2s.data.formats import chats, lists, shapes, streams
from s2s.data.formats.columns import Column, is_language
from s2s.data.formats.made import MadeColumn, extended, with_made
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import (
    HEAD,
    EmptyError,
    Table,
    TableRow,
    are_integers,
    cell,
    check_names,
    checked,
    flat,
    kind,
    read_once,
    suffix,
)

EXAMPLE = '{"src": "...", "tgt": "..."}'
MEND = f"write one object per line, such as {EXAMPLE}"
NESTED = "translation"  # many published datasets nest the two texts in a field of this name
LIST_OF_OBJECTS = re.compile(r"\[\s*(\{|\])")
SPACE = " \t\n\r,"
MOST_WHOLE = 100_000_000  # characters of a JSON text that is parsed as one value
BETWEEN = re.compile(r"[\s,]*")
TYPES = MappingProxyType(
    {int: "numbers", float: "numbers", bool: "true or false", dict: "objects", list: "lists"}
)
NESTING = frozenset({dict, list})


class _RepeatedKeyError(Exception):
    """An object has one key twice; JSON libraries silently keep the last value."""


def _object(items: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(items)
    if len(found) != len(items):
        (key, _), *_ = Counter(key for key, _ in items).most_common(1)
        raise _RepeatedKeyError(key)
    return found


DECODER = json.JSONDecoder(object_pairs_hook=_object)


class JsonRow(NamedTuple):
    """An object and the line where it begins, with `translation` flattened: `translation.en`."""

    line: int
    fields: Mapping[str, Any]


def jsonl(content: Content, budget: ReadingBudget) -> Table:
    """One JSON object per line."""
    lines = enumerate(streams.lines(content, budget), start=1)
    found = (
        JsonRow(number, _flatten(_parsed(content.name, number, line)))
        for number, line in lines
        if line and not line.isspace()
    )
    return _table(content.name, found, budget)


def json_(content: Content, budget: ReadingBudget) -> Table:
    """A list of objects, or a sequence of objects, never in memory as a whole; or one object that holds rows."""
    texts = streams.texts(content, budget)
    start, value = _whole(content.name, texts, budget)
    if value is None:
        return _table(content.name, _objects(content.name, chain([start], texts), budget), budget)
    parts = shapes.splits(value)
    key = content.field or parts.get("train") or next(iter(parts.values()), "")
    if others := [f"`{other}`" for other in parts.values() if other != key]:
        are = (
            f"{', '.join(others)} {'is another split' if len(others) == 1 else 'are other splits'}"
        )
        budget.notes.append(f"Of `{content.name}` this is `{key}`; {are}.")
    rows, note = shapes.shaped(content.name, value[key] if key else value)
    budget.notes += [note] if note else []
    found = (JsonRow(number, _flatten(row)) for number, row in enumerate(rows, start=1))
    return _table(content.name, found, budget, "row")


def splits(content: Content, budget: ReadingBudget) -> Mapping[str, Content]:
    """The contents of a file by split, of which a JSON object may have several: `{"train": [...], "test": [...]}`."""
    if suffix(content.file) == ".json":
        again = ReadingBudget(budget.caps, encoding=budget.wanted, is_preview=budget.is_preview)
        with again as own:  # what is read here is read again
            _, value = _whole(content.name, streams.texts(content, own), own)
        if parts := shapes.splits(value):
            return {split: content._replace(field=key) for split, key in parts.items()}
    return {"train": content}


def _whole(name: str, texts: Iterator[str], budget: ReadingBudget) -> tuple[str, Any]:
    rest = ""
    for text in texts:
        rest = (rest + text).lstrip() if not rest.strip() else rest + text
        if rest and (LIST_OF_OBJECTS.match(rest) or rest[0] not in "{["):
            return rest, None
        if rest.startswith("{") and len(rest) <= budget.caps.line:
            with contextlib.suppress(ValueError, RecursionError, _RepeatedKeyError):
                if rest[DECODER.raw_decode(rest)[1] :].strip(SPACE):
                    return rest, None
        if len(rest) > MOST_WHOLE:
            raise UserError(
                f"`{name}` is one JSON object of more than {streams.format_size(MOST_WHOLE)}; {MEND}."
            )
    try:
        value, end = DECODER.raw_decode(rest)
    except (ValueError, RecursionError, _RepeatedKeyError):
        return rest, None  # whose reading in parts says where it is wrong
    _check_surrogates(value, rest, f"`{name}`")
    return rest, None if rest[end:].strip(SPACE) or not value else shapes.unwrapped(value)


def _parsed(name: str, number: int, line: str) -> Mapping[str, Any]:
    where = f"Line {number:,} of `{name}`"
    try:
        row = DECODER.decode(line)
    except _RepeatedKeyError as error:
        raise _repeated(where, error) from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where} is not JSON ({error}); {MEND}.") from error
    _check_surrogates(row, line, where)
    if not isinstance(row, dict):
        raise UserError(f"{where} is JSON but not an object; {MEND}.")
    return row


def _repeated(where: str, error: _RepeatedKeyError) -> UserError:
    key = shortened(error.args[0], 60)
    return UserError(f"{where} has the key `{key}` twice; give each key a different name.")


def _check_surrogates(row: Any, line: str, where: str) -> None:
    if "\\u" in line:
        text = json.dumps(row, ensure_ascii=False)  # which writes NUL as an escape
        if not is_usable(text):
            raise unusable(text, where)


def _flatten(row: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = {key: row[key] for key in row if row[key].__class__ in NESTING}
    if not inner:
        return row
    for key in inner:
        if (turns := chats.exchanges(key, row[key])) is not row[key]:
            row = {**row, key: turns}
    if chats.is_tree(inner.get(chats.TREE)):
        row = {**row, chats.TREE: (messages := chats.of_tree(inner[chats.TREE]))}
        inner[chats.TREE] = messages
    nested = [key for key, value in inner.items() if key == NESTED or _has_languages(value)]
    spoken = [key for key, value in inner.items() if chats.is_chat(value)]
    if not nested and not spoken:
        return row
    flattened = {key: value for key, value in row.items() if key not in nested}
    for key in spoken:
        flattened |= chats.columns(key, row[key])
    for key in nested:
        flattened |= _fields(key, row[key])
    return flattened


def _has_languages(value: Any) -> bool:
    """Whether a value is a text in several languages, `{"en": ..., "de": ...}`, or a list of these."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and len(first) >= 2 and all(map(is_language, first))


def _fields(name: str, value: Any) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return {f"{name}.{key}": inner for key, inner in value.items()}
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return {name: value}
    keys = dict.fromkeys(key for each in value for key in each)
    return {f"{name}.{key}": [each.get(key) or "" for each in value] for key in keys}


def _objects(name: str, texts: Iterable[str], budget: ReadingBudget) -> Iterator[JsonRow]:
    rest = ""
    line = 1
    closing = ""
    is_open = True
    for text in texts:
        rest += text
        if is_open and (stripped := rest.lstrip()):
            line += rest.count("\n", 0, len(rest) - len(stripped))
            closing = "]" if stripped.startswith("[") else ""
            rest = stripped.removeprefix("[")
            is_open = False
        found, rest, line = _complete_objects(name, rest, line)
        yield from found
        if len(rest) > budget.caps.line:
            limit = streams.format_size(budget.caps.line)
            what = f"is not JSON, or longer than {limit}, the limit of one line (`line`)"
            raise UserError(f"The object at line {line:,} of `{name}` {what}; {MEND}.")
    rest = rest.strip(SPACE)
    if end := rest.removeprefix("]").strip():
        _parsed(name, line, end)
        raise UserError(
            f"More follows the list of objects that ends at line {line:,} of `{name}`; give one list."
        )
    if not rest.startswith(closing):
        raise UserError(
            f"The list of objects of `{name}` has no end after line {line:,}: the file is truncated; give the"
            " whole file."
        )


def _complete_objects(name: str, text: str, line: int) -> tuple[list[JsonRow], str, int]:
    found: list[JsonRow] = []
    at = 0
    while True:
        begin = _end(BETWEEN.match(text, at))
        line += text.count("\n", at, begin)
        at = begin
        if not text.startswith("{", at):
            return found, text[at:], line
        where = f"The object at line {line:,} of `{name}`"
        try:
            row, end = DECODER.raw_decode(text, at)
        except _RepeatedKeyError as error:
            raise _repeated(where, error) from error
        except (ValueError, RecursionError):
            return found, text[at:], line
        _check_surrogates(row, text[at:end], where)
        found.append(JsonRow(line, _flatten(row)))
        line += text.count("\n", at, end)
        at = end


def _end(match: re.Match[str] | None) -> int:
    return match.end() if match else 0


def _table(name: str, found: Iterable[JsonRow], budget: ReadingBudget, unit: str = "line") -> Table:
    rows = iter(found)
    first = list[JsonRow]()
    known = dict[str, None]()
    for row in itertools.islice(rows, HEAD):
        first.append(row)
        known.update(dict.fromkeys(row.fields))
        budget.check_columns(name, len(known))
    if not first:
        raise EmptyError(f"`{name}` is empty; give a file with at least one pair.")
    names = list(known)
    check_names(names, f"`{name}`")
    columns = tuple(_column(key, [row.fields.get(key) for row in first]) for key in names)
    where = f"{unit.capitalize()} {first[0].line} of `{name}`"
    too_narrow = f"{where} has fewer than two fields; write objects such as {EXAMPLE}."
    if len(columns) == 1 and columns[0].type:
        too_narrow = (
            f"`{names[0][:60]}`, the only field of `{name}`, holds {columns[0].type} and no text; write objects such as"
            f" {EXAMPLE}, or chats of messages with `role` and `content`."
        )

    def picked(found: Iterable[JsonRow], chosen: Sequence[int]) -> Iterator[TableRow]:
        keys = [names[at] for at in chosen]
        for line, fields in found:
            yield TableRow(line, [cell(fields.get(key)) for key in keys])

    head, read = read_once(first, rows, len(names), picked)
    table = Table(
        columns,
        head,
        lambda chosen: checked(read(chosen), name, unit),
        too_narrow=too_narrow,
        unit=unit,
    )
    return extended(unfolded(table))


def _column(name: str, values: Sequence[Any]) -> Column:
    found = kind(values)
    known = next((value for value in values if value is not None), None)
    of = int if are_integers(known) else type(known)
    return Column(name, found, TYPES.get(of, "") if found == "other" else "")


def unfolded(table: Table) -> Table:
    """The table with what JSON in its cells holds: lists of texts, chats, or a text in several languages."""
    rows = table.first_fields()
    stored = [MadeColumn(column, (at,)) for at, column in enumerate(table.columns)]
    others = list[MadeColumn]()
    for at, known in enumerate(table.columns):
        name = known.name.strip()
        inner = _inner_columns(name, [row[at] for row in rows]) if known.kind == "text" else []
        for column in inner:
            part = MadeColumn(column, (at,), partial(_inner_text, column.name))
            if column.name == name:
                stored[at] = part
            else:
                stored[at] = MadeColumn(Column(known.name, "other", "objects"), (at,))
                others.append(part)
    is_stored = not others and all(part.make is None for part in stored)
    return table if is_stored else with_made(table, [*stored, *others])


def _inner_text(key: str, text: str | None) -> str | None:
    """A column's text in the JSON of a cell, `key` naming the column; `key` itself for the header above it."""
    if not text:
        return text
    outer = key.rpartition(".")[0]
    if (value := lists.parsed(text)) is None:
        return key if text.strip() == outer else None if outer else text
    return cell(_flatten({outer or key: value}).get(key))


def _inner_columns(name: str, cells: Sequence[str | None]) -> list[Column]:
    given = [text for text in cells if text and not text.isspace()]
    if not given or not all(text.lstrip().startswith(("{", "[")) for text in given):
        return []
    values = [value for text in given if (value := lists.parsed(text)) != []]
    rows = [_flatten({name: value}) for value in values]
    if rows and all(row.keys() == {name} and flat(row[name]) for row in rows):
        return [Column(name, "texts")]
    if any(row.keys() == {name} for row in rows):
        return []
    names = dict.fromkeys(key for row in rows for key in row if key != name)
    return [_column(key, [row.get(key) for row in rows]) for key in names]
