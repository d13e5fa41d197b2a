import shutil
import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from filelock import FileLock
from sqlalchemy.exc import OperationalError

from s2s import settings
from s2s.config import Recipe, UserError, asker
from s2s.files import UNDO_SECONDS, database
from s2s.jobs import run_service, training
from s2s.library import Sharing, sharing
from s2s.library.own import empty_trash
from s2s.processes import queue
from s2s.runs import RunFolder, runs_folder
from tests.conftest import make_run

SHARED = Sharing(link=True, data=True)


def submit(recipe: Recipe, owner: str = asker.LOCAL, name: str = "one") -> str:
    return training.submit(
        training.RunRequest(
            recipe, "synthetic:reverse#rows=80", preset="small", name=name, owner=owner
        )
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("trained") / "one", {})


def train(trained: Path, run: str, state: str = "done") -> RunFolder:
    """As a worker's child would have by now."""
    folder = RunFolder(shutil.copytree(trained, runs_folder() / run))
    folder.set_status(state, step=30, steps=30)
    return folder


def claim(now: float | None = None) -> queue.Job:
    job = queue.claim("w", "h", "long", 20.0, now=now)
    assert job is not None
    return job


def state(run: str, now: float | None = None) -> str:
    return run_service.find(run, asker.LOCAL, now=now).state


def test_a_run_is_queued_then_starting_then_running_then_what_it_ended_as(
    tiny: Recipe, trained: Path
) -> None:
    first = submit(tiny)
    second = submit(tiny)
    row = run_service.find(second, asker.LOCAL)
    assert (row.state, row.position, row.name, row.preset, row.source, row.steps) == (
        ("queued", 1, "one", "small", "synthetic:reverse#rows=80", 30)
    )
    job = claim()
    queue.set_note(job.id, job.worker, "Reading the dataset.")
    row = run_service.find(first, asker.LOCAL)
    assert (row.state, row.note, row.position, row.is_live) == (
        "starting",
        "Reading the dataset.",
        None,
        True,
    )
    train(trained, first)
    assert state(first) == "running"  # until its worker says how it ended
    queue.finish(job.id, "w", "done")
    row = run_service.find(first, asker.LOCAL)
    assert (row.state, row.step, row.checkpoints, row.is_live) == ("done", 30, (10, 20, 30), False)


def test_a_failed_job_is_there_with_its_sentence_before_it_has_a_folder(tiny: Recipe) -> None:
    run = submit(tiny)
    queue.finish(claim().id, "w", "failed", "No such file; give another.")
    assert [(row.id, row.state, row.error) for row in run_service.runs(asker.LOCAL)] == [
        (run, "failed", "No such file; give another.")
    ]


def test_a_run_whose_worker_is_silent_is_interrupted_and_says_what_comes(
    tiny: Recipe, trained: Path
) -> None:
    run = submit(tiny)
    now = time.time()
    claim(now)
    train(trained, run, "running")
    assert state(run, now + 19) == "running"
    row = run_service.find(run, asker.LOCAL, now=now + 21)
    assert (row.state, row.note) == ("interrupted", run_service.WAITS_FOR_A_WORKER)
    with FileLock(runs_folder() / run / ".lock"):  # the process lives, the database was away
        assert state(run, now + 21) == "running"


def test_a_run_that_was_trained_without_the_queue_since_is_what_its_folder_says(
    tiny: Recipe, trained: Path
) -> None:
    run = submit(tiny)
    queue.finish(claim().id, "w", "failed", "No.")
    train(trained, run)
    row = run_service.find(run, asker.LOCAL)
    assert (row.state, row.error) == ("done", "")


def test_folders_and_jobs_make_one_table_newest_first(tiny: Recipe, trained: Path) -> None:
    train(trained, "by-hand")
    waiting = submit(tiny)
    other = submit(tiny, "bob")
    assert [(row.id, row.state) for row in run_service.runs(asker.LOCAL)] == [
        (waiting, "queued"),
        ("by-hand", "done"),
    ]
    assert [row.id for row in run_service.runs("bob")] == [other]
    assert run_service.runs("nobody") == []


