"""A lesson as a file, and what is refused."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from s2s.config import UserError
from s2s.lessons import EXERCISES, LESSONS, View, lesson_file, shipped
from s2s.lessons.lesson_file import from_json, link, read, to_json, view_of, write
from tests.screen import PAGES

ROWS = [*LESSONS.values(), *EXERCISES.values()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_shipped_file_is_what_the_page_exports(row: Any) -> None:
    file = (shipped.FOLDER / f"{row.id}.json").read_text()
    assert from_json(json.loads(file), id=row.id, pages=PAGES) == row
    assert write(row) == file


def test_every_shipped_file_is_listed() -> None:
    assert {path.stem for path in shipped.FOLDER.glob("*.json")} == {row.id for row in ROWS}


def test_a_view_is_a_link_within_the_program() -> None:
    view = View("attention", {"run": "demo-en-fr", "src": "a & b", "set": "view:lines"})
    assert link(view) == "/attention?run=demo-en-fr&src=a+%26+b&set=view%3Alines"
    assert view_of(link(view), PAGES) == view
    assert view_of("/?v=1&src=", PAGES) == View("", {"src": ""})


def changed(change: Callable[[Any], object]) -> Any:
    """Lesson 1 as JSON, its first step with a number to find, and with a change."""
    found = json.loads(json.dumps(to_json(LESSONS["five-minutes"])))
    asked = {"type": "number", "prompt": "How many?", "answer": "output_tokens", "tolerance": 0}
    found["steps"][0]["question"] = asked
    change(found)
    return found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda it: it.update(format=2), "format 2, newer than the 1 known here; update"),
        (lambda it: it.pop("format"), "no lesson: it has no `format`"),
        (lambda it: it.pop("title"), "lesson has no `title`; add it"),
        (lambda it: it.update(owner="ann"), "unknown `owner`"),
        (lambda it: it.update(minutes="5"), 'minutes is `"5"`; give a whole number'),
        (lambda it: it.update(steps=[]), "0 steps"),
        (lambda it: it.update(steps={}), "steps is `{}`; give a list"),
        (lambda it: it["steps"][1].update(view="https://example.org/attention"), "no link within"),
        (
            lambda it: it["steps"][1].update(view="//example.org/"),
            "step 2, view: .*no link within",
        ),
        (lambda it: it["steps"][1].update(view="/\\example.org"), "There is no page"),
        (lambda it: it["steps"][1].update(view="javascript:alert(1)"), "no link within"),
        (lambda it: it["steps"][1].update(view="/atention?src=a"), "perhaps `/attention` is meant"),
        (lambda it: it["steps"][1].update(view="/?lesson=x.1"), "No view has the value `lesson`"),
        (lambda it: it["steps"][1].update(note="<script>x</script>"), "step 2: A note has HTML"),
        (lambda it: it["steps"][1].update(note="[x](y)"), "A note has a link"),
        (lambda it: it["steps"][1].update(hidden=["x;} body{"]), "No control is called"),
        (lambda it: it["steps"][0]["question"].update(type="essay"), "one of number, choice"),
        (lambda it: it["steps"][0]["question"].update(type=["number"]), "one of number, choice"),
        (lambda it: it["steps"][1].update(hidden=["\u202e<b>"]), "No control is called `<b>`"),
        (lambda it: it["steps"][0]["question"].update(answer="outputtokens"), "`output_tokens`"),
        (lambda it: it["steps"][0]["question"].update(answer=True), "give a number"),
        (lambda it: it["steps"][0]["question"].update(tolerance=1e999), "give a number"),
        (lambda it: it["steps"][1]["question"].update(condition="x"), "there is no `x`"),
        (lambda it: it["steps"][2]["question"].update(answer=9), "give 0 to 5"),
        (lambda it: it["steps"][3]["question"].update(answer=[[0, 1]]), "each from 1"),
        (lambda it: it["steps"][3]["question"].update(kind="self"), "no kind of attention"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(
    change: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        from_json(changed(change), id="x", pages=PAGES)


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"{", b"\xff\xfe", b"[" * 50_000, b"5", b"null", b"[]"),
        b"[" * 970 + b"]" * 970,  # deeper than whoever asks can read, standing where it stands
    ],
)
def test_what_is_no_lesson_is_a_sentence(content: bytes) -> None:
    with pytest.raises(UserError, match=r"not JSON|no lesson"):
        read("x.json", content, pages=PAGES)


def test_a_file_is_not_larger_than_a_lesson() -> None:
    with pytest.raises(UserError, match="at most 300,000"):
        read("x.json", b" " * (lesson_file.MOST_BYTES + 1), pages=PAGES)
