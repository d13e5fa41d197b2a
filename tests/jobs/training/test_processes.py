"""Trainings of several processes: torchrun starts them in a terminal, and the queue none."""

from pathlib import Path

import pytest

from s2s.config import PRESETS, Recipe, UserError, override
from s2s.jobs import queue, training
from s2s.jobs.training import command
from s2s.model.weights import saved_steps
from s2s.runs import RunFolder, runs_folder
from s2s.settings import OWNER
from tests.conftest import TINY, make_run
from tests.jobs.context import FakeContext

REFUSED = (
    r"^`train.processes` is 2, and 1 process trains here; start as many with torchrun in a terminal"
)


def recipe(n: int) -> Recipe:
    return override(PRESETS["small"].recipe, {**TINY, "train.steps": 4, "train.processes": n})


def test_the_command_of_a_run_with_several_processes_starts_as_many() -> None:
    about = {"source": "builtin:en-fr", "preset": "small"}
    wanted = "torchrun --nproc_per_node 2 -m s2s train --source builtin:en-fr"
    assert command.to_repeat(recipe(2), about).startswith(wanted)
    assert command.to_repeat(Recipe(), about).startswith("python -m s2s train")


def test_bad_numbers_of_processes_are_refused(tmp_path: Path) -> None:
    for n in (0, -1, 65, "two", 1.5):
        with pytest.raises(UserError, match=r"`processes` .*; give"):
            override(Recipe(), {"train.processes": n})
    assert "processes" not in Recipe().to_json()["train"]
    assert Recipe.from_json(recipe(2).to_json()) == recipe(2)
    with pytest.raises(UserError, match=REFUSED):
        make_run(tmp_path / "run", {"train.processes": 2})


def test_the_queue_takes_no_run_of_several_processes() -> None:
    request = training.RunRequest(recipe(2), "synthetic:reverse#rows=80", None, name="one")
    with pytest.raises(UserError, match=REFUSED):
        training.submit(request)
    assert not queue.jobs(OWNER)
    # as an earlier version queued it
    queue.submit("train", OWNER, "one", request.to_spec())
    job = queue.claim("w", "h", "long", 20.0)
    assert job
    with pytest.raises(UserError, match=REFUSED):
        list(training.work(job, FakeContext()))
    assert not (runs_folder() / "one").exists()


def test_the_queue_resumes_no_run_of_several_processes() -> None:
    path = make_run(runs_folder() / "one", {"train.steps": 4})
    folder = RunFolder(path)
    assert saved_steps(folder.checkpoints)
    folder.amend(lambda about: {"recipe": recipe(2).to_json()})
    with pytest.raises(UserError, match=REFUSED):
        training.submit_resume("one", OWNER, 8)
    queue.submit("train", OWNER, "one", training.RunRequest(recipe(2), "x", None).to_spec())
    job = queue.claim("w", "h", "long", 20.0)
    assert job
    with pytest.raises(UserError, match=REFUSED):
        list(training.work(job, FakeContext()))
