"""Trainings of several processes: torchrun starts them in a terminal, and the queue trains in one."""

import shutil
from pathlib import Path

import pytest

from s2s import cli
from s2s.config import PRESETS, Recipe, UserError, asker, override
from s2s.jobs import training
from s2s.jobs.training import command, run_limits
from s2s.model.weights import saved_steps
from s2s.processes import queue
from s2s.runs import RunFolder, runs_folder
from tests.conftest import TINY, make_run
from tests.jobs.context import FakeContext

REFUSED = (
    r"^`train.processes` is 2, and 1 process trains here; start as many with torchrun in a terminal"
)

SAID = "`train.processes` was 2, and 1 process trains this run from here on, with the same batches."


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


def begun(path: Path) -> None:
    """A run as the first one of two processes leaves it."""
    sources = "synthetic:reverse#rows=80", "synthetic:reverse#split=valid,rows=20"
    request = training.RunRequest(recipe(2), *sources)
    list(training.run(training.start(request, path, processes=2)))
    folder = RunFolder(path)
    assert (folder.recipe().train.processes, saved_steps(folder.checkpoints)) == (2, [4])


def losses(path: Path) -> list[float]:
    return [line["loss"] for line in RunFolder(path).lines("metrics") if line["kind"] == "train"]


def claim() -> queue.Job:
    job = queue.claim("w", "h", "long", 20.0)
    assert job
    return job


def test_the_queue_takes_no_new_run_of_several_processes() -> None:
    request = training.RunRequest(recipe(2), "synthetic:reverse#rows=80", None, name="one")
    with pytest.raises(UserError, match=REFUSED):
        training.submit(request)
    assert not queue.jobs(asker.LOCAL)


def test_one_that_an_earlier_version_queued_is_trained_in_one() -> None:
    request = training.RunRequest(recipe(2), "synthetic:reverse#rows=80", None, name="one")
    queue.submit("train", asker.LOCAL, "one", request.to_spec())
    context = FakeContext()
    list(training.work(claim(), context))
    folder = RunFolder(runs_folder() / "one")
    assert saved_steps(folder.checkpoints) == [4]
    assert folder.recipe() == recipe(1)
    assert SAID in context.said
    assert folder.about()["warnings"] == [SAID]


def test_what_was_changed_before_its_first_checkpoint_stays() -> None:
    folder = RunFolder(runs_folder() / "one")
    begun(folder.path)
    shutil.rmtree(folder.checkpoints)
    change = {"step": 2, "lr": 0.5, "time": 1.0}
    folder.amend(lambda about: {"changes": [change]})
    request = training.RunRequest(recipe(2), "synthetic:reverse#rows=80", None, name="one")
    queue.submit("train", asker.LOCAL, "one", request.to_spec())
    list(training.work(claim(), FakeContext()))
    assert folder.about()["changes"] == [change]


def test_the_queue_continues_a_run_of_several_processes_in_one(tmp_path: Path) -> None:
    """With the batches, the optimizer's state and the dropout of one that has had one process from the start."""
    path = runs_folder() / "one"
    begun(path)
    training.submit_resume("one", asker.LOCAL, 8)
    context = FakeContext()
    list(training.work(claim(), context))
    assert losses(path) == losses(make_run(tmp_path / "alone", {"train.steps": 8}))
    assert RunFolder(path).recipe() == override(recipe(1), {"train.steps": 8})
    assert SAID in context.said
    assert RunFolder(path).about()["warnings"] == [SAID]


def test_the_command_line_continues_it_in_one_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun(tmp_path)
    resumed = ["train", "--resume", "--out", str(tmp_path), "--set", "train.steps=5"]
    assert cli.main(resumed) == 0
    assert SAID in capsys.readouterr().err
    assert RunFolder(tmp_path).recipe().train.processes == 1


def test_any_number_continues() -> None:
    assert run_limits.with_processes(recipe(3), 3) == (recipe(3), ())
    assert run_limits.with_processes(recipe(1), 3) == (recipe(1), ())
    changed, (sentence,) = run_limits.with_processes(recipe(2), 3)
    assert changed == recipe(3)
    assert sentence.startswith("`train.processes` was 2, and 3 processes train this run")
