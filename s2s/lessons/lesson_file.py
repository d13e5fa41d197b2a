"""A lesson as one JSON file, format 1, and back; a file is anybody's, so it is read strictly.

A view is written as a link within this program: `/attention?run=demo-en-fr&src=the+cat`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from s2s.config import UserError, nearest, shortened
from s2s.data import opening
from s2s.lessons.answers import ANSWERS, CONDITIONS, RUN_CONDITIONS
from s2s.lessons.lesson import Lesson, Step, View
from s2s.lessons.question import (
    ChoiceQuestion,
    HeadQuestion,
    Mistake,
    NumberQuestion,
    Question,
    RunQuestion,
    SentenceQuestion,
)
from s2s.links import share

FORMAT = 1
MOST_BYTES = 300_000
Made = TypeVar("Made")
Read = Callable[[Any, str], Any]  # a value and what it is called; raises UserError


class Kind(NamedTuple):
    """A kind of question: its class, and how each of its fields is read."""

    make: Callable[..., Question]
    fields: Mapping[str, Read]
    optional: frozenset[str] = frozenset({"hint", "unit", "example", "mistakes"})


def to_json(lesson: Lesson) -> dict[str, Any]:
    """The lesson as plain dicts, without its id: who reads the file gives it one."""
    return {
        "format": FORMAT,
        "title": lesson.title,
        "summary": lesson.summary,
        "minutes": lesson.minutes,
        "steps": [_step_to_json(step) for step in lesson.steps],
    }


def write(lesson: Lesson) -> str:
    """The lesson as the text of a file."""
    return json.dumps(to_json(lesson), ensure_ascii=False, indent=2) + "\n"


def read(name: str, content: bytes, *, pages: Collection[str]) -> Lesson:
    """The lesson in a file that somebody brings; `pages` are the addresses of the pages that there are.

    Raises UserError for what is no lesson, is of a newer version, or shows what cannot be shown here.
    """
    if len(content) > MOST_BYTES:
        raise UserError(
            f"The file has {len(content):,} bytes; a lesson has at most {MOST_BYTES:,}."
        )
    (found,) = opening.opened(opening.parsed, [(name, content)])
    if not found:
        raise UserError(
            "The file is not JSON; give a lesson that was exported on the page Lessons."
        )
    return from_json(found[0], id="imported", pages=pages)


def from_json(found: Any, *, id: str, pages: Collection[str] | None = None) -> Lesson:
    """A lesson from what `to_json` returns; without `pages`, any address is taken. Raises UserError as `read` does."""
    if not isinstance(found, dict) or not isinstance(version := found.get("format"), int):
        raise UserError(
            "The file is no lesson: it has no `format`; give one that was exported on the page Lessons."
        )
    if version > FORMAT:
        raise UserError(
            f"The lesson has format {version}, newer than the {FORMAT} known here; update this program, or ask for the"
            " lesson in the older format."
        )
    fields: dict[str, Read] = {
        "format": _whole,
        "title": _text,
        "summary": _text,
        "minutes": _whole,
        "steps": _several(lambda step, name: _step(step, name, pages)),
    }
    try:
        values = _record(found, "lesson", fields)
        del values["format"]
        return Lesson(id=id, **values)
    except UserError as error:  # which may quote the file
        raise UserError(share.printable(str(error))) from error


def _step_to_json(step: Step) -> dict[str, Any]:
    written: dict[str, Any] = {"title": step.title, "note": step.note, "view": link(step.view)}
    if step.hidden:
        written["hidden"] = list(step.hidden)
    if step.question:
        written["question"] = _question_to_json(step.question)
    return written


def _question_to_json(question: Question) -> dict[str, Any]:
    name = next(name for name, kind in KINDS.items() if isinstance(question, kind.make))  # type: ignore[arg-type]
    values = {field: getattr(question, field) for field in KINDS[name].fields}
    if mistakes := values.get("mistakes"):
        values["mistakes"] = [mistake._asdict() for mistake in mistakes]
    kept = {field: value for field, value in values.items() if value not in ("", ())}
    return {"type": name, **kept}


def link(view: View) -> str:
    """The view as a link within this program.

    >>> link(View("attention", {"src": "the cat"}))
    '/attention?src=the+cat'
    """
    query = urlencode([(key, view.values[key]) for key in share.KEYS if key in view.values])
    return f"/{view.page}?{query}" if query else f"/{view.page}"


def view_of(written: str, pages: Collection[str] | None = None) -> View:
    """The view that a link within this program opens. Raises UserError for one to another server, or to no page."""
    try:
        address = urlsplit(written)
        values = dict(parse_qsl(address.query, keep_blank_values=True, max_num_fields=100))
    except ValueError:
        address, values = urlsplit("//"), {}
    if address.scheme or address.netloc or address.fragment or not written.startswith("/"):
        raise UserError(
            f"`{shortened(share.printable(written), 60)}` is no link within this program; give one such as"
            " `/attention?src=the+cat`, without a server's name."
        )
    page = address.path[1:]
    if pages is not None and page not in pages:
        close = nearest(page, filter(None, pages), 1)
        meant = f"; perhaps `/{close[0]}` is meant" if close else ""
        raise UserError(
            f"There is no page `/{shortened(share.printable(page), 40)}` here (any more){meant}."
        )
    values.pop("v", None)
    return View(page, values)


def _step(found: Any, name: str, pages: Collection[str] | None) -> Step:
    fields: dict[str, Read] = {
        "title": _text,
        "note": _text,
        "view": lambda written, name: _of(name, lambda: view_of(_text(written, name), pages)),
        "hidden": _several(_text),
        "question": _question,
    }
    values = _record(found, name, fields, optional=frozenset({"hidden", "question"}))
    return _of(name, lambda: Step(**values))


def _question(found: Any, name: str) -> Question:
    if not isinstance(found, dict) or str(found.get("type")) not in KINDS:
        raise UserError(f"{name} is of no type that there is; `type` is one of {', '.join(KINDS)}.")
    kind = KINDS[str(found["type"])]
    rest = {key: value for key, value in found.items() if key != "type"}
    values = _record(rest, name, kind.fields, optional=kind.optional)
    return _of(name, lambda: kind.make(**values))


def _record(
    found: Any,
    name: str,
    fields: Mapping[str, Read],
    *,
    optional: Collection[str] = (),
) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise UserError(f"{name} is {_quoted(found)}; give a group of {', '.join(fields)}.")
    if unknown := [key for key in found if key not in fields]:
        raise UserError(
            f"{name} has the unknown `{shortened(share.printable(unknown[0]), 40)}`; it has {', '.join(fields)}."
        )
    if missing := [key for key in fields if key not in found and key not in optional]:
        raise UserError(f"{name} has no `{missing[0]}`; add it.")
    return {key: fields[key](value, f"{name}, {key}") for key, value in found.items()}


def _of(name: str, make: Callable[[], Made]) -> Made:
    try:
        return make()
    except UserError as error:
        raise UserError(f"{name}: {error}") from error


def _text(found: Any, name: str) -> str:
    if not isinstance(found, str) or "\x00" in found:
        raise UserError(f"{name} is {_quoted(found)}; give a text.")
    return found


def _whole(found: Any, name: str) -> int:
    if not isinstance(found, int) or isinstance(found, bool) or abs(found) > 10**9:
        raise UserError(f"{name} is {_quoted(found)}; give a whole number.")
    return found


def _number(found: Any, name: str) -> float:
    if not isinstance(found, (int, float)) or isinstance(found, bool) or not math.isfinite(found):
        raise UserError(f"{name} is {_quoted(found)}; give a number.")
    return found


def _several(read_one: Read) -> Read:
    def read_all(found: Any, name: str) -> tuple[Any, ...]:
        if not isinstance(found, (list, tuple)) or len(found) > 100:
            raise UserError(f"{name} is {_quoted(found)}; give a list.")
        return tuple(
            read_one(value, f"{name.removesuffix('s')} {number}")
            for number, value in enumerate(found, 1)
        )

    return read_all


def _row_of(table: Mapping[str, object]) -> Read:
    def read_name(found: Any, name: str) -> str:
        text = _text(found, name)
        if text not in table:
            close = ", ".join(f"`{each}`" for each in nearest(text, table) or [*table][:3])
            raise UserError(
                f"{name}: there is no `{shortened(text, 40)}`; the nearest are {close}."
            )
        return text

    return read_name


def _row_or(read_plain: Read) -> Read:
    read_name = _row_of(ANSWERS)
    return lambda found, name: (read_name if isinstance(found, str) else read_plain)(found, name)


def _head(found: Any, name: str) -> tuple[int, ...]:
    pair: tuple[int, ...] = _several(_whole)(found, name)
    if len(pair) != 2 or min(pair) < 1:
        raise UserError(f"{name} is {_quoted(found)}; give a layer and a head, each from 1.")
    return pair


def _mistakes(read_given: Read) -> Read:
    fields: dict[str, Read] = {"given": _several(read_given), "why": _text}
    return _several(lambda found, name: Mistake(**_record(found, name, fields)))


def _quoted(found: Any) -> str:
    return f"`{shortened(share.printable(json.dumps(found, ensure_ascii=False, default=str)), 40)}`"


_TEXTS: Mapping[str, Read] = {"prompt": _text, "hint": _text}
KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "number": Kind(
            NumberQuestion,
            {
                **_TEXTS,
                "answer": _row_or(_number),
                "tolerance": _number,
                "unit": _text,
                "mistakes": _mistakes(_number),
            },
        ),
        "choice": Kind(
            ChoiceQuestion,
            {
                **_TEXTS,
                "options": _several(_text),
                "answer": _row_or(_whole),
                "why": _several(_text),
            },
        ),
        "head": Kind(
            HeadQuestion,
            {
                **_TEXTS,
                "kind": _text,
                "answer": _row_or(_several(_head)),
                "mistakes": _mistakes(_head),
            },
        ),
        "sentence": Kind(
            SentenceQuestion, {**_TEXTS, "condition": _row_of(CONDITIONS), "example": _text}
        ),
        "run": Kind(RunQuestion, {**_TEXTS, "condition": _row_of(RUN_CONDITIONS)}),
    }
)
