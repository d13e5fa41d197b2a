"""The rows of a JSON text that is read as a whole: one object of rows, columns or splits, or a list of lists.

Knows nothing of files and of source and target but their usual names.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import UserError, shortened
from s2s.data.formats.chats import is_chat
from s2s.data.formats.column_names import LANGUAGES
from s2s.data.formats.columns import Column, guess, is_language

SPLITS: Mapping[str, str] = MappingProxyType(
    {
        "train": "train",
        "training": "train",
        "valid": "valid",
        "validation": "valid",
        "val": "valid",
        "dev": "valid",
        "test": "test",
    }
)
HOLDERS = frozenset("data rows examples records items pairs entries instances sentences".split())
HEADS = ("columns", "header", "column_names", "fields")
MOST_FIELDS = 20  # of one row of texts; more are the entries of a dictionary
MIN_ENTRIES = 3  # of texts and lists of texts that make a dictionary
MIN_SCORE = 0.6  # of a guess by two names that makes them columns
QUESTIONS = "Each question on a paragraph is a row, with its first answer."
MEND = 'write a list of objects, such as [{"src": "...", "tgt": "..."}], in pandas orient="records"'
Row = Mapping[str, Any]


class Shaped(NamedTuple):
    """The rows in a JSON value, and a sentence on how they were found; empty for one row."""

    rows: Sequence[Row]
    note: str


def splits(value: Any) -> dict[str, str]:
    """The key of each split of an object whose rows are in fields named after splits; nothing for any other."""
    if not isinstance(value, Mapping):
        return {}
    found = dict[str, str]()
    for key, inner in value.items():
        split = SPLITS.get(key.strip().casefold(), "")
        if split and isinstance(inner, list | Mapping) and not _is_list_of_texts(inner):
            if split in found:
                raise UserError(
                    f"`{found[split]}` and `{shortened(key, 60)}` are both the split {split}; leave one out."
                )
            found[split] = key
    return found


def unwrapped(value: Any) -> Any:
    """The splits that are one field of an object, `{"data": {"train": [...]}}`; any other value as it is."""
    if not isinstance(value, Mapping) or splits(value):
        return value
    objects = [inner for inner in value.values() if isinstance(inner, Mapping) and splits(inner)]
    return objects[0] if len(objects) == 1 else value


def shaped(name: str, value: Any) -> Shaped:
    """The rows in a JSON value. Raises UserError, which says what to write instead, where it may mean several."""
    rows, note = _rows(name, value)
    asked = [row for article in rows for row in _questions(article)]
    return Shaped(asked, f"{note} {QUESTIONS}".lstrip()) if asked else Shaped(rows, note)


def _questions(article: Row) -> Iterator[Row]:
    for paragraph in _objects(article, "paragraphs"):
        for asked in _objects(paragraph, "qas"):
            answers = [each.get("text") for each in _objects(asked, "answers")]
            context, question = paragraph.get("context"), asked.get("question")
            yield {"question": question, "context": context, "answer": next(iter(answers), None)}


def _objects(of: Row, key: str) -> list[Row]:
    listed = of.get(key)
    return (
        [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    )


def _rows(name: str, value: Any) -> Shaped:
    if isinstance(value, list):
        return Shaped(_listed(name, value), "")
    if not isinstance(value, Mapping):
        raise UserError(f"`{name}` is JSON, but neither a list nor an object; {MEND}.")
    if (found := _held(name, value)) or (found := _columns(name, value)):
        return found
    if set(value) != {"translation"} and all(isinstance(each, Mapping) for each in value.values()):
        return _labelled(name, value)
    return _dictionary(value) or Shaped([value], "")


def _held(name: str, value: Row) -> Shaped | None:
    """The rows in one field of an object: `{"version": "1", "data": [...]}`."""
    rows = {key: inner for key, inner in value.items() if _is_rows(inner)}
    lengths = [len(inner) for inner in value.values() if isinstance(inner, list)]
    if (
        len(lengths) > 1
        and len(set(lengths)) == 1
        and _is_list_of_lists(next(iter(rows.values()), 0))
    ):
        return None  # columns, some of lists
    known = [key for key in rows if key.strip().casefold() in HOLDERS]
    if len(rows) > 1 and len(known) != 1:
        if all(isinstance(each, list) for inner in rows.values() for each in inner):
            return None  # columns of lists
        listed = shortened(", ".join(rows), 90)
        raise UserError(
            f"`{name}` has several lists of rows ({listed}); name them train, valid and test, or give one of them."
        )
    if rows:
        key = known[0] if known else next(iter(rows))
        if not known and _is_pair_of_names([other for other in value if other != key]):
            return None  # one row, one of whose fields is a list
        heads = (value[head] for head in HEADS if _is_list_of_texts(value.get(head)))
        return Shaped(_listed(name, rows[key], next(heads, ())), _held_note(key, value))
    objects = [key for key, inner in value.items() if isinstance(inner, Mapping)]
    nested = [
        key
        for key in objects
        if any(isinstance(each, list | Mapping) for each in value[key].values())
    ]
    if len(objects) > 1:
        nested = [key for key in nested if key.strip().casefold() in HOLDERS]
    if len(nested) == 1:
        inner_rows, _ = shaped(name, value[nested[0]])
        return Shaped(inner_rows, _held_note(nested[0], value))
    return None


def _held_note(key: str, value: Row) -> str:
    left = _not_read(value, {key, "schema", "index", *HEADS})
    return f"The rows are those in the field `{shortened(key, 60)}` of one object{left}."


def _is_rows(value: Any) -> bool:
    if not isinstance(value, list) or not value or is_chat(value):
        return False
    return all(isinstance(each, Mapping) for each in value) or all(
        isinstance(each, list) for each in value
    )


def _is_list_of_lists(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(each, list) for each in value)


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


def _listed(name: str, rows: Sequence[Any], names: Sequence[str] = ()) -> list[Row]:
    if is_chat(rows):
        return [{"messages": rows}]
    if all(isinstance(row, Mapping) for row in rows):
        inner = [row.get("row") for row in rows]  # as an API of the Hub answers
        return inner if all(isinstance(row, Mapping) for row in inner) else list(rows)
    if all(isinstance(row, str) for row in rows):
        return [{"text": row} for row in rows]
    if not all(isinstance(row, list) for row in rows):
        raise UserError(f"`{name}` has rows of several kinds in one list; {MEND}.")
    if all(map(is_chat, rows)):
        return [{"messages": row} for row in rows]
    first = rows[0]
    if not names and _is_list_of_texts(first) and _is_pair_of_names(first):
        names, rows = first, rows[1:]
    width = len(names) or len(first)
    if uneven := next((at for at, row in enumerate(rows, 1) if len(row) != width), 0):
        raise UserError(
            f"Row {uneven:,} of `{name}` has {len(rows[uneven - 1])} fields, and there are {width} columns; make"
            " them equal."
        )
    names = [str(each) for each in names] or [str(at) for at in range(1, width + 1)]
    return [dict(zip(names, row, strict=True)) for row in rows]


def _columns(name: str, value: Row) -> Shaped | None:
    """Columns of texts by position: `{"en": [...], "de": [...]}`."""
    lists = {key: inner for key, inner in value.items() if isinstance(inner, list)}
    texts = [key for key, inner in lists.items() if not is_chat(inner)]
    is_certain = len(lists) == len(value) or (len(texts) > 1 and _is_pair_of_names(texts))
    if not texts or not is_certain or len(texts) < len(lists):
        return None
    lengths = {key: len(inner) for key, inner in lists.items()}
    width = next(iter(lengths.values()))
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"`{key}` {n:,}" for key, n in lengths.items())
        raise UserError(
            f"`{name}` has lists of different lengths ({shortened(shown)}), but text N of one must belong to text N of"
            " the other; make them equal."
        )
    if len(lists) > width and not _is_pair_of_names(texts):  # {"id1": ["source", "target"], ...}
        return Shaped(_listed(name, list(lists.values())), "Each field of one object is a row.")
    rows = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    left = _not_read(value, lists)
    return Shaped(
        rows,
        f"The fields of one object are columns: their texts belong together by position{left}.",
    )


def _not_read(value: Row, read: Container[str]) -> str:
    others = [f"`{shortened(other, 30)}`" for other in value if other not in read]
    return f"; not read: {', '.join(others[:4])}" if others else ""


def _labelled(name: str, value: Mapping[str, Row]) -> Shaped:
    outer = list(value)
    inner = list(dict.fromkeys(key for each in value.values() for key in each))
    if not inner:
        raise UserError(f"`{name}` is an object of empty objects; {MEND}.")
    by_label = _are_columns(outer) - _are_columns(inner) or _are_labels(inner) - _are_labels(outer)
    by_label = by_label or (len(inner) > 2 >= len(outer)) - (len(outer) > 2 >= len(inner))
    if by_label < 0:
        return Shaped(
            list(value.values()),
            'Each field of one object is a row, as in orient="index" of pandas.',
        )
    if by_label == 0:
        raise UserError(
            f"`{name}` is an object of objects, and neither level's names are those of a source and a target; {MEND}."
        )
    rows = [{key: of.get(label) for key, of in value.items()} for label in inner]
    return Shaped(
        rows,
        'The fields of one object are columns, as in orient="columns" of pandas: texts with one label belong together.',
    )


def _are_columns(names: Sequence[str]) -> bool:
    return _is_pair_of_names(names)


def _are_labels(names: Sequence[str]) -> bool:
    return all(name.strip().isdecimal() for name in names)


def _is_pair_of_names(names: Sequence[str]) -> bool:
    if any(name in ("translation", "messages", "conversations") for name in names):
        return True
    found = guess([Column(name, "text") for name in names[:1000]])
    return bool(found) and found[0].score >= MIN_SCORE


def _dictionary(value: Row) -> Shaped | None:
    """A text for each text: `{"the house": "das Haus", ...}`; one column where the keys are numbers."""
    if not value or not all(
        isinstance(inner, str) or _is_list_of_texts(inner) for inner in value.values()
    ):
        return None
    has_lists = any(isinstance(inner, list) for inner in value.values())
    if has_lists and len(value) < MIN_ENTRIES:
        return None
    if len(value) <= MOST_FIELDS and (
        _is_pair_of_names(list(value))
        or all(is_language(key) or key.casefold() in LANGUAGES for key in value)
    ):
        return None
    if _are_labels(list(value)):
        return Shaped(
            [{"text": text} for text in value.values()], "Each field of one object is a text."
        )
    target = "references" if has_lists else "value"
    rows = [{"key": key, target: text} for key, text in value.items()]
    return Shaped(rows, "Each field of one object is a pair: its name and its text.")
