"""What ships for the page Heads is what would be measured now, and the page finds it."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.make import measurements, trained
from s2s.demo import DEMOS
from s2s.files import from_json
from s2s.jobs import head_samples, head_service, test_sets
from s2s.library.checkpoints import load
from s2s.questions import RolesByStep
from s2s.runs import Measurement, Sentences


def shipped(name: str, experiment: str, split: str) -> dict[str, object] | None:
    sentences = Sentences("any name", split=split, run=name, n=measurements.N)
    return head_service.result(Measurement(name, load(name).step, experiment, sentences))


@pytest.mark.parametrize("name", DEMOS)
def test_the_page_finds_roles_of_every_demo(name: str) -> None:
    for split in measurements.SPLITS[name]:
        found = shipped(name, "roles", split)
        assert found is not None
        assert found["n"] == measurements.N


@pytest.mark.slow
def test_the_shipped_roles_are_those_measured_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shipped("demo-en-fr", "roles", test_sets.HELD_OUT)
    monkeypatch.setattr(measurements, "SPLITS", {"demo-en-fr": (test_sets.HELD_OUT,)})
    monkeypatch.setattr(measurements, "ALIGNED", ())
    monkeypatch.setattr(trained, "RUNS", tmp_path)
    measurements.make("demo-en-fr")
    (path,) = tmp_path.glob("*/measurements/*.json")
    now = json.loads(path.read_bytes())
    assert before is not None
    for kind, one in now["kinds"].items():
        assert one["role"] == before["kinds"][kind]["role"]
    assert [one["hits"] for one in now["relations"]] == [one["hits"] for one in before["relations"]]


@pytest.mark.parametrize(("name", "most"), [("demo-en-fr", 0.1), ("demo-en-es", 0.1)])
def test_a_head_of_a_demo_aligns_words(name: str, most: float) -> None:
    found = shipped(name, "alignment", test_sets.HELD_OUT)
    assert found is not None
    assert found["n"] == measurements.N
    errors = np.array(found["error"], float)
    assert errors.min() < most
    assert errors[found["reductions"].index("shift")].min() > 0.5  # type: ignore[attr-defined]


def test_the_history_says_of_which_run_it_is() -> None:
    found = shipped(measurements.TRAINED_AGAIN, "roles-history", test_sets.HELD_OUT)
    assert found is not None
    history = from_json(RolesByStep, found)
    assert [at.step for at in history.checkpoints] == [*range(100, 1501, 100)]
    assert "trained again" in history.note
    _, losses = history.loss
    assert losses[0] > 10 * losses[-1]


def test_the_page_finds_the_importance_of_every_demo_s_heads() -> None:
    for name in DEMOS:
        found = shipped(name, "importance", measurements.SPLITS[name][0])
        assert found is not None
        assert found["n"] == measurements.N


def test_the_loss_with_all_heads_is_the_model_s_own() -> None:
    name = "demo-en-fr"
    found = shipped(name, "importance", test_sets.HELD_OUT)
    assert found is not None
    run = load(name)
    pairs = head_samples.read(Sentences("", split=test_sets.HELD_OUT, run=name, n=measurements.N))
    forced = run.force([pair.src for pair in pairs], [pair.tgt for pair in pairs])
    loss = -sum(one.log_prob for one in forced) / sum(one.n_tokens for one in forced)
    assert found["loss"] == pytest.approx(loss, rel=1e-4)
