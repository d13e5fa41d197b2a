import json

import numpy as np
import pytest

from s2s.analysis import Head, heads
from s2s.config import UserError
from s2s.data import Pair
from s2s.jobs.heads import ablation as experiment
from s2s.jobs.heads.measuring import encoded
from s2s.library.checkpoints import load
from s2s.runs import Interventions, Run, runs_folder
from s2s.runs.intervention import active
from s2s.runs.teacher_forcing import reference
from s2s.scores import METRICS
from tests.conftest import make_run

PAIRS = [Pair("1 2 3", "3 2 1"), Pair("4 5", "5 4"), Pair("6 1 2 2", "2 2 1 6")]
HEADS = "cross.1.1=off encoder=mean"


@pytest.fixture
def run() -> Run:
    return load(make_run(runs_folder() / "measured000000000", {"train.steps": 2}))


def test_every_number_is_that_of_sentences_one_by_one(run: Run) -> None:
    found = json.loads(
        json.dumps(heads.finish(experiment.measure(run, PAIRS, experiment.AblationSettings(HEADS))))
    )
    means = heads.finish(experiment.measure_means(run, PAIRS, experiment.MeansSettings()))
    change = experiment.interventions(
        run, HEADS, {Head(*row[:3]): tuple(row[3]) for row in means["means"]}
    )
    before = [reference(run, pair.src, pair.tgt) for pair in PAIRS]
    old = [one.text for one in run.translate([pair.src for pair in PAIRS], "greedy")]
    with active(run, change):
        after = [reference(run, pair.src, pair.tgt) for pair in PAIRS]
        new = [one.text for one in run.translate([pair.src for pair in PAIRS], "greedy")]
    n_tokens = sum(len(one.ids) for one in before)
    assert (found["n"], found["n_tokens"]) == (3, n_tokens)
    for name, each in (("before", before), ("after", after)):
        loss = -sum(one.log_prob for one in each) / n_tokens
        assert found["loss"][name] == pytest.approx(loss, abs=1e-5)
    targets = [pair.tgt for pair in PAIRS]
    assert found["scores"]["chrf"]["before"] == pytest.approx(
        METRICS["chrf"].compute(old, targets).value
    )
    assert found["scores"]["chrf"]["after"] == pytest.approx(
        METRICS["chrf"].compute(new, targets).value
    )
    rows = {row["src"]: row for row in found["sentences"]}
    for pair, one, other, text in zip(PAIRS, before, after, new, strict=True):
        row = rows[pair.src]
        assert row["after"] == text
        assert row["log_prob_before"] == pytest.approx(one.log_prob / len(one.ids), abs=1e-4)
        assert row["log_prob_after"] == pytest.approx(other.log_prob / len(other.ids), abs=1e-4)
    seen: dict[str, list[tuple[float, float]]] = {}
    for one, other in zip(before, after, strict=True):
        for token, *values in zip(one.tokens, one.log_probs, other.log_probs, strict=True):
            seen.setdefault(token, []).append((values[0], values[1]))
    for row in found["tokens"]:
        values = np.array(seen[row["token"]])
        assert row["n"] == len(values)
        assert [row["before"], row["after"]] == pytest.approx(list(values.mean(0)), abs=1e-4)
    assert len(found["tokens"]) == len(seen)
    changes = [row["n"] * (row["after"] - row["before"]) for row in found["tokens"]]
    assert changes == sorted(changes)


def test_nothing_changes_without_interventions(run: Run) -> None:
    sample, _ = encoded(run, PAIRS)
    plain = heads.finish(experiment.ablation.forced_with(run, sample, Interventions()))
    sums = experiment.ablation.by_sentence(sample, plain)
    assert sums.tolist() == pytest.approx(
        [reference(run, pair.src, pair.tgt).log_prob for pair in PAIRS], abs=1e-4
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("cross.9.1=off", r"`cross\.9\.1=off` names no head or intervention of this model; write"),
        ("cross.1.1=louder", "with one of off, uniform, mean"),
        ("", "No head is ablated; choose at least one"),
    ],
)
def test_an_impossible_request_is_a_sentence(run: Run, text: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        experiment.interventions(run, text, {})


def test_only_the_means_that_are_needed_travel(run: Run) -> None:
    means = {Head("cross", 0, 0): (1.0,), Head("encoder", 0, 0): (2.0,)}
    found = experiment.interventions(run, "encoder.1.1=mean cross.1.1=off", means)
    assert found.means == ((Head("encoder", 0, 0), (2.0,)),)
