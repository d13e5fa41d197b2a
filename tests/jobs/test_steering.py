import hashlib
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from s2s.cli import main
from s2s.config import Recipe, override
from s2s.jobs import queue, steering, training
from s2s.model.weights import weights_path
from s2s.runs import RunFolder
from s2s.runs.listing import runs_folder
from s2s.settings import OWNER
from s2s.train import Step
from tests.jobs.desk import Desk
from tests.jobs.test_training import asked, claim, submitted

STEPS = 30


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steering, "LOOK", 0.0)


def begun(recipe: Recipe) -> tuple[queue.Job, Desk]:
    training.submit(asked(recipe))
    return claim(), Desk()


def train(job: queue.Job, desk: Desk, at: Callable[[int], None] = lambda step: None, until: int = STEPS) -> list[int]:
    """The steps taken; `at` is called after each."""
    steps = []
    events = training.work(job, desk)
    for event in events:
        if isinstance(event, Step):
            steps.append(event.step)
            at(event.step)
            if event.step == until:
                break
    if until == STEPS:
        list(events)
    return steps


def weights(run: str, step: int = STEPS) -> str:
    return hashlib.sha256(weights_path(runs_folder() / run / "checkpoints", step).read_bytes()).hexdigest()


def test_a_paused_training_stands_still_takes_single_steps_and_ends_like_any_other(tiny: Recipe) -> None:
    recipe = override(tiny, {"train.threads": 1})
    plain, _ = begun(recipe)
    list(training.work(plain, Desk()))
    queue.finish(plain.id, "w", "done")
    job, desk = begun(recipe)
    events = training.work(job, desk)

    def steps(n: int) -> list[int]:
        return [event.step for _, event in zip(range(n), events, strict=False) if isinstance(event, Step)]

    while not isinstance(event := next(events), Step):
        pass
    assert event.step == 1
    desk.wish(pause=True)
    assert steps(50) == []
    desk.wish(once=1)
    assert steps(50) == [2]
    desk.wish(once=3)  # pressed twice between two looks
    assert steps(50) == [3, 4]
    desk.wish(pause=False)
    assert steps(10_000) == list(range(5, STEPS + 1))
    assert weights(job.run) == weights(plain.run)
    lines = [line for line in RunFolder(runs_folder() / job.run).lines("metrics") if line["kind"] == "train"]
    assert [line["step"] for line in lines if line.get("first")] == [1, 2, 3, 4, 5]  # before each lies a pause


def test_a_pause_that_is_forgotten_stops_and_saves(tiny: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steering, "LONGEST_PAUSE", 0.0)
    job, desk = begun(tiny)
    desk.wish(pause=True)
    events = training.work(job, desk)
    while not isinstance(next(events), Step):
        pass
    for _ in range(3):
        next(events)
    assert submitted(job.run).stop
    events.close()
    folder = RunFolder(runs_folder() / job.run)
    assert folder.status()["state"] == "stopped"
    assert weights_path(folder.checkpoints, 1).is_file()


def test_another_learning_rate_holds_from_the_next_step_and_is_written_down(tiny: Recipe) -> None:
    recipe = override(tiny, {"train.schedule": "constant", "train.warmup_steps": 0, "train.lr": 0.01})
    job, desk = begun(recipe)
    train(job, desk, lambda step: desk.wish(lr=0.002) if step == 7 else desk.wish(lr=0.0) if step == 20 else None)
    folder = RunFolder(runs_folder() / job.run)
    rates = {line["step"]: line["lr"] for line in folder.lines("metrics") if line["kind"] == "train"}
    assert {step for step, rate in rates.items() if rate == 0.01} == set(range(1, 8))
    assert {step for step, rate in rates.items() if rate == 0.002} == set(range(8, 21))
    assert {step for step, rate in rates.items() if rate == 0.0} == set(range(21, STEPS + 1))
    told = [(line["step"], line["lr"]) for line in folder.lines("metrics") if line["kind"] == "change"]
    about = folder.about()
    assert told == [(change["step"], change["lr"]) for change in about["changes"]] == [(8, 0.002), (21, 0.0)]
    assert about["command"].endswith("# and then: train.lr=0.002 from step 8, train.lr=0 from step 21")
    assert folder.recipe().train.lr == 0.01


def test_a_changed_run_that_is_killed_goes_on_as_if_it_had_not_been(tiny: Recipe) -> None:
    def at(step: int, desk: Desk) -> None:
        if step == 13:
            desk.wish(lr=0.001)

    undisturbed, desk = begun(tiny)
    train(undisturbed, desk, lambda step: at(step, desk))
    queue.finish(undisturbed.id, "w", "done")
    job, desk = begun(tiny)
    events = training.work(job, desk)
    for event in events:
        if isinstance(event, Step):
            at(event.step, desk)
            if event.step == 17:
                break
    path = runs_folder() / job.run
    kept = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    events.close()  # which saves: a killed process would not have
    for file in path.rglob("*step-00000017*"):
        file.unlink()
    for file, content in kept.items():
        file.write_bytes(content)
    assert train(job, desk)[0] == 11  # after the checkpoint of step 10; the wish of the first process still stands
    assert weights(job.run) == weights(undisturbed.run)
    lines = RunFolder(path).lines("metrics")
    assert [(line["step"], line["lr"]) for line in lines if line["kind"] == "change"] == [(14, 0.001)]


def test_a_run_can_go_on_with_another_learning_rate_and_more_steps(tiny: Recipe) -> None:
    job, desk = begun(tiny)
    train(job, desk)
    queue.finish(job.id, "w", "done")
    training.submit_resume(job.run, OWNER, steps=40, lr=0.5)
    again = claim()
    events = training.work(again, desk)
    while not isinstance(next(events), Step):
        pass
    events.close()
    list(training.work(again, desk))  # a worker that takes it over finds it written down
    folder = RunFolder(runs_folder() / job.run)
    about = folder.about()
    assert [(change["step"], change.get("steps"), change.get("lr")) for change in about["changes"]] == [(31, 40, None), (31, None, 0.5)]
    assert about["command"].endswith("# and then: train.steps=40 from step 31, train.lr=0.5 from step 31")
    assert about["recipe"]["train"]["steps"] == 40


def test_the_line_that_repeats_a_run_repeats_it(tiny: Recipe, tmp_path: Path) -> None:
    job, desk = begun(override(tiny, {"train.lr": 0.004}))
    train(job, desk)
    words = shlex.split(RunFolder(runs_folder() / job.run).about()["command"])
    assert words[:3] == ["python", "-m", "s2s"]
    words[words.index("--out") + 1] = str(tmp_path / "again")
    assert main(words[3:]) == 0
    assert weights(job.run) == hashlib.sha256(weights_path(tmp_path / "again" / "checkpoints", STEPS).read_bytes()).hexdigest()
