"""What exercises find among the visitor's runs and evaluations."""

import json
from pathlib import Path
from typing import Any

import pytest

from s2s import settings
from s2s.config import PRESETS, override
from s2s.lessons import RUN_CONDITIONS, Context, Verdict
from s2s.runs import EvaluationFolder, Sentences, System
from s2s.runs.evaluations import Evaluation, evaluations_folder

HERE = Context("demo-en-fr")


def judged(name: str) -> Verdict:
    return RUN_CONDITIONS[name].judge(HERE)


def store(
    name: str,
    accuracy: float | None,
    state: str = "done",
    source: str = "builtin:en-fr",
    **changes: Any,
) -> None:
    """A run with these settings, as training leaves it."""
    folder = settings.home() / "runs" / name
    (folder / "checkpoints").mkdir(parents=True)
    recipe = override(
        PRESETS["small"].recipe, {key.replace("__", "."): value for key, value in changes.items()}
    )
    about = {"format": 1, "name": name, "owner": "local", "preset": "small", "source": source}
    about |= {"created": "2026-01-01T00:00:00+00:00", "recipe": recipe.to_json()}
    (folder / "recipe.json").write_text(json.dumps(about))
    status = {
        "format": 1,
        "state": state,
        "step": 5,
        "steps": 5,
        "updated": "2026-01-01T00:00:00+00:00",
    }
    if accuracy is not None:
        status |= {"best_step": 5, "best_loss": 1 - accuracy, "token_accuracy": accuracy}
    (folder / "status.json").write_text(json.dumps(status))
    (folder / "checkpoints" / "step-00000005.safetensors").touch()


@pytest.mark.parametrize("name", RUN_CONDITIONS)
def test_without_runs_it_says_what_to_do(name: str) -> None:
    verdict = judged(name)
    assert verdict.level == "wrong"
    assert "press" in verdict.sentence


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("reverse_direction_run", {"data__task": "reverse_direction"}),
        ("several_tasks_run", {"source": "builtin:tasks"}),
    ],
)
def test_a_run_has_to_learn_its_task(name: str, changes: dict[str, Any]) -> None:
    store("other", 0.99)
    assert judged(name).level == "wrong"
    store("early", 0.42, **changes)
    assert judged(name).level == "nearly"
    assert "42%" in judged(name).sentence
    store("late", 0.93, **changes)
    assert judged(name) == Verdict("right", judged(name).sentence)
    assert "93%" in judged(name).sentence


def test_span_corruption_needs_no_accuracy() -> None:
    store("spans", 0.3, data__task="denoise")
    assert judged("span_corruption_run").level == "right"


def test_two_runs_may_differ_in_sharing_only() -> None:
    name = "shared_and_separate_runs"
    store("shared", 0.8)
    assert judged(name).level == "nearly"
    store("seed", 0.8, model__embeddings__shared=False, train__seed=7)
    assert judged(name).level == "nearly"
    store("separate", 0.7, model__embeddings__shared=False)
    verdict = judged(name)
    assert verdict.level == "right"
    assert "shared embeddings reach 0.200" in verdict.sentence


def test_beam_has_to_beat_greedy() -> None:
    def evaluate(name: str, greedy: float, beam: float) -> None:
        systems = tuple(
            System(each, run="demo-en-fr", step=1500, strategy=each) for each in ("greedy", "beam")
        )
        folder = EvaluationFolder(Path(evaluations_folder()) / name)
        folder.create(
            Evaluation(
                name,
                name,
                "local",
                "2026-01-01T00:00:00+00:00",
                "demo-en-fr",
                Sentences("x"),
                systems,
            )
        )
        scores = [{"bleu": {"value": value}} for value in (greedy, beam)]
        folder.set_scores({"n": 2, "is_final": True, "systems": scores})

    evaluate("first", 50.0, 50.0)
    assert judged("beam_beats_greedy").level == "nearly"
    evaluate("second", 50.0, 50.25)
    verdict = judged("beam_beats_greedy")
    assert verdict.level == "right"
    assert "BLEU 50.25 with beam search, 50.00 greedy" in verdict.sentence
