"""A lesson on paper."""

from dataclasses import replace

import pytest

from s2s.lessons import EXERCISES, LESSONS, ChoiceQuestion, Lesson
from s2s.reports import lesson_handout

HOME = "https://example.org/"
ROWS = {**LESSONS, **EXERCISES}


@pytest.mark.parametrize("lesson", ROWS.values(), ids=ROWS)
def test_every_step_has_its_question_and_its_address(lesson: Lesson) -> None:
    made = lesson_handout(lesson, HOME)
    assert made.count("<section>") == len(lesson.steps)
    assert made.count("<b>Question.</b>") == sum(bool(step.question) for step in lesson.steps)
    for number, step in enumerate(lesson.steps, 1):
        assert f"lesson={lesson.id}.{number}" in made
        if isinstance(step.question, ChoiceQuestion):  # and not which one is right
            assert not any(why in made for why in step.question.why)
    assert "**" not in made
    assert "<script" not in made


def test_words_of_somebody_else_are_shown_literally() -> None:
    first = LESSONS["five-minutes"]
    step = replace(first.steps[0], title="<b>1 < 2", note="- a < b\n- `x<y`", question=None)
    made = lesson_handout(replace(first, title="A & <i>B", steps=(step,)), HOME)
    assert "A &amp; &lt;i&gt;B" in made
    assert "1. &lt;b&gt;1 &lt; 2" in made
    assert "<ul><li>a &lt; b</li><li><code>x&lt;y</code></li></ul>" in made
