"""Every step of the shipped lessons: its view opens as it says, and its question knows right, nearly and wrong."""

from collections.abc import Sequence
from functools import cache

import pytest
from streamlit.testing.v1.element_tree import Block, Node

from s2s.config import UserError
from s2s.lessons import (
    EXERCISES,
    LESSONS,
    ChoiceQuestion,
    Context,
    HeadQuestion,
    Heads,
    NumberQuestion,
    Step,
    Verdict,
    answer,
    check,
)
from s2s.library.checkpoints import load
from s2s.runs import Run
from tests.screen import link, lost, opened, page_text

ROWS = [*LESSONS.values(), *EXERCISES.values()]
STEPS = {f"{row.id}.{n}": step for row in ROWS for n, step in enumerate(row.steps, 1)}
HERE = "demo-en-fr"
every_step = pytest.mark.parametrize("name", STEPS)


@cache
def kept(run: str, step: int | None) -> Run:
    """Each run is opened once."""
    return load(run, step)


def context(step: Step) -> Context:
    """What is on the screen as the step opens."""
    values = dict(step.view.values)
    return Context(values.pop("run", HERE), step.view.page, values, values, opener=kept)


def questions(kind: type) -> list[str]:
    return [name for name, step in STEPS.items() if isinstance(step.question, kind)]


def key_of(node: Node) -> str:
    """The key of a widget or container, which its id ends with: `$$ID-0f…-src`."""
    id = node._block_id if isinstance(node, Block) else getattr(node.proto, "id", "")
    return str(id).partition("-")[2].partition("-")[2]


def drawn_keys(block: Block) -> set[str]:
    """The keys of the widgets and containers on a page."""
    found = {key_of(node) for node in block.children.values()}
    inside = [drawn_keys(node) for node in block.children.values() if isinstance(node, Block)]
    return found.union(*inside)


@every_step
def test_a_view_opens_as_its_link_says(name: str) -> None:
    view = STEPS[name].view
    screen = opened(view.page, **view.values, lesson=name)
    assert not screen.exception, name
    assert any('class="lesson-heading"' in str(each.proto.body) for each in screen.get("html"))
    assert not lost(screen)
    assert not screen.error
    for text in ("there is no ", "is shown instead", "does not know"):
        assert text in str(STEPS[name]) or text not in page_text(screen), text
    keys = drawn_keys(screen.main)
    for control in STEPS[name].hidden:
        own = {control, f"{control} box", f"{view.page or 'home'} {control}"}
        assert own & keys, f"there is no {control} to hide"
    if source := view.values.get("src"):
        assert screen.text_input(key="src").value == source
        assert link(screen)


ANSWERS = {  # sentences of the page that answer a step's question
    "five-minutes.3": "it attends mostly to “red",
    "five-minutes.5": "times as probable as greedy",
    "way-of-a-sentence.1": "the sentence is 4 numbers",
    "way-of-a-sentence.3": "same in both orders, up to rounding",
    "way-of-a-sentence.4": "The largest weight of that row",
    "decoding.2": "2.0 times as probable",
    "decoding.3": "(10 tokens) wins",
    "decoding.7": "The model finds sample 3 more probable",
    "decoding.8": "Model error",
    "training.3": "They first differ at position",
    "what-attention-tells.6": "Most of all cross-attention, layer 2 head 2",
    "models-you-use.9": "110 times as many",
}


def said(block: Block, hidden: Sequence[str] = ()) -> str:
    """What stands in the texts of a page, outside the containers with these keys."""
    return "\n".join(
        said(node, hidden) if isinstance(node, Block) else str(getattr(node.proto, "body", ""))
        for node in block.children.values()
        if key_of(node) not in hidden
    )


@pytest.mark.parametrize("name", ANSWERS)
def test_no_sentence_beside_a_question_answers_it(name: str) -> None:
    view = STEPS[name].view
    page = opened(view.page, **view.values).main
    assert ANSWERS[name] in said(page)
    assert ANSWERS[name] not in said(page, STEPS[name].hidden)


@pytest.mark.parametrize("name", questions(NumberQuestion))
def test_a_number_is_right_nearly_right_or_wrong(name: str) -> None:
    step = STEPS[name]
    question = step.question
    assert isinstance(question, NumberQuestion)
    here = context(step)
    right = answer(question, here)
    assert not isinstance(right, Heads)
    slack = question.tolerance or 0.5  # of a count
    levels = {0.0: "right", 2 * slack: "nearly", -20 * slack: "wrong"}
    for away, level in levels.items():
        verdict = check(question, f"{right + away:.9g}", here)
        assert verdict.level == level, (away, verdict)
        assert verdict.sentence
    with pytest.raises(UserError, match="is no number"):
        check(question, "many", here)


@pytest.mark.parametrize("name", questions(NumberQuestion) + questions(HeadQuestion))
def test_a_likely_wrong_answer_can_be_given_is_wrong_and_has_its_own_reply(name: str) -> None:
    step = STEPS[name]
    question = step.question
    assert isinstance(question, (NumberQuestion, HeadQuestion))
    here = context(step)
    assert 1 <= len(question.mistakes) <= 2
    for mistake in question.mistakes:
        assert mistake.given
        for given in mistake.given:
            if isinstance(question, HeadQuestion):
                model = here.opened().recipe.model
                stack = model.encoder if question.kind == "encoder" else model.decoder
                assert given <= (stack.n_layers, stack.n_heads)
                assert 1 <= given[1] <= stack.n_heads
            typed = given if isinstance(given, tuple) else str(given)
            assert check(question, typed, here) == Verdict("wrong", mistake.why)


@pytest.mark.parametrize("name", questions(ChoiceQuestion))
def test_a_choice_has_one_right_option_and_a_reason_for_each(name: str) -> None:
    step = STEPS[name]
    question = step.question
    assert isinstance(question, ChoiceQuestion)
    here = context(step)
    verdicts = [check(question, option, here) for option in range(len(question.options))]
    levels = [verdict.level for verdict in verdicts]
    assert sorted(levels) == ["right", *["wrong"] * (len(levels) - 1)]
    assert all(
        verdict.sentence.startswith("Right") == (verdict.level == "right") for verdict in verdicts
    )
    assert len({verdict.sentence for verdict in verdicts}) > min(2, len(levels) - 1)


@pytest.mark.parametrize("name", questions(HeadQuestion))
def test_a_head_is_right_nearly_right_or_wrong(name: str) -> None:
    step = STEPS[name]
    question = step.question
    assert isinstance(question, HeadQuestion)
    here = context(step)
    found = answer(question, here)
    assert isinstance(found, Heads)
    model = here.opened().recipe.model
    stack = model.encoder if question.kind == "encoder" else model.decoder
    layers, heads = range(1, stack.n_layers + 1), range(1, stack.n_heads + 1)
    every = {(layer, head) for layer in layers for head in heads}
    assert found.right
    assert found.right | found.nearly < every  # some head is wrong
    for head in every:
        level = "right" if head in found.right else "nearly" if head in found.nearly else "wrong"
        assert check(question, head, here).level == level
