import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import s2s
from s2s.analysis import GoldLinks, heads
from s2s.analysis.alignment_links import LINK_METHODS
from s2s.config import UserError, override
from s2s.data import Gold, Link, Pair
from s2s.jobs.heads import alignment
from s2s.jobs.heads.alignment import AlignmentSettings, measure, seconds
from s2s.runs import EncodedPair, Run, encoded_pairs

GOLD = Gold((Link(0, 0), Link(1, 2), Link(2, 1)), possible=(Link(0, 1),))
HOUSE = Pair("the red house", "la maison rouge", GOLD)
CAT = Pair("the cat sits", "le chat est assis", Gold((Link(0, 0), Link(1, 1), Link(2, 3))))


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load("demo-en-fr")


def measured(run: Run, *pairs: Pair) -> dict[str, object]:
    """As it is written and read again."""
    found = heads.finish(measure(run, pairs, AlignmentSettings()))
    return dict(json.loads(json.dumps(found, allow_nan=False)))


def test_gold_links_are_scored_and_what_is_left_out_is_counted(run: Run) -> None:
    long = Pair("the " * 300, "la " * 300, GOLD)
    found = measured(run, HOUSE, Pair("the cat", "le chat"), CAT, long)
    assert (found["gold"], found["n"]) == (True, 2)
    assert (found["n_sure"], found["n_possible"]) == (6, 7)
    assert sum(found["left_out"].values()) == 2  # type: ignore[attr-defined]
    assert found["left_out"]["without gold links"] == 1  # type: ignore[index]
    pairs = encoded_pairs(run, [(pair.src, pair.tgt) for pair in (HOUSE, CAT)])
    gold = [
        GoldLinks(frozenset(pair.gold.links), frozenset(pair.gold.possible))
        for pair in (HOUSE, CAT)
        if pair.gold
    ]
    grid = heads.finish(heads.measure_alignment(run.model, pairs, gold))
    assert found["error"] == grid.scores.error.round(4).tolist()
    assert found["methods"] == [*LINK_METHODS]
    assert np.shape(found["low"]) == grid.scores.error.shape


def test_without_gold_it_is_agreement(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = measured(run, *(Pair(pair.src, pair.tgt) for pair in (HOUSE, CAT)))
    assert (found["gold"], found["n"]) == (False, 2)
    f1 = np.array(found["f1"])
    assert f1.shape[2:] == (8, 8)
    assert (np.diagonal(f1, axis1=2, axis2=3) == 1).all()
    with_others = np.array(found["with_others"])  # (reductions, methods, layers, heads)
    assert with_others[0, 0, 1, 2] == pytest.approx(np.delete(f1[0, 0, 6], 6).mean(), abs=1e-3)
    monkeypatch.setattr(alignment, "MOST_PAIRED", 7)
    found = measured(run, *(Pair(pair.src, pair.tgt) for pair in (HOUSE, CAT)))
    assert found["f1"] is None
    assert np.shape(found["with_others"]) == with_others.shape


def test_what_cannot_be_aligned_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def in_one_word(run: Run, pairs: Sequence[tuple[str, str]]) -> list[EncodedPair]:
        return [replace(one, src_words=0 * one.src_words) for one in encoded_pairs(run, pairs)]

    monkeypatch.setattr(alignment, "encoded_pairs", in_one_word)
    with pytest.raises(UserError, match=r"can be aligned \(2 whose tokens make other words"):
        measured(run, HOUSE, CAT)


def test_the_forecast_grows_with_the_heads() -> None:
    recipe = s2s.load("demo-en-fr").recipe
    larger = override(recipe, {"model.n_layers": 12, "model.n_heads": 16})
    assert seconds(larger) == pytest.approx(24 * seconds(recipe))
    assert 500 * seconds(recipe) < 10
