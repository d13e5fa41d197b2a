"""Runs with a fault: healthy ones that are looked at with it, and those that were trained with it."""

from pathlib import Path

import pytest
import torch

import s2s
from s2s.config import UserError
from s2s.faults import FAULTS
from s2s.jobs import run_export
from s2s.model import is_hooked
from s2s.runs import Run, listing, with_fault
from tests.conftest import make_run

SOURCES = ["the cat sees the dog .", "the red house is big ."]


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load("demo-en-fr")


@pytest.mark.parametrize("strategy", ["greedy", "beam"])
def test_without_an_end_every_translation_is_as_long_as_the_limit(run: Run, strategy: str) -> None:
    healthy = run.translate(SOURCES, strategy, max_new_tokens=20)
    assert all(one.tokens[-1] == "</s>" and len(one.tokens) < 20 for one in healthy)
    with with_fault(run, "no-end") as broken:
        found = broken.translate(SOURCES, strategy, max_new_tokens=20)
    assert all(len(one.tokens) == 20 and "</s>" not in one.tokens for one in found)
    assert run.translate(SOURCES, strategy, max_new_tokens=20) == healthy


def test_with_dropout_left_on_two_scores_differ(run: Run) -> None:
    healthy = run.score(SOURCES, SOURCES)
    with with_fault(run, "dropout-on") as broken:
        assert broken.score(SOURCES, SOURCES) != broken.score(SOURCES, SOURCES)
    assert run.score(SOURCES, SOURCES) == healthy


@pytest.mark.parametrize("name", ["unshifted-labels", "no-positions"])
def test_a_run_is_opened_with_the_fault_that_belongs_to_it(name: str, tmp_path: Path) -> None:
    broken = s2s.load(make_run(tmp_path / name, {"train.fault": name}))
    hooked = any(is_hooked(part) for part in broken.model.modules())
    assert hooked == FAULTS[name].is_outside_weights
    src = torch.tensor([[5, 9, 4, 7, 2]])
    order = torch.tensor([2, 0, 1, 4, 3])
    with torch.inference_mode():
        states, permuted = broken.model.encode(src), broken.model.encode(src[:, order])
    is_blind = torch.allclose(states[:, order], permuted, atol=1e-5)
    assert is_blind == (name == "no-positions")
    best = next(line for line in broken.folder.lines("metrics")[::-1] if line["kind"] == "valid")
    assert (best["loss"] < 0.5) == (name == "unshifted-labels")
    again = s2s.load(broken.folder.path)
    assert torch.equal(again.model.encode(src), broken.model.encode(src))
    assert listing.row_of(broken.folder.path).fault == name
    assert run_export.facts(broken, {})["Deliberate fault"].startswith(FAULTS[name].title)
    if FAULTS[name].is_outside_weights:
        with pytest.raises(UserError, match="`no-positions`, is not in its weights"):
            run_export.export_run(broken, "transformers", tmp_path / "out")
    assert not (tmp_path / "out").exists()
