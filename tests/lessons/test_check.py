"""Right, nearly or wrong."""

import sys
from dataclasses import replace

import pytest

from s2s.config import UserError
from s2s.lessons import ChoiceQuestion, Context, HeadQuestion, NumberQuestion, check, number
from s2s.lessons.question import Mistake
from s2s.lessons.verdict import Heads, Verdict

HERE = Context("demo-en-fr")


@pytest.mark.parametrize(
    ("typed", "unit", "value"),
    [
        ("12", "", 12),
        (" 0,25 ", "", 0.25),
        ("25 %", "", 0.25),
        ("25 %", "%", 25),
        ("3.5 nats", "nats", 3.5),
        ("\u22121e-3", "", -0.001),
        ("149,760", "", 149_760),
        ("1,234,567.5", "", 1_234_567.5),
        ("0,125", "", 0.125),
    ],
)
def test_a_number_is_read_as_people_write_it(typed: str, unit: str, value: float) -> None:
    assert number(typed, unit) == pytest.approx(value)


@pytest.mark.parametrize("typed", ["seven", "nan", "inf", "1 2", "1,000,00", "`*x*`"])
def test_an_answer_that_is_no_number_is_a_sentence(typed: str) -> None:
    with pytest.raises(UserError, match="is no number; write one such as"):
        number(typed)


def test_an_empty_answer_is_a_sentence() -> None:
    with pytest.raises(UserError, match="no answer yet"):
        number("  ")


@pytest.mark.parametrize(
    ("typed", "level", "words"),
    [
        ("0.5", "right", "Right: 0.5 nats."),
        ("0.51", "right", "Right"),
        ("0.53", "nearly", "you are 0.03 nats away."),
        ("0.6", "wrong", "smaller"),
        ("-1", "wrong", "larger"),
    ],
)
def test_a_number_within_its_tolerance_is_right(typed: str, level: str, words: str) -> None:
    verdict = check(NumberQuestion("How much?", 0.5, 0.01, "nats"), typed, HERE)
    assert verdict.level == level
    assert words in verdict.sentence


def test_percentages_are_percentage_points_apart() -> None:
    verdict = check(NumberQuestion("How much?", 50, 1, "%"), "52 %", HERE)
    assert verdict.sentence == "Nearly: you are 2 percentage points away."


def test_a_likely_wrong_answer_has_its_reply_while_the_step_shows_its_own_sentence() -> None:
    why = "The end of a sentence is a token, too."
    count = NumberQuestion("How many tokens?", 4, 0, mistakes=(Mistake((3, 2), why),))
    head = HeadQuestion("Which head?", "cross", ((1, 2),), mistakes=(Mistake(((2, 1),), why),))
    own = Context("demo-en-fr", values={"src": "the cat"}, start={"src": "the cat"})
    for question, wrong in ((count, "3"), (count, "2"), (head, (2, 1))):
        assert check(question, wrong, own) == Verdict("wrong", why)
        other = replace(own, values={"src": "the cat sleeps"})
        assert check(question, wrong, other).sentence != why
    assert check(count, "4", own).level == "right"
    assert check(count, "5", own).level == "nearly"
    assert check(head, (2, 2), own).sentence != why


def test_a_choice_says_why() -> None:
    question = ChoiceQuestion("Which?", ("a", "b"), 1, ("a is not, as ...", "b is, as ..."))
    assert check(question, 1, HERE).sentence == "b is, as ..."
    assert check(question, 0, HERE).level == "wrong"
    for none in (None, 2, -1):
        with pytest.raises(UserError, match="choose one of the options"):
            check(question, none, HERE)


def test_heads_are_right_where_any_of_the_named_ones_is_given() -> None:
    question = HeadQuestion("Which head?", "cross", ((1, 2), (2, 4)))
    said = "Right: head 4 of layer 2; head 2 of layer 1 is right, too."
    assert check(question, (2, 4), HERE).sentence == said
    three = HeadQuestion("Which head?", "cross", ((1, 2), (2, 4), (1, 1)))
    said = "Right: head 4 of layer 2; head 1 of layer 1 and head 2 of layer 1 are right, too."
    assert check(three, (2, 4), HERE).sentence == said
    assert check(question, (2, 3), HERE).level == "wrong"
    with pytest.raises(UserError, match="choose a layer and a head"):
        check(question, None, HERE)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda: NumberQuestion("How much?", 1, -1), "tolerance"),
        (lambda: NumberQuestion("How much?", float("nan"), 1), "finite"),
        (lambda: NumberQuestion(" ", 1, 1), "is empty"),
        (lambda: NumberQuestion("How much?", 1, 1, hint="x" * 700), "700 characters"),
        (lambda: ChoiceQuestion("Which?", ("a",), 0, ("b",)), "1 options"),
        (lambda: ChoiceQuestion("Which?", ("a", "b"), 0, ("b",)), "1 reasons"),
        (lambda: ChoiceQuestion("Which?", ("a", "b"), 2, ("c", "d")), "give 0 to 1"),
        (lambda: HeadQuestion("Which?", "self", ((1, 1),)), "no kind of attention"),
    ],
)
def test_a_question_is_checked(question: object, message: str) -> None:
    assert callable(question)
    with pytest.raises(UserError, match=message):
        question()


def test_an_answer_of_another_kind_is_a_sentence() -> None:
    context = Context("demo-en-fr", start={"src": "the red house is old"})
    with pytest.raises(UserError, match="gives heads"):
        check(NumberQuestion("How much?", "article_attends_to_noun", 1), "1", context)
    with pytest.raises(UserError, match="gives no heads"):
        check(HeadQuestion("Which?", "cross", "greedy_and_beam"), (1, 1), context)


def test_a_wrong_head_has_its_number_and_that_of_a_right_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = {(1, 1): "an error of 0.41", (2, 3): "an error of 0.13"}
    heads = Heads(frozenset({(2, 3)}), measured=said)
    module = sys.modules["s2s.lessons.check"]  # the package has a function of that name
    monkeypatch.setattr(module, "answer", lambda question, context: heads)
    question = HeadQuestion("Which head?", "cross", "aligning_head")
    wrong = check(question, (1, 1), HERE).sentence
    assert (
        wrong == "Not head 1 of layer 1: it has an error of 0.41, a right one has an error of 0.13."
    )
    assert "compare it" in check(question, (9, 9), HERE).sentence  # no such head


def test_a_large_count_is_written_in_full_as_pages_do() -> None:
    question = NumberQuestion("How many?", 16_449_536, 0)
    assert check(question, "16,449,536", HERE).sentence == "Right: 16,449,536."
