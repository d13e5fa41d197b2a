from dataclasses import replace

import numpy as np
import pytest

import s2s
from s2s.analysis import WEIGHT_INTERVENTIONS, Attention, Head
from s2s.config import UserError
from s2s.plots.intervene_view import pictures
from s2s.questions import Candidates, Changed, Finding, Have, Intervene, intervene
from s2s.questions.changed import ENDS, STARTS
from s2s.runs import Decoded, DecodedHypothesis, Interventions, Run
from tests.runs.intervened import translate_with

DEMO = "demo-en-fr"
TEXT = "the red house"
ASKED = Intervene(DEMO, TEXT)


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load(DEMO)


@pytest.mark.parametrize(
    ("fields", "change"),
    [
        ({"at": "3", "to": "3"}, Interventions((), 2, (2,))),
        ({"switched": "cross.1.2=off"}, Interventions(((Head("cross", 0, 1), "off"),))),
        (
            {"at": "2", "to": "3.2", "overridden": "chosen", "layer": "1", "head": "2",
             "switched": "encoder.1.1=uniform"},
            Interventions(((Head("encoder", 0, 0), "uniform"),), 1, (1, 2), (Head("cross", 0, 1),)),
        ),
        (
            {"at": "2", "to": "2", "overridden": "chosen", "layer": "mean", "head": "3"},
            Interventions((), 1, (1,), (Head("cross", 0, 2), Head("cross", 1, 2))),
        ),
        (
            {"at": "2", "to": "2", "overridden": "chosen", "kind": "encoder"},
            Interventions((), 1, (1,)),
        ),
    ],
)  # fmt: skip
def test_the_answer_is_that_of_the_library(
    fields: dict[str, str], change: Interventions, run: Run
) -> None:
    answer = Have().answer(replace(ASKED, **fields))
    own = run.translate(TEXT, "beam")[0].hypotheses[0].ids
    expected = translate_with(run, TEXT, own, change)
    assert answer.interventions == change
    assert answer.kept == expected.kept
    assert (answer.before.text, answer.after.text) == (expected.before.text, expected.after.text)
    assert answer.after.log_prob == pytest.approx(expected.after.log_prob, abs=1e-5)
    for kind in ("cross", "encoder", "decoder"):
        np.testing.assert_allclose(
            getattr(answer.attention, kind), getattr(expected.attention, kind), atol=1e-6
        )
    assert (answer.next is None) == (expected.next is None)
    if answer.next and expected.next:
        ids = [
            run.tgt_tokenizer.encode(token)[0] for token in answer.next.tokens if token != "</s>"
        ]
        both = [
            (expected.next.before, answer.next.before),
            (expected.next.after, answer.next.after),
        ]
        for log_probs, shown in both:
            values = [
                value
                for value, token in zip(shown, answer.next.tokens, strict=True)
                if token != "</s>"
            ]
            np.testing.assert_allclose(values, log_probs.exp()[ids], atol=1e-6)
        assert [*answer.next.before] == sorted(answer.next.before, reverse=True)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "Nothing is changed"),
        ({"at": "2"}, "takes both"),
        ({"to": "2"}, "takes both"),
        ({"at": "99", "to": "1"}, "`at` is 99; give one number from 1 to 4"),
        ({"at": "1.2", "to": "1"}, "`at` is 1.2"),
        ({"at": "1", "to": "9"}, "`to` is 9; give numbers with dots between, such as 1.2, from 1 to 4"),
        ({"at": "1", "to": "red"}, "`to` is red"),
        ({"switched": "cross.9.1=off"}, "cross.9.1=off, which names no head"),
        ({"switched": "cross.1.1=mean"}, "cross.1.1=mean, which names no head"),
        ({"at": "1", "to": "1", "overridden": "zebra"}, "`overridden` is zebra"),
        ({"switched": "cross.1.1=off", "layer": "7"}, "7"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused(fields: dict[str, str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Have().answer(replace(ASKED, **fields))


def test_another_head_is_looked_at_without_translating_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = replace(ASKED, switched="cross.2.3=off")
    one = Have().answer(asked)
    monkeypatch.setattr(intervene, "next_token", None)
    question = replace(asked, layer="2", head="3")
    other = Have().answer(question)
    assert other is one
    assert not question.map(other).weights.any()
    assert question.map(other).name == "layer 2 of 2 · head 3 of 4"


def decoded(*tokens: str) -> Decoded:
    ids = tuple(range(len(tokens)))
    best = DecodedHypothesis(" ".join(tokens), tokens, (-1.0,) * len(ids), -1.0, -1.0, ids)
    return Decoded("", (best,))


ROWS = np.zeros((1, 2, 3, 3), np.float32)
SEEN = Attention(
    ("*red*", ":red[x]", "</s>"), ("<s>", "a", "b"), ("a", "b", "</s>"), ROWS, ROWS, ROWS
)
ONE_OFF = ((Head("encoder", 0, 0), "off"),)
ALL_OFF = tuple((Head("cross", 0, head), "off") for head in range(2))
SAME = ("a", "b", "</s>")
OVERRIDE = Interventions((), 1, (0,))


def changed(
    before: tuple[str, ...] = SAME,
    after: tuple[str, ...] = ("a", "c", "d", "</s>"),
    change: Interventions = OVERRIDE,
    at: int | None = 1,
    gain: float = 0.0,
) -> Changed:
    values = np.array([0.75, 0.25])
    following = None if at is None else Candidates(at, "a", ("b", "=1+1"), values, values[::-1])
    new = decoded(*after)
    new = replace(new, hypotheses=(replace(new.hypotheses[0], log_prob=-1.0 + gain),))
    return Changed(change, 1, decoded(*before), new, SEEN, following)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (changed(), "The model was made to attend to “*red*” while it wrote token 2; it wrote “c” instead of “b”, then"
            " continued on its own."),
        (changed(after=("a", "c", "</s>")), "it wrote “c” instead of “b”, then stopped."),
        (changed(after=("a", "c")), "it wrote “c” instead of “b”."),
        (changed(after=SAME), "it wrote “b” anyway, then stopped."),
        (changed(after=("a", "</s>")), "it stopped instead of writing “b”."),
        (changed(("a", "</s>")), "it wrote “c” instead of stopping, then continued on its own."),
        (changed(("a", "</s>"), ("a", "</s>")), "it stopped there anyway."),
        (changed(change=Interventions((), 1, (0, 2), (Head("cross", 0, 1),))), "1 head of cross-attention was made to"
            " attend to “*red*” and “</s>” at token 2, and the model wrote “c” instead of “b”"),
        (changed(change=Interventions(ONE_OFF, 1, (0,), (Head("cross", 0, 0), Head("cross", 0, 1)))), "With 1 head"
            " changed, 2 heads of cross-attention were made to attend to “*red*” at token 2, and the model wrote"),
        (changed(change=Interventions(ONE_OFF, 1, (0,))), "With 1 head changed, the model was made to attend to"
            " “*red*” while it wrote token 2; it wrote"),
        (changed(change=Interventions(ALL_OFF, 1, (0,))), "Every head that should attend to “*red*” at token 2 is off;"
            " the model wrote “c” instead of “b”"),
        (changed(change=Interventions(ALL_OFF)), "With 2 heads changed the model writes another translation. They first"
            " differ at token 2: it wrote “c” instead of “b”"),
        (changed(after=SAME, change=Interventions(ONE_OFF)), "With 1 head changed the model writes the same text in"
            " other tokens, which first differ at token 2"),
        (changed(after=SAME, change=Interventions(ONE_OFF), at=None), "With 1 head changed the model writes the same"
            " translation, as certain of it as before."),
        (changed(after=SAME, change=Interventions(ONE_OFF), at=None, gain=0.1), "more certain of it than before."),
        (changed(after=SAME, change=Interventions(ONE_OFF), at=None, gain=-0.1), "less certain of it than before."),
        (changed(after=SAME, change=Interventions(ONE_OFF), at=None, gain=float("nan")), "that is no number."),
    ],
)  # fmt: skip
def test_the_finding_says_what_happened(answer: Changed, sentence: str) -> None:
    said = ASKED.finding(answer)
    assert said.startswith(sentence) or said.endswith(sentence)


PLAIN = changed(after=SAME, change=Interventions(ONE_OFF), at=None)  # no override, no difference


@pytest.mark.parametrize(
    ("finding", "answer"),
    [
        *[(each, PLAIN) for each in (*STARTS[:5], ENDS[0], ENDS[2], ENDS[3])],
        (STARTS[5], changed()),
        (STARTS[6], changed(change=Interventions(ONE_OFF))),
        (ENDS[1], changed(after=SAME, change=Interventions(ONE_OFF), at=None, gain=0.1)),
        *[(each, changed()) for each in ENDS[4:8]],
    ],
)
def test_no_finding_is_said_where_it_is_false(finding: Finding, answer: Changed) -> None:
    assert finding.said(answer) == ""


def test_the_pictures_say_what_is_done_and_have_the_numbers() -> None:
    heads = tuple(
        (Head("cross", layer, 0), how) for how in WEIGHT_INTERVENTIONS for layer in range(5)
    )
    answer = changed(change=Interventions(heads, 1, (0, 1)))
    both, following, heatmap = pictures(ASKED, answer, "a run")
    assert both.finding
    assert (
        "while token 2 (“b”) is written, all heads of cross-attention look only at “*red*” and"
        in both.caption
    )
    assert both.caption.count("and 1 more") == 2
    assert [row[1] for row in both.table.rows] == [answer.before.text, answer.after.text]
    assert following.table.csv().splitlines() == [
        "token,without the change,with the change", "b,0.75,0.25", "'=1+1,0.25,0.75",
    ]  # fmt: skip
    assert len(heatmap.table.rows) == 3


def test_weights_that_are_not_finite_are_a_table() -> None:
    seen = replace(SEEN, cross=ROWS * np.nan)
    heatmap = pictures(ASKED, replace(changed(), attention=seen), "a run")[-1]
    assert heatmap.figure is None
    assert "not finite" in heatmap.finding
    assert heatmap.svg() == ""
