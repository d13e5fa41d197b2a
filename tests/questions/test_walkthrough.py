import dataclasses
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import s2s
from s2s.config import UserError, override
from s2s.questions import Have, Walked, Walkthrough
from s2s.questions.walk_findings import FINDINGS
from s2s.questions.walked import SOURCE, STEPS

DEMO, TEXT = "demo-en-fr", "the red house"


def asked(step: str, **given: Any) -> Walkthrough:
    return Walkthrough(DEMO, TEXT, "", step, **given)


def answer(step: str, **given: Any) -> Walked:
    found: Walked = Have().answer(asked(step, **given))
    return found


def changed(found: Walked, **values: Any) -> Walked:
    """The same with other values of the sentence."""
    return replace(found, at=replace(found.at, **values))


def configured(found: Walked, **settings: Any) -> Walked:
    recipe = s2s.load(DEMO).recipe
    model = override(recipe, {f"model.{key}": value for key, value in settings.items()}).model
    return changed(found, config=model)


def without_feed_forward(found: Walked) -> Walked:
    trace = found.at.trace
    encoder, decoder = (replace(each, feed_forward=None) for each in (trace.encoder, trace.decoder))
    return changed(found, trace=replace(trace, encoder=encoder, decoder=decoder))


def without_zeros(found: Walked) -> Walked:
    trace = found.at.trace
    fed = trace.encoder.feed_forward
    assert fed is not None
    encoder = replace(trace.encoder, feed_forward=fed._replace(hidden=np.ones_like(fed.hidden)))
    return changed(found, trace=replace(trace, encoder=encoder))


def own(step: str, ids: tuple[int, ...], text: str) -> Walked:
    found = answer(step)
    assert found.own is not None
    return replace(found, own=dataclasses.replace(found.own, ids=ids, tokens=("a",), text=text))


def cases() -> tuple[tuple[str, Walked, str, Walked | int], ...]:
    """A step, an answer of which these words are said, and one of which they would be false; 0: the step's own."""
    return (
        (
            "pieces",
            replace(answer("pieces"), words=("zebra",)),
            "“zebra”: not in",
            answer("pieces"),
        ),
        ("pieces", answer("pieces"), "as 4 tokens", replace(answer("pieces"), words=("zebra",))),
        ("ids", changed(answer("ids"), src_tokens=("a", "b", "a")), "“a”: the same", answer("ids")),
        (
            "position",
            configured(answer("position"), **{"positions.kind": "rotary"}),
            "keeps lengths",
            0,
        ),
        ("scaling", configured(answer("scaling"), **{"attention.scaled": False}), "factor is 1", 0),
        ("scaling", changed(answer("scaling"), fault="no-scale"), "changes nothing", 0),
        ("residual", changed(answer("residual"), fault="no-residual"), "what replaces it", 0),
        (
            "residual",
            answer("residual"),
            "what is added",
            changed(answer("residual"), fault="no-residual"),
        ),
        ("norm", replace(answer("norm"), norm=None), "has no norm", 0),
        (
            "feed-forward",
            answer("feed-forward"),
            "exactly 0",
            without_zeros(answer("feed-forward")),
        ),
        ("feed-forward", without_feed_forward(answer("feed-forward")), "no feed-forward", 0),
        (
            "activation",
            answer("activation"),
            "are below 0",
            without_feed_forward(answer("activation")),
        ),
        ("shifted", configured(answer("shifted"), **{"ids.tgt_first": 1}), "was trained with", 0),
        ("chosen", replace(answer("chosen"), own=None), "is empty", 0),
        ("chosen", own("chosen", (7, 2), "a"), "because it chose </s>", own("chosen", (7,), "a")),
        (
            "chosen",
            own("chosen", (7,), ""),
            "In 1 step, the model wrote no text. It was stopped",
            0,
        ),
    )


def test_what_is_said_of_a_step_is_said_where_it_holds_only() -> None:
    for step, where, words, elsewhere in cases():
        check(step, where, words, elsewhere)


def check(step: str, where: Walked, words: str, elsewhere: Walked | int) -> None:
    question = asked(step)
    assert words in question.finding(where)
    assert words not in question.finding(elsewhere or answer(step))


def test_a_row_of_the_causal_mask_sees_itself_and_what_came_before() -> None:
    first, third = (asked("causal", position=position) for position in (1, 3))
    found = answer("causal")
    assert first.finding(found) == "The row that reads “<s>” may attend to itself alone."
    assert "3 tokens: itself and those before it" in third.finding(found)


def test_the_finding_of_attention_names_the_key_with_the_largest_weight() -> None:
    run = s2s.load(DEMO)
    target = run.translate([TEXT], "greedy")[0].text
    attention = run.attention(TEXT, target)
    for step, weights, keys in (
        ("softmax", attention.encoder, attention.src_tokens),
        ("self-attention", attention.decoder, attention.tgt_inputs),
        ("bridge", attention.cross, attention.src_tokens),
    ):
        question = asked(step, layer=2, head=3, position=2)
        row = weights[1, 2, 1]
        said = question.finding(Have().answer(question))
        assert f"“{keys[int(row.argmax())]}”" in said
        assert f"{row.max():.0%}" in said


def test_every_step_of_a_model_is_answered_and_every_finding_is_of_a_step() -> None:
    assert {*FINDINGS} <= {*STEPS}
    for step, side in STEPS.items():
        question = asked(step, position=99)
        found = Have().answer(question)
        tokens = found.at.src_tokens if side == SOURCE else found.at.tgt_tokens
        assert question.row(found.at) == len(tokens) - 1  # of a shorter sentence the last one
        assert "{" not in question.finding(found)
        assert len(question.table(found).rows) == len(tokens)


@pytest.mark.parametrize(("name", "most"), [("layer", 2), ("head", 4)])
def test_a_layer_or_head_that_there_is_not_is_refused(name: str, most: int) -> None:
    for number in (0, most + 1):
        with pytest.raises(UserError, match=f"{name}s 1 to {most} there"):
            answer("scores", **{name: number})
