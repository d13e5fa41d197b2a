"""Lessons as data: what a note may contain, what a view may say, and that every shipped row is whole."""

import pytest

from s2s import lessons
from s2s.config import Recipe, UserError, json_or_text, override
from s2s.data import Corpus, Pair, apply_task, load_preview
from s2s.lessons import EXERCISES, LESSONS, Lesson, Step, View
from s2s.links import share

ROWS = [*LESSONS.values(), *EXERCISES.values()]
STEPS = [(row, step) for row in ROWS for step in row.steps]


@pytest.mark.parametrize(
    "note", ["**bold**, *italics*, `code`\n\n- one\n- two", "a < b, [a] (b) is no markup: `<b>`"]
)
def test_a_note_has_plain_markdown(note: str) -> None:
    assert Step("Title", note, View("")).note == note


@pytest.mark.parametrize(
    ("note", "what"),
    [
        ("see [here](https://example.org)", "a link"),
        ("see [here][1]", "a link"),
        ("<https://example.org>", "a link"),
        ("![x](y)", "an image"),
        ("<b>x</b>", "HTML"),
        ("a &lt; b", "HTML"),
        ("x" * 1300, "1300 characters"),
    ],
)
def test_a_note_has_nothing_else(note: str, what: str) -> None:
    with pytest.raises(UserError, match=what):
        Step("Title", note, View(""))


def test_a_view_says_only_what_links_can() -> None:
    with pytest.raises(UserError, match="No view has the value `colour`"):
        View("", {"colour": "red"})
    with pytest.raises(UserError, match="`src` cannot be shown"):
        View("", {"src": "two\nlines"})


def test_a_lesson_is_checked() -> None:
    step = Step("Title", "Note", View(""))
    with pytest.raises(UserError, match="no lesson's id"):
        Lesson("No id!", "Title", "Summary", 5, (step,))
    with pytest.raises(UserError, match="0 steps"):
        Lesson("some-id", "Title", "Summary", 5, ())
    with pytest.raises(UserError, match="title"):
        Lesson("some-id", "two\nlines", "Summary", 5, (step,))


def test_ids_differ_and_lead_to_their_lesson() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS)
    assert all(name == row.id for name, row in [*LESSONS.items(), *EXERCISES.items()])


def test_what_a_newcomer_needs_is_said_before_it_is_used() -> None:
    for name in ("five-minutes", "way-of-a-sentence"):
        assert all(half in LESSONS[name].steps[0].note for half in ("**encoder**", "**decoder**"))
    halves = (LESSONS["way-of-a-sentence"], LESSONS["way-of-a-translation"])
    notes = [step.note.lower() for lesson in halves for step in lesson.steps]
    for word in ("query", "key", "value", "softmax", "causal mask", "cross-attention", "loss"):
        first = next(note for note in notes if word in note)
        assert f"**{word}**" in first, f"{word} is first used where it is not explained"


@pytest.mark.parametrize(
    ("row", "step"), STEPS, ids=[f"{row.id}: {step.title}" for row, step in STEPS]
)
def test_a_shipped_step_is_short_and_asks_what_can_be_answered(row: Lesson, step: Step) -> None:
    assert len(step.note.split()) <= 60, "a note has at most 60 words"
    match step.question:
        case lessons.SentenceQuestion(condition=name):
            assert name in lessons.CONDITIONS
        case lessons.RunQuestion(condition=name):
            assert name in lessons.RUN_CONDITIONS
        case None:
            return
        case question:
            assert not isinstance(question.answer, str) or question.answer in lessons.ANSWERS
    assert step.question.hint, "a hint helps on"


def test_most_texts_of_the_step_on_span_corruption_have_two_gaps() -> None:
    (step,) = [
        step
        for step in lessons.LESSONS["models-you-use"].steps
        if step.title == "Learning without translations"
    ]
    given = share.unpack(step.view.values["set"])
    changes = {key: json_or_text(value) for key, value in given.items() if key.startswith("data.")}
    config = override(Recipe(), changes).data
    pairs = tuple(Pair(*row) for row in load_preview(given["source"]).rows)
    made = apply_task(Corpus("", "train", pairs), config, 1).pairs
    assert sum(pair.src.count("<") == 2 for pair in made) > 0.7 * len(made)
    hidden, shown = "<X> for inviting <Y> last <Z>", "Thank you <X> me to your party <Y> week."
    assert hidden in step.note
    assert shown in step.note


def test_every_row_is_described_in_a_sentence() -> None:
    tables = (lessons.ANSWERS, lessons.CONDITIONS, lessons.RUN_CONDITIONS)
    assert all(row.description.endswith(".") for table in tables for row in table.values())