def test_only_ones_own_runs_are_stopped_renamed_and_deleted(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    run = submit(tiny, "bob")
    with pytest.raises(UserError, match=f"There is no run `{run}` of yours"):
        run_service.find(run, asker.LOCAL)
    with pytest.raises(UserError, match="neither waiting nor training; there is nothing to stop"):
        run_service.stop(run, asker.LOCAL)
    with pytest.raises(UserError, match=f"There is no run `{run}` of yours"):
        run_service.rename(run, asker.LOCAL, "mine")
    with pytest.raises(UserError, match=f"There is no run `{run}` of yours"):
        run_service.delete(run, asker.LOCAL)
    assert run_service.find(run, "bob").name == "one"


def test_a_waiting_run_is_renamed_stopped_and_deleted(tiny: Recipe) -> None:
    run = submit(tiny)
    run_service.rename(run, asker.LOCAL, "  two  words ")
    assert run_service.find(run, asker.LOCAL).name == "two words"
    run_service.stop(run, asker.LOCAL)
    assert state(run) == "stopped"
    with pytest.raises(UserError, match="nothing to stop"):
        run_service.stop(run, asker.LOCAL)
    run_service.delete(run, asker.LOCAL)
    assert run_service.runs(asker.LOCAL) == []
    gone = submit(tiny)
    waited = run_service.delete(gone, asker.LOCAL)  # from the queue
    assert (run_service.runs(asker.LOCAL), queue.claim("w", "h", "long", 20.0)) == ([], None)
    run_service.restore(gone, asker.LOCAL, waited)
    assert state(gone) == "queued"
    run_service.stop(gone, asker.LOCAL)
    run_service.restore(gone, asker.LOCAL, run_service.delete(gone, asker.LOCAL))
    assert state(gone) == "stopped"
    run_service.delete(gone, asker.LOCAL)


def test_a_waiting_run_that_needs_a_gpu_still_needs_it_when_it_is_restored() -> None:
    run = "abcdefgh12345678"
    job = queue.find(queue.submit("train", asker.LOCAL, run, {"name": "one"}, needs_gpu=True))
    assert job
    queue.ask_to_stop(job.id, asker.LOCAL)
    run_service.restore(run, asker.LOCAL, job)
    assert queue.claim("w", "h", "long", 20.0) is None
    assert queue.claim("w", "h", "gpu", 20.0)


def test_what_is_shared_of_a_run_goes_with_it_and_comes_back_with_it(
    tiny: Recipe, trained: Path
) -> None:
    waiting = submit(tiny)
    train(trained, "by-hand")
    for run in (waiting, "by-hand"):
        sharing.share(sharing.thing("run", run, asker.LOCAL), SHARED)
        waited = run_service.delete(run, asker.LOCAL)
        assert sharing.sharing("run", run) == Sharing()
        run_service.restore(run, asker.LOCAL, waited)
        assert sharing.sharing("run", run) == SHARED
        run_service.delete(run, asker.LOCAL)
    empty_trash(time.time() + UNDO_SECONDS + 1)
    assert list((settings.home() / "sharing").iterdir()) == []


def test_a_run_in_training_is_not_deleted_and_a_finished_one_is_with_its_jobs(
    tiny: Recipe, trained: Path
) -> None:
    run = submit(tiny)
    job = claim()
    train(trained, run)
    with pytest.raises(UserError, match="is being trained; stop it first, then delete it"):
        run_service.delete(run, asker.LOCAL)
    queue.finish(job.id, "w", "done")
    run_service.rename(run, asker.LOCAL, "better")
    assert run_service.find(run, asker.LOCAL).name == "better"
    run_service.delete(run, asker.LOCAL)
    assert (run_service.runs(asker.LOCAL), queue.jobs(asker.LOCAL)) == ([], [])
    run_service.restore(run, asker.LOCAL)
    restored = run_service.find(run, asker.LOCAL)
    assert restored.name == "better"
    assert restored.checkpoints


def test_a_lost_run_that_is_stopped_is_not_taken_up_again(tiny: Recipe) -> None:
    run = submit(tiny)
    claim(time.time() - 100)
    run_service.stop(run, asker.LOCAL)
    assert (state(run), queue.claim("v", "h", "long", 20.0)) == ("interrupted", None)


def test_the_table_of_many_runs_takes_one_query_and_parses_nothing_twice(
    trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_MAX_JOBS", "none")
    monkeypatch.setenv("S2S_MAX_QUEUE", "none")
    about = RunFolder(trained).about()
    for number in range(60):
        folder = RunFolder(runs_folder() / f"run-{number}")
        folder.write_about(about)
        folder.set_status("done", step=30, steps=30)
        queue.submit(
            "train",
            asker.LOCAL,
            folder.id,
            {"recipe": about["recipe"], "name": "", "source": "", "preset": ""},
        )
    for job in queue.jobs(asker.LOCAL):
        queue.ask_to_stop(job.id, asker.LOCAL)
    assert len(run_service.runs(asker.LOCAL)) == 60
    queries = []
    engine = database.engine(settings.database_url())
    sa.event.listen(engine, "before_cursor_execute", lambda *given: queries.append(given[2]))
    monkeypatch.setattr(RunFolder, "about", lambda self: pytest.fail(f"{self.id} is parsed again"))
    assert len(run_service.runs(asker.LOCAL)) == 60
    assert len(queries) == 1, queries


def test_a_row_says_whether_it_may_change(tiny: Recipe) -> None:
    row = run_service.find(submit(tiny), asker.LOCAL)
    states = ("queued", "starting", "running", "done", "stopped", "failed", "interrupted")
    live = {state: replace(row, state=state).is_live for state in states}
    assert [state for state, is_live in live.items() if is_live] == [
        "queued",
        "starting",
        "running",
    ]


def test_a_run_is_stopping_until_it_has_stopped(tiny: Recipe, trained: Path) -> None:
    run = submit(tiny)
    job = claim()
    assert not run_service.find(run, asker.LOCAL).is_stopping
    run_service.stop(run, asker.LOCAL)
    assert [(row.state, row.is_stopping) for row in run_service.runs(asker.LOCAL)] == [
        ("starting", True)
    ]
    train(trained, run)
    assert [(row.state, row.is_stopping) for row in run_service.runs(asker.LOCAL)] == [
        ("running", True)
    ]
    queue.finish(job.id, "w", "stopped")
    assert not run_service.find(run, asker.LOCAL).is_stopping


@pytest.mark.parametrize("name", ["recipe.json", "status.json"])
def test_a_damaged_folder_counts_as_failed_with_the_reason(
    name: str, tiny: Recipe, trained: Path
) -> None:
    run = submit(tiny)
    good = submit(tiny)
    job = claim()
    train(trained, run)
    (runs_folder() / run / name).write_text("{}" if name == "recipe.json" else "{")
    assert state(run) == "starting"
    queue.finish(job.id, "w", "done")
    rows = {row.id: row for row in run_service.runs(asker.LOCAL)}
    assert (rows[run].state, rows[good].state) == ("failed", "queued")
    assert f"{name} cannot be read" in rows[run].error.replace(f"{name} of the run `{run}`", name)
    assert run_service.find(run, asker.LOCAL) == rows[run]


def test_without_the_queue_the_folders_are_there_and_the_trouble_is_said(
    tiny: Recipe, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = submit(tiny)
    waiting = submit(tiny)
    train(trained, run)
    assert run_service.queue_error() is None

    def away(self: sa.Engine) -> None:
        raise OperationalError("SELECT", {}, sqlite3.OperationalError("database is locked"))

    monkeypatch.setattr(sa.Engine, "begin", away)
    message = "The queue cannot be reached now (database is locked); try again in a minute."
    assert run_service.queue_error() == message
    assert [(row.id, row.state, row.job) for row in run_service.runs(asker.LOCAL)] == [
        (run, "done", "")
    ]
    assert run_service.find(run, asker.LOCAL).state == "done"
    for act in (run_service.find, run_service.stop, run_service.delete):
        with pytest.raises(UserError) as found:
            act(waiting, asker.LOCAL)
        assert str(found.value) == message


def test_a_run_that_trains_is_paused_taken_on_by_a_step_and_given_another_learning_rate(
    tiny: Recipe, trained: Path
) -> None:
    run = submit(tiny)
    job = claim()
    train(trained, run)
    assert not run_service.find(run, asker.LOCAL).is_paused
    with pytest.raises(
        UserError,
        match=f"The run `{run}` is not paused; pause it first, then advance it step by step",
    ):
        run_service.step_once(run, asker.LOCAL)
    for _ in range(2):  # two people press it
        run_service.pause(run, asker.LOCAL)
    run_service.step_once(run, asker.LOCAL)
    run_service.step_once(run, asker.LOCAL)
    run_service.change_lr(run, asker.LOCAL, 0.002)
    assert run_service.find(run, asker.LOCAL).is_paused
    assert queue.poll_requests(job.id, "w") == (
        False,
        queue.ControlRequests(pause=True, once=2, lr=0.002),
    )
    with pytest.raises(
        UserError, match=r"`lr` 101 is out of range; give a number between 0.0 and 100.0"
    ):
        run_service.change_lr(run, asker.LOCAL, 101)
    for _ in range(2):
        run_service.unpause(run, asker.LOCAL)
    assert [row.is_paused for row in run_service.runs(asker.LOCAL)] == [False]
    run_service.pause(run, asker.LOCAL)
    for _ in range(2):
        run_service.stop(run, asker.LOCAL)
    with pytest.raises(
        UserError, match=f"The run `{run}` is being stopped, so it cannot be unpaused; resume it"
    ):
        run_service.unpause(run, asker.LOCAL)
    queue.finish(job.id, "w", "stopped")
    assert not run_service.find(run, asker.LOCAL).is_paused
    with pytest.raises(UserError, match="nothing to stop"):
        run_service.stop(run, asker.LOCAL)


def test_a_run_that_does_not_train_cannot_be_controlled(tiny: Recipe, trained: Path) -> None:
    run = submit(tiny)
    train(trained, "by-hand")
    steer = {
        run_service.pause: "paused",
        run_service.unpause: "unpaused",
        run_service.step_once: "advanced by a step",
    }
    steer[lambda run, owner: run_service.change_lr(run, owner, 0.1)] = "given another learning rate"
    for act, words in steer.items():
        with pytest.raises(
            UserError,
            match=f"`{run}` is not training, so it cannot be {words}; wait until it trains",
        ):
            act(run, asker.LOCAL)
        for other, owner in ((run, "bob"), ("by-hand", asker.LOCAL), ("nothing", asker.LOCAL)):
            with pytest.raises(
                UserError,
                match=f"`{other}` is not training, so it cannot be {words}; start it or resume it first",
            ):
                act(other, owner)
    claim(time.time() - 100)  # its worker is gone
    with pytest.raises(UserError, match="is not training, so it cannot be paused"):
        run_service.pause(run, asker.LOCAL)
