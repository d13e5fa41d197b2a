"""A lesson on paper."""

import re
from dataclasses import replace

import pytest

from s2s.lessons import EXERCISES, LESSONS, ChoiceQuestion, Lesson, View
from s2s.reports import lesson_handout, lesson_pictures
from s2s.runs import Decoded, Run

HOME = "https://example.org/"
ROWS = {**LESSONS, **EXERCISES}


@pytest.mark.parametrize("lesson", ROWS.values(), ids=ROWS)
def test_every_step_has_its_question_and_its_address(
    lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson_pictures, "PAGES", {})  # drawn below
    made = lesson_handout(lesson, HOME)
    assert made.count("<section>") == len(lesson.steps)
    assert made.count("<b>Question.</b>") == sum(bool(step.question) for step in lesson.steps)
    for number, step in enumerate(lesson.steps, 1):
        assert f"lesson={lesson.id}.{number}" in made
        if isinstance(step.question, ChoiceQuestion):  # and not which one is right
            assert not any(why in made for why in step.question.why)
    assert "**" not in made
    assert "<script" not in made


def paper(*views: View) -> list[str]:
    """The sections of a lesson with these views."""
    step = replace(LESSONS["five-minutes"].steps[0], question=None)
    steps = tuple(replace(step, view=view) for view in views)
    made = lesson_handout(replace(LESSONS["five-minutes"], steps=steps), HOME)
    assert "<script" not in made
    assert not re.search(r"(?:src|href)=[\"'](?!https://example.org/)", made)
    return made.split("<section>")[1:]


def test_a_step_has_the_picture_of_its_view() -> None:
    view = {"run": "demo-en-fr", "src": "the red house"}
    columns = {"c1": "demo-en-fr!greedy!", "c2": "demo-en-fr!beam!num_beams:2"}
    drawn = paper(
        View("attention", {**view, "kind": "encoder", "layer": "1", "head": "3"}),
        View("", {"src": "the red house"}),
        View("walkthrough", {**view, "set": "step:bridge"}),
        View("walkthrough", {**view, "set": "step:ids"}),
        View("compare", {**view, **columns}),
        View("steps", {**view, "set": "strategy:beam,num_beams:2"}),
        View("train", {"run": "demo-en-fr", "set": "curve:lr"}),
        View("train"),
    )
    n_figures = [section.count("<figure") for section in drawn]
    assert n_figures == [1, 1, 1, 0, 0, 0, 1, 0]
    assert "Encoder self-attention, layer 1 of 2 · head 3 of 4" in drawn[0]
    assert "step 1,500: the red house</figcaption>" in drawn[0]
    assert "Cross-attention, layer 2 of 2 · mean of 4 heads" in drawn[1]
    assert "the red house → la maison rouge" in drawn[1]
    assert "beam (num_beams 2)" in drawn[4]
    assert drawn[4].count("la maison rouge") == 2
    assert drawn[5].count("<tr>") == 3
    assert "Learning rate" in drawn[6]


def test_a_picture_is_of_the_target_that_the_view_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    translate = Run.translate

    def watched(run: Run, sources: list[str], strategy: str, **more: object) -> list[Decoded]:
        asked.append(strategy)
        return translate(run, sources, strategy, **more)

    monkeypatch.setattr(Run, "translate", watched)
    view = {"run": "demo-en-fr", "src": "the red house"}
    paper(
        View("attention", view),
        View("attention", {**view, "set": "strategy:greedy"}),
        View("attention", {**view, "set": "strategy:none"}),
        View("walkthrough", {**view, "set": "step:bridge,strategy:beam"}),
        View("attention", {**view, "tgt": "la maison verte"}),
    )
    assert asked == ["beam", "greedy", "beam", "greedy"]


def test_a_view_without_a_picture_says_why() -> None:
    markup = "<b>a</b> & *b*"
    drawn = paper(
        View("attention", {"run": "gone", "src": "the cat"}),
        View("attention", {"src": "x " * 101}),
        View("attention", {"src": markup, "layer": "99", "kind": "<i>", "reduce": "<i>"}),
        View("steps", {"src": "the cat", "set": "strategy:<i>"}),
        View("steps", {"src": "the cat", "step": "7"}),
        View("compare", {"src": "the cat", "c1": "demo-en-fr!beam!num_beams:9e9"}),
    )
    for section in (*drawn[:2], *drawn[3:]):
        assert "There is no picture of this view: " in section
    assert "`" not in "".join(drawn)
    assert "&lt;b&gt;a&lt;/b&gt; &amp; *b*" in drawn[2]
    assert "<i>" not in "".join(drawn)


def test_words_of_somebody_else_are_shown_literally() -> None:
    first = LESSONS["five-minutes"]
    step = replace(first.steps[0], title="<b>1 < 2", note="- a < b\n- `x<y`", question=None)
    made = lesson_handout(replace(first, title="A & <i>B", steps=(step,)), HOME)
    assert "A &amp; &lt;i&gt;B" in made
    assert "1. &lt;b&gt;1 &lt; 2" in made
    assert "<ul><li>a &lt; b</li><li><code>x&lt;y</code></li></ul>" in made
