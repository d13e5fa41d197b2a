import hashlib
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from s2s.cli import main
from s2s.config import Recipe, UserError, asker, override
from s2s.jobs import training
from s2s.jobs.training import live_controls
from s2s.library.own import annotate
from s2s.model.weights import weights_path
from s2s.processes import queue
from s2s.runs import RunFolder, attention_history, runs_folder
from s2s.settings import home
from s2s.training import Step
from tests.conftest import make_run
from tests.jobs.context import FakeContext
from tests.jobs.training.test_runs import claim, request_for, submitted

STEPS = 20


@pytest.fixture
def tiny(tiny: Recipe) -> Recipe:
    """Without what is only watched: that it changes no bit, test_checkpoint_evaluation.py shows."""
    watched = {"train.watch.scores": 0, "train.watch.samples": 0}
    return override(tiny, {**watched, "train.steps": STEPS})


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_controls, "POLL", 0.0)


def claimed(recipe: Recipe) -> tuple[queue.Job, FakeContext]:
    training.submit(request_for(recipe))
    return claim(), FakeContext()


def train(
    job: queue.Job,
    context: FakeContext,
    at: Callable[[int], None] = lambda step: None,
    until: int = STEPS,
) -> list[int]:
    """The steps taken; `at` is called after each."""
    steps = []
    events = training.work(job, context)
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
    return hashlib.sha256(
        weights_path(runs_folder() / run / "checkpoints", step).read_bytes()
    ).hexdigest()


@pytest.mark.slow
def test_a_paused_training_waits_takes_single_steps_and_ends_like_an_unpaused_one(
    tiny: Recipe,
) -> None:
    recipe = override(tiny, {"train.threads": 1})
    plain, _ = claimed(recipe)
    list(training.work(plain, FakeContext()))
    queue.finish(plain.id, "w", "done")
    job, context = claimed(recipe)
    events = training.work(job, context)

    def steps(n: int) -> list[int]:
        return [
            event.step
            for _, event in zip(range(n), events, strict=False)
            if isinstance(event, Step)
        ]

    while not isinstance(event := next(events), Step):
        pass
    assert event.step == 1
    context.request(pause=True)
    assert steps(50) == []
    context.request(once=1)
    assert steps(50) == [2]
    context.request(once=3)  # pressed twice between two looks
    assert steps(50) == [3, 4]
    context.request(pause=False)
    assert steps(10_000) == list(range(5, STEPS + 1))
    assert weights(job.run) == weights(plain.run)
    lines = [
        line
        for line in RunFolder(runs_folder() / job.run).lines("metrics")
        if line["kind"] == "train"
    ]
    assert [line["step"] for line in lines if line.get("first")] == [
        1,
        2,
        3,
        4,
        5,
    ]  # before each lies a pause


def test_a_pause_that_is_forgotten_stops_and_saves(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_controls, "LONGEST_PAUSE", 0.0)
    job, context = claimed(tiny)
    context.request(pause=True)
    events = training.work(job, context)
    while not isinstance(next(events), Step):
        pass
    for _ in range(3):
        next(events)
    assert submitted(job.run).stop
    events.close()
    folder = RunFolder(runs_folder() / job.run)
    assert folder.status()["state"] == "stopped"
    assert "It was paused for" in folder.status()["ended"]
    assert weights_path(folder.checkpoints, 1).is_file()


def test_another_learning_rate_holds_from_the_next_step_and_is_written_down(tiny: Recipe) -> None:
    recipe = override(
        tiny, {"train.schedule": "constant", "train.warmup_steps": 0, "train.lr": 0.01}
    )
    job, context = claimed(recipe)
    train(
        job,
        context,
        lambda step: (
            context.request(lr=0.002)
            if step == 7
            else context.request(lr=0.0)
            if step == 15
            else None
        ),
    )
    folder = RunFolder(runs_folder() / job.run)
    rates = {
        line["step"]: line["lr"] for line in folder.lines("metrics") if line["kind"] == "train"
    }
    assert {step for step, rate in rates.items() if rate == 0.01} == set(range(1, 8))
    assert {step for step, rate in rates.items() if rate == 0.002} == set(range(8, 16))
    assert {step for step, rate in rates.items() if rate == 0.0} == set(range(16, STEPS + 1))
    changes = [
        (line["step"], line["lr"]) for line in folder.lines("metrics") if line["kind"] == "change"
    ]
    about = folder.about()
    assert (
        changes
        == [(change["step"], change["lr"]) for change in about["changes"]]
        == [(8, 0.002), (16, 0.0)]
    )
    assert about["command"].endswith(
        "# and then: train.lr=0.002 from step 8, train.lr=0.0 from step 16"
    )
    assert folder.recipe().train.lr == 0.01


def killed(job: queue.Job, context: FakeContext, at: int, wishes: Mapping[int, float]) -> int:
    """Train up to a step and leave the folder as a process does that is killed there; returns the first step.

    `wishes` are learning rates by step.
    """
    path = runs_folder() / job.run
    events = training.work(job, context)
    steps = []
    for event in events:
        if isinstance(event, Step):
            steps.append(event.step)
            if event.step in wishes:
                context.request(lr=wishes[event.step])
            if event.step == at:
                break
    kept = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    events.close()
    for file in [file for file in path.rglob("*") if file.is_file() and file not in kept]:
        file.unlink()
    for file, content in kept.items():
        file.write_bytes(content)
    return steps[0]


