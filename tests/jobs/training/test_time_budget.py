import itertools
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from s2s.config import PRESETS, Recipe, UserError, flat, override, parse_assignments
from s2s.jobs import training
from s2s.jobs.plan.time_budget import CHOSEN
from s2s.jobs.training import loop
from s2s.runs import RunFolder, inspection
from s2s.training import Budget, Planned
from tests.jobs.training.test_runs import request_for, submitted

MINUTES = 0.5


def ticking() -> Callable[[], float]:
    """A clock that is a second later whenever it is read."""
    seconds = itertools.count()
    return lambda: float(next(seconds))


def test_a_run_with_minutes_is_done_at_the_step_that_they_had_time_for(
    tiny: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "Budget", lambda minutes, since: Budget(minutes, clock=ticking()))
    limited = override(tiny, {"train.minutes": MINUTES, "train.watch.scores": 0})
    events = list(training.run(training.start(request_for(limited), tmp_path / "run")))
    folder = RunFolder(tmp_path / "run")
    about = folder.about()
    status = folder.status()
    steps = about["recipe"]["train"]["steps"]
    assert (status["state"], status["step"], status["steps"]) == ("done", steps, steps)
    assert about["plan"] == [
        {"step": one.step, "steps": one.steps} for one in events if isinstance(one, Planned)
    ]
    assert about["plan"][-1]["steps"] == steps < about["plan"][0]["steps"]
    assert inspection.ABOUT["plan"](about["plan"])
    assert f"at step {steps}, of about {about['plan'][0]['steps']:,} " in status["ended"]
    with pytest.raises(training.RunFinishedError):
        training.resume(folder.path)
    longer = training.resume(folder.path, training.Continuation(steps=steps + 2)).recipe.train
    assert (longer.steps, longer.minutes) == (steps + 2, None)


def test_the_command_of_a_quick_run_repeats_all_that_it_chose(tmp_path: Path) -> None:
    recipe = override(PRESETS["quick"].recipe, {"train.minutes": 0.5, "train.device": "cpu"})
    request = replace(request_for(recipe), preset="quick", given=("model.d_model",))
    run = training.start(request, tmp_path / "run")
    words = shlex.split(run.folder.about()["command"])
    repeated = parse_assignments(
        [words[at + 1] for at, word in enumerate(words) if word == "--set"]
    )
    chosen = flat(run.recipe)
    assert {key: repeated[key] for key in CHOSEN} == {key: chosen[key] for key in CHOSEN}
    assert chosen["model.d_model"] == 128
    assert chosen["model.decoder.d_ff"] == 512


def test_minutes_take_all_cores_and_no_more_than_are_allowed(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {0, 1})
    limited = override(tiny, {"train.threads": 0, "train.minutes": 10})
    assert submitted(training.submit(request_for(limited))).spec["threads"] == 2
    monkeypatch.setenv("S2S_MAX_MINUTES", "5")
    with pytest.raises(UserError, match=r"`train.minutes` 10 is more than the 5 allowed here"):
        training.submit(request_for(limited))


def test_only_a_time_budget_lets_the_threads_of_a_job_spin(tiny: Recipe) -> None:
    two = override(tiny, {"train.threads": 2})
    limited = {"train.minutes": 10}
    recipes = [two, override(two, limited), override(tiny, limited)]
    specs = [submitted(training.submit(request_for(recipe))).spec for recipe in recipes]
    assert [spec["spins"] for spec in specs] == [False, True, False]
