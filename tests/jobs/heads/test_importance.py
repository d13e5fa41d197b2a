import json

import numpy as np
import pytest

from s2s.analysis import KINDS, all_heads, heads
from s2s.config import UserError
from s2s.data import Pair
from s2s.jobs.heads import importance
from s2s.jobs.heads.importance import ImportanceSettings, measure
from s2s.jobs.heads.measuring import encoded
from s2s.library.checkpoints import load
from s2s.runs import Interventions, Run, runs_folder
from s2s.scores import METRICS
from tests.conftest import make_run

PAIRS = [Pair("1 2 3", "3 2 1"), Pair("4 5", "5 4"), Pair("6 1 2", "2 1 6")]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(importance, "N_RANDOM", 2)
    monkeypatch.setattr(importance, "RANDOM_POINTS", 2)
    return load(make_run(runs_folder() / "measured000000000", {"train.steps": 2}))


def test_the_result_is_that_of_the_analysis_and_fits_json(run: Run) -> None:
    steps = measure(run, PAIRS, ImportanceSettings("mean"))
    shares = []
    while True:
        try:
            shares.append(next(steps))
        except StopIteration as stop:
            found = json.loads(json.dumps(stop.value))
            break
    assert shares == sorted(shares)
    assert 0 < shares[0] <= shares[-1] <= 1
    sample, _ = encoded(run, PAIRS)
    means = heads.finish(heads.measure_means(run.model, sample))
    measured = heads.finish(heads.measure_importance(run.model, sample, "mean", means))
    gradient = heads.finish(heads.measure_gradient_importance(run.model, sample))
    for kind in KINDS:
        np.testing.assert_allclose(
            found["measured"]["value"][kind], measured.change.value[kind], atol=1e-6
        )
        np.testing.assert_allclose(
            found["measured"]["low"][kind], measured.change.low[kind], atol=1e-6
        )
        np.testing.assert_allclose(
            found["gradient"]["value"][kind], gradient.value[kind], atol=1e-6
        )
    assert found["loss"] == pytest.approx(measured.loss)
    assert (found["n"], found["n_tokens"]) == (3, measured.n_tokens)
    order = [tuple(head) for head in found["curves"]["measured"]["order"]]
    assert order == list(heads.least_first(measured.change.by_head()))
    ends = {name: (curve["loss"][0], curve["loss"][-1]) for name, curve in found["curves"].items()}
    assert len(set(ends.values())) == 1  # none and all heads are the same in every order
    assert ends["random"][0] == pytest.approx(measured.loss, abs=1e-6)


def test_the_scores_of_pruning_are_those_of_greedy_translations(run: Run) -> None:
    order = tuple(all_heads(run.model))
    steps = importance._quality(run, PAIRS, {"measured": order})
    rows = heads.finish(steps)
    assert [row["n_pruned"] for row in rows] == list(heads.numbers_pruned(len(order), 5))
    for row in rows:
        change = Interventions(tuple((head, "off") for head in order[: row["n_pruned"]]))
        with importance.ablation.active(run, change):
            texts = [one.text for one in run.translate([pair.src for pair in PAIRS], "greedy")]
        assert row["bleu"] == pytest.approx(
            METRICS["bleu"].compute(texts, [pair.tgt for pair in PAIRS]).value
        )


def test_no_pair_that_fits_is_an_error(run: Run) -> None:
    with pytest.raises(UserError, match="None of the 1 sentence pairs fits the model's positions"):
        encoded(run, [Pair("", "")])
    with pytest.raises(UserError, match="louder"):
        ImportanceSettings("louder")
