"""Maps of states, neighbors and the logit lens: their numbers, and what is found in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

import s2s
from s2s.analysis import principal_components
from s2s.config import UserError
from s2s.questions import (
    ANSWERS,
    TWO_BANKS,
    Have,
    Lens,
    LensCell,
    LogitLens,
    MappedStates,
    NearState,
    NearStates,
    Neighbors,
    PoolOf,
    StateLayer,
    StateMap,
    StatePoint,
)
from s2s.questions.finding import Finding
from s2s.questions.logit_lens import FINDINGS as OF_LENS
from s2s.questions.neighbors import FINDINGS as OF_NEIGHBORS
from s2s.questions.state_map import FINDINGS as OF_MAP
from s2s.questions.views import view_of
from s2s.runs import Run, runs_folder, states
from tests.conftest import make_run

DEMO = "demo-en-fr"
HERE, THERE = TWO_BANKS


def own(run: Run, text: str) -> str:
    return run.translate([text], "beam")[0].text


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_a_map_is_of_the_principal_components_of_the_runs_own_states(side: str) -> None:
    run = s2s.load(DEMO)
    both = [run.states(text, own(run, text)).side(side).vectors for text in (HERE, THERE)]
    answer = Have().answer(StateMap(DEMO, HERE, side=side))
    for layer, vectors in zip(answer.layers, np.concatenate(both, 1), strict=True):
        theirs = principal_components(vectors)
        np.testing.assert_allclose(layer.points, theirs.points, atol=1e-3)
        assert layer.shares == pytest.approx(theirs.shares)
        one, other = torch.from_numpy(vectors[:, None]), torch.from_numpy(vectors[None])
        cosines = torch.cosine_similarity(one, other, dim=-1)
        np.testing.assert_allclose(layer.cosines, cosines, atol=1e-5)


def test_a_map_of_one_sentence_and_of_one_that_shares_no_word() -> None:
    alone = Have().answer(StateMap(DEMO, HERE, shown="first"))
    assert {point.sentence for point in alone.points} == {0}
    assert StateMap().finding(alone) == ""
    apart = Have().answer(StateMap(DEMO, "the red house", second="a dog"))
    assert {point.sentence for point in apart.points} == {0, 1}
    assert StateMap().finding(apart) == ""


def mapped(cosines: list[list[float]]) -> MappedStates:
    """Of `the bank` and of `bank money`."""
    named = (("the", 0), ("bank", 0), ("bank", 1), ("money", 1))
    points = tuple(StatePoint(word, word, at, 1) for word, at in named)
    layers = tuple(
        StateLayer(np.zeros((4, 2)), (0.5, 0.5), name, np.array(cosines, np.float32))
        for name in ("embeddings", "after layer 1 of 1")
    )
    return MappedStates("la banque", "la banque", 8, points, layers)


ITSELF = mapped([[1, 0, 0, 0], [0, 1, 0.9, 0.2], [0, 0.9, 1, 0], [0, 0.2, 0, 1]])
MONEY = mapped([[1, 0, 0, 0], [0, 1, 0.3, 0.8], [0, 0.3, 1, 0], [0, 0.8, 0, 1]])
THE = mapped([[1, 0.7, 0, 0], [0.7, 1, 0.3, 0.2], [0, 0.3, 1, 0], [0, 0.2, 0, 1]])


def test_a_map_says_whether_the_shared_word_is_nearest_to_itself() -> None:
    said = {
        "most similar to “bank” of the second (cosine 0.90)": ITSELF,
        "to “money” of the second (cosine 0.80) than to “bank” of the second (0.30)": MONEY,
        "to “the” of the same sentence (cosine 0.70) than to “bank” of the second (0.30)": THE,
    }
    for sentence, answer in said.items():
        found = {text for text in said if text in StateMap().finding(answer)}
        assert found == {sentence}
    assert StateMap().finding(ITSELF).startswith("After layer 1 of 1, “bank”")
    assert StateMap(layer="0").finding(ITSELF).startswith("At the embeddings, “bank”")
    assert len(OF_MAP) == 2


def test_a_map_has_no_other_layer_than_the_models_own() -> None:
    for question in (StateMap(layer="2"), StateMap(layer="mean")):
        with pytest.raises(UserError, match="layer"):
            question.table(ITSELF)
    rows = StateMap(layers="all").table(ITSELF).rows
    assert [row[0] for row in rows] == ["embeddings"] * 4 + ["after layer 1 of 1"] * 4
    assert len(StateMap().table(ITSELF).rows) == 4


def test_a_second_sentence_that_the_model_cannot_read_is_refused_and_a_long_target_noted() -> None:
    make_run(
        runs_folder() / "short",
        {
            "model.positions.kind": "learned",
            "model.positions.max_length": 16,
            "train.steps": 1,
            "data.max_length": 16,
        },
    )
    long = " ".join("1" * 20)
    with pytest.raises(UserError, match="has 21 tokens"):
        Have().answer(StateMap("short", "1 2 3", second=long))
    for question in (StateMap("short", "1 2 3", long), LogitLens("short", "1 2 3", long)):
        answer = Have().answer(question)
        assert "has 21 tokens" in answer.note
        assert answer.target == answer.own


def test_neighbors_are_the_nearest_of_all_words_read_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = s2s.load(DEMO)
    whole = Have().answer(PoolOf(DEMO))
    some = [text for text in whole.texts if text != HERE][:40]
    few = replace(whole, texts=(*some, "I want to bank the money", HERE), n_own=40)
    monkeypatch.setattr(PoolOf, "ask", lambda self, have: few)
    ANSWERS.clear()
    answer = Have().answer(Neighbors(DEMO, HERE, unit="2"))
    ANSWERS.clear()  # of the few
    read = {text: run.states(text, "le").encoder for text in few.texts}
    words = [(word, text, at) for text in few.texts[:-1] for at, word in enumerate(text.split())]
    for layer, rows in enumerate(answer.layers):
        vector = read[HERE][layer, 1]
        stacked = torch.from_numpy(np.stack([read[text][layer, at] for _, text, at in words]))
        every = torch.cosine_similarity(stacked, torch.from_numpy(vector), dim=-1)
        best = every.sort(descending=True).values[:15]
        np.testing.assert_allclose([row.cosine for row in rows], best, atol=1e-4)
        best_word = (rows[0].word, rows[0].sentence, rows[0].position - 1)
        assert best_word == words[int(every.argmax())]
        assert HERE not in {row.sentence for row in rows}
    assert (answer.n_own, answer.n_others, answer.others) == (40, 1 + 1, "held out")


def test_a_whole_sentence_is_compared_by_the_mean_of_its_words() -> None:
    run = s2s.load(DEMO)
    answer = Have().answer(Neighbors(DEMO, HERE, unit="sentence"))
    nearest = answer.layers[-1][0]
    means = [
        states.words_of(run, run.states(text, "le")).vectors[-1].mean(0)
        for text in (HERE, nearest.sentence)
    ]
    theirs = torch.cosine_similarity(*map(torch.from_numpy, means), dim=0)
    assert nearest.cosine == pytest.approx(float(theirs), abs=1e-4)
    assert len({row.sentence for row in answer.layers[-1]}) == len(answer.layers[-1])


@pytest.mark.parametrize(
    ("text", "unit", "said"),
    [("... !", "", "no word to compare"), (HERE, "99", "99"), (HERE, "0", "word")],
)
def test_neighbors_of_no_word_are_refused(text: str, unit: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        Have().answer(Neighbors(DEMO, text, unit))


def near(of: str, *words: str) -> NearStates:
    rows = [
        NearState(0.9 - at / 10, word, 1, f"{word} x", "dataset") for at, word in enumerate(words)
    ]
    return NearStates(of, (tuple(rows),), 3, 0, "probe", 9)


SAID_NEAR = {
    "The nearest of all sentences is “ x” (cosine 0.90).": near("", "", ""),
    "All 2 nearest are “bank” itself, in other sentences (cosine 0.90 to 0.80).": near(
        "bank", "bank", "bank"
    ),
    "2 of the 3 nearest are “bank” itself, in other sentences; the others are “shop” (cosine 0.90 to 0.70).": near(
        "bank", "bank", "shop", "bank"
    ),
    "The nearest to “bank” are other words: “shop” and “street” (cosine 0.90 to 0.80).": near(
        "bank", "shop", "street"
    ),
}


def lens(*ranks: tuple[int, ...]) -> Lens:
    """Of ranks `[position][layer]`."""
    cells = tuple(
        tuple(LensCell(("la", "le"), (0.5, 0.25), rank, 0.5) for rank in layers) for layers in ranks
    )
    tokens = ("la",) * len(ranks)
    return Lens("la", "la", ("le",) * len(ranks), tokens, cells, True, False, True)


EARLY = "Already {}, the most probable token is the target's at 1 of 2 positions, {}."
SAID_LENS = {
    "At none of the 2 positions is the target's token ever the most probable.": lens(
        (9, 2, 2), (9, 3, 4)
    ),
    "The last layer decides: before it, the most probable token is the target's at none of 2 positions, and after it"
    " at 1.": lens((9, 2, 1), (9, 3, 4)),
    EARLY.format("after layer 1", "after the last layer at 2"): lens((9, 1, 1), (9, 3, 1)),
    EARLY.format("after layer 1", "as many as after the last layer"): lens((9, 1, 2), (9, 3, 1)),
    EARLY.format("at the embeddings", "more than the 0 after the last layer"): lens((1, 2), (3, 2)),
}


@pytest.mark.parametrize(
    ("question", "findings", "said"),
    [(Neighbors(), OF_NEIGHBORS, SAID_NEAR), (LogitLens(), OF_LENS, SAID_LENS)],
    ids=["neighbors", "lens"],
)
def test_each_finding_is_said_of_its_answer_alone(
    question: Neighbors | LogitLens, findings: tuple[Finding, ...], said: dict[str, object]
) -> None:
    assert {sentence: question.finding(answer) for sentence, answer in said.items()} == {
        sentence: sentence for sentence in said
    }
    assert len(said) == len(findings)


def test_the_lens_ends_in_the_runs_next_tokens() -> None:
    run = s2s.load(DEMO)
    answer = Have().answer(LogitLens(DEMO, HERE))
    ids = run.tgt_tokenizer.encode(own(run, HERE))
    best = run.next_tokens(HERE, ids).exp().max(1)
    last = [layers[-1] for layers in answer.cells]
    np.testing.assert_allclose([cell.shares[0] for cell in last], best.values, atol=1e-5)
    assert [cell.tokens[0] for cell in last] == run.tgt_tokenizer.tokens(best.indices.tolist())
    assert answer.counts[-1] == answer.n_tokens
    rows = LogitLens().table(answer).rows
    assert len(rows) == answer.n_tokens * (answer.n_layers + 1)
    assert (
        LogitLens().table(answer).csv().startswith("position,target,layer,rank,probability,token_1")
    )


def test_the_lens_says_what_is_done_to_early_states_and_what_they_copy() -> None:
    def said(**changes: object) -> str:
        answer = replace(lens((9, 1), (9, 2)), **changes)
        picture, _ = view_of(LogitLens()).pictures(LogitLens(), answer, "m")
        return picture.caption

    assert "the final norm is applied to them" in said()
    assert "ends in its own norm" not in said()
    assert "the final norm is applied to them, too; each layer here ends in its own" in said(
        has_own_scales=True
    )
    assert "there is no final norm to apply. They" in said(is_normed=False)
    assert "2 of 2 are the token just read" in said(inputs=("la", "la"))
    assert "just read" not in said(inputs=("le", "le"))
    assert "just read" not in said(inputs=("la", "la"), is_tied=False)
    assert "need not be the most probable" in said()
