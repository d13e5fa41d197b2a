"""What exercises find among the visitor's runs and evaluations."""

import json
from typing import Any

import pytest

import s2s
from s2s import settings
from s2s.config import PRESETS, override
from s2s.jobs import EvaluationRequest, evaluation_service
from s2s.lessons import LESSONS, RUN_CONDITIONS, Context, Verdict
from s2s.library import Library
from s2s.processes import queue
from s2s.runs import Sentences, System
from tests.jobs.context import FakeContext

HERE = Context("demo-en-fr")
KING = LESSONS["decoding"].steps[0].view.values["src"]


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


def evaluate(source: str, reference: str) -> None:
    """As the page Evaluate and a worker do it."""
    systems = tuple(
        System(name, run="demo-en-fr", step=1500, strategy=name, settings=settings)
        for name, settings in (("greedy", {}), ("beam", {"num_beams": 2, "length_penalty": 0.0}))
    )
    pairs = ((source, reference),)
    test = Sentences("mine", n=1)
    id = evaluation_service.submit(EvaluationRequest(systems, test, pairs, run="demo-en-fr"))
    Library().evaluation(id).set_words({})  # without the text that the demo was trained on
    job = queue.latest(id)
    assert job
    claimed = queue.claim("w", "h", job.slot, 600.0)
    assert claimed
    list(evaluation_service.work(claimed, FakeContext()))
    queue.finish(claimed.id, claimed.worker, "done")


def test_beam_has_to_beat_greedy() -> None:
    run = s2s.load("demo-en-fr")
    evaluate("the red house", "la maison rouge")
    assert judged("beam_beats_greedy").level == "nearly"
    (better,) = run.translate([KING], "beam", num_beams=2, length_penalty=0.0)
    evaluate(KING, better.text)
    verdict = judged("beam_beats_greedy")
    assert verdict.level == "right"
    assert "BLEU 100.00 with beam search" in verdict.sentence