@pytest.mark.slow
def test_a_changed_run_that_is_killed_resumes_as_if_it_had_not_been(tiny: Recipe) -> None:
    """Before its first checkpoint and after it: the wishes of the processes that were killed still stand."""
    wishes = {5: 0.002, 13: 0.001}
    undisturbed, context = claimed(tiny)
    train(
        undisturbed,
        context,
        lambda step: context.request(lr=wishes[step]) if step in wishes else None,
    )
    queue.finish(undisturbed.id, "w", "done")
    job, context = claimed(tiny)
    killed(job, context, 8, wishes)
    annotate(job.run, asker.LOCAL, tags=["a", "b"], comment="c")
    assert killed(job, context, 17, wishes) == 1
    assert train(job, context)[0] == 11
    assert weights(job.run) == weights(undisturbed.run)
    folder = RunFolder(runs_folder() / job.run)
    changes = [line for line in folder.lines("metrics") if line["kind"] == "change"]
    about = folder.about()
    for noted in (changes, about["changes"]):
        assert [(change["step"], change["lr"]) for change in noted] == [(6, 0.002), (14, 0.001)]
    assert (about["tags"], about["comment"]) == (["a", "b"], "c")


def test_a_run_can_continue_with_another_learning_rate_and_more_steps() -> None:
    folder = RunFolder(make_run(runs_folder() / "mine", {}))
    training.submit_resume(folder.id, asker.LOCAL, steps=33, lr=0.5)
    again, context = claim(), FakeContext()
    events = training.work(again, context)
    while not isinstance(next(events), Step):
        pass
    events.close()
    list(training.work(again, context))  # a worker that takes it over finds it written down
    about = folder.about()
    assert [
        (change["step"], change.get("steps"), change.get("lr")) for change in about["changes"]
    ] == [(31, 33, None), (31, None, 0.5)]
    assert about["command"].endswith(
        "# and then: train.steps=33 from step 31, train.lr=0.5 from step 31"
    )
    assert about["recipe"]["train"]["steps"] == folder.status()["step"] == 33
    steps = [line["step"] for line in folder.lines("metrics") if line["kind"] == "train"]
    assert steps == [*range(1, 34)]


@pytest.mark.slow
def test_the_line_that_repeats_a_run_repeats_it(tiny: Recipe, tmp_path: Path) -> None:
    job, context = claimed(override(tiny, {"train.lr": 0.004}))
    train(job, context)
    words = shlex.split(RunFolder(runs_folder() / job.run).about()["command"])
    assert words[:3] == ["python", "-m", "s2s"]
    words[words.index("--out") + 1] = str(tmp_path / "again")
    assert main(words[3:]) == 0
    assert (
        weights(job.run)
        == hashlib.sha256(
            weights_path(tmp_path / "again" / "checkpoints", STEPS).read_bytes()
        ).hexdigest()
    )


@pytest.mark.slow
def test_who_takes_a_resumed_run_over_changes_nothing_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(runs_folder() / "mine", {})
    training.submit_resume("mine", asker.LOCAL, steps=42, lr=0.005)
    job = claim()
    shutil.copytree(home(), tmp_path / "another")
    context = FakeContext()
    train(job, context, lambda step: context.request(lr=0.001) if step == 35 else None)
    undisturbed = weights(job.run, 42)
    monkeypatch.setenv("S2S_HOME", str(tmp_path / "another"))
    context = FakeContext()
    killed(job, context, 41, {35: 0.001})
    assert train(job, context)[0] == 41
    assert weights(job.run, 42) == undisturbed
    changes = RunFolder(runs_folder() / job.run).about()["changes"]
    assert [(change["step"], change["lr"]) for change in changes if "lr" in change] == [
        (31, 0.005),
        (36, 0.001),
    ]


def test_nothing_is_noted_of_a_request_that_the_queue_refuses(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_run(runs_folder() / "mine", {}) / "recipe.json"
    before = path.read_bytes()
    training.submit(request_for(tiny))
    monkeypatch.setenv("S2S_MAX_JOBS", "1")
    with pytest.raises(UserError):
        training.submit_resume("mine", asker.LOCAL, steps=60, lr=0.005)
    assert path.read_bytes() == before


@pytest.mark.parametrize(("step", "state"), [(10, "stopped"), (STEPS, "done")])
def test_a_stop_owes_its_step_what_was_due(step: int, state: str, tiny: Recipe) -> None:
    job, context = claimed(tiny)
    events = training.work(job, context)
    while not (isinstance(event := next(events), Step) and event.step == step):
        pass
    events.close()
    folder = RunFolder(runs_folder() / job.run)
    assert folder.status()["state"] == state
    assert [line["step"] for line in folder.lines("metrics") if line["kind"] == "valid"] == list(
        range(0, step + 1, 10)
    )
    assert attention_history.saved_steps(folder)[-1] == step


def test_early_stopping_outlives_a_kill_and_gives_way_to_who_asks_for_more(tiny: Recipe) -> None:
    job, context = claimed(override(tiny, {"train.lr": 0.0, "train.watch.patience": 1}))
    killed(job, context, 10, {})
    events = [event for event in training.work(job, context) if isinstance(event, Step)]
    assert events[-1].step == 10 or not events
    queue.finish(job.id, "w", "done")
    status = RunFolder(runs_folder() / job.run).status()
    assert status["state"] == "done"
    assert "Early stopping ended it at step 10 of 20:" in status["ended"]
    training.submit_resume(job.run, asker.LOCAL)
    steps = [event.step for event in training.work(claim(), context) if isinstance(event, Step)]
    assert steps[0] == 11
