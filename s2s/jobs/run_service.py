"""An owner's runs: what their folders and the queue say, merged into one table."""

from __future__ import annotations

import time
from dataclasses import replace

from s2s.config import Recipe, UserError, override
from s2s.files import stored
from s2s.library import Library, guests, rights, sharing
from s2s.library.own import delete_run, find_run, list_runs, rename_run, restore_run
from s2s.processes import queue
from s2s.runs import RunSummary, checked_name, fault_in, measurements

KIND = "train"  # jobs of other kinds do not train a run
WAITS_FOR_A_WORKER = "Its worker is gone; the next one resumes it automatically."


def runs(owner: str, *, now: float | None = None) -> list[RunSummary]:
    """An owner's runs, newest first; also those without a folder (waiting, failed) if the queue can be reached."""
    folders = {row.id: row for row in list_runs(owner)}
    try:
        newest = {job.run: job for job in reversed(queue.jobs(owner, kind=KIND))}
        rows = [
            _merged(folders.get(run), newest.get(run), now)
            for run in folders.keys() | newest.keys()
        ]
    except (
        UserError
    ):  # the queue is unreachable (`queue_error`): the folders are right, if incomplete
        rows = list(folders.values())
    return sorted(rows, key=lambda row: (row.created, row.id), reverse=True)


def find(run_id: str, owner: str, *, now: float | None = None) -> RunSummary:
    """One run's row; from its folder alone while the queue is unreachable. A guest sees nothing of a private dataset.

    Raises UserError where this workspace may see no such run.
    """
    if not stored.ID.fullmatch(run_id):
        raise rights.unknown("run", run_id)
    row = find_run(run_id, owner)
    try:
        job = Library(owner).job(run_id)
        if row or job:
            return guests.row(_merged(row, job, now), owner)
    except UserError:
        if row is None:
            raise
        return guests.row(row, owner)
    raise UserError(f"There is no run `{run_id}` of yours; open Runs to see yours.")


def queued_recipe(run_id: str) -> Recipe | None:
    """The recipe of a run of whoever asks that has no folder yet; None where there is no such run."""
    try:
        job = Library().job(run_id, "change")
        return Recipe.from_json(job.spec["recipe"]) if job else None
    except (UserError, KeyError):  # the queue cannot be reached, as the page says
        return None


def queue_error() -> str | None:
    """Why the queue cannot be reached, in a sentence; None where it can."""
    try:
        queue.latest("")
    except UserError as error:
        return str(error)
    return None


def last_log(run_id: str, owner: str) -> str:
    """The last lines that the process of a run's newest training printed, where it failed; else empty.

    Raises UserError where the queue is unreachable or the run is somebody else's.
    """
    job = Library(owner).job(run_id, "change")
    return queue.last_log(job.id) if job else ""


def stop(run_id: str, owner: str) -> None:
    """Stop a run: a waiting one at once; one in training saves a checkpoint and stops.

    Raises UserError where it neither waits nor trains.
    """
    job = Library(owner).job(run_id, "change")
    if job is None or job.state not in ("queued", "running"):
        raise UserError(
            f"The run `{run_id}` is neither waiting nor training; there is nothing to stop."
        )
    queue.abandon(job.id)
    queue.ask_to_stop(job.id, job.owner)


def pause(run_id: str, owner: str) -> None:
    """Pause a run after its current step until it is unpaused. Raises UserError where it does not train."""
    _control(_training(run_id, owner, "paused"), pause=True)


def unpause(run_id: str, owner: str) -> None:
    """End a pause; a run that is not paused trains as before. Raises UserError where it does not train."""
    _control(_training(run_id, owner, "unpaused"), pause=False)


def step_once(run_id: str, owner: str) -> None:
    """Make one update, then stay paused. Raises UserError where the run is not paused."""
    job = _training(run_id, owner, "advanced by a step")
    if not job.controls.pause:
        raise UserError(
            f"The run `{run_id}` is not paused; pause it first, then advance it step by step."
        )
    _control(job, once=1)


def change_lr(run_id: str, owner: str, lr: float) -> None:
    """Change the peak learning rate from the next step on.

    Raises UserError where `train.lr` does not allow this value, or the run does not train.
    """
    override(Recipe(), {"train.lr": lr})
    _control(_training(run_id, owner, "given another learning rate"), lr=lr)


def _control(
    job: queue.Job, *, pause: bool | None = None, once: int = 0, lr: float | None = None
) -> None:
    queue.request_control(job.id, job.owner, pause=pause, once=once, lr=lr)


def _training(run_id: str, owner: str, to_be: str) -> queue.Job:
    job = Library(owner).job(run_id, "change")
    if job is None or job.state != "running" or not job.is_live():
        when = "wait until it trains" if job and job.is_live() else "start it or resume it first"
        raise UserError(f"The run `{run_id}` is not training, so it cannot be {to_be}; {when}.")
    if job.stop:
        raise UserError(
            f"The run `{run_id}` is being stopped, so it cannot be {to_be}; resume it when it has stopped."
        )
    return job


def rename(run_id: str, owner: str, name: str) -> None:
    job = Library(owner).job(run_id, "change")
    name = checked_name(name)
    if job:
        queue.rename(job.id, name)
    if job is None or find_run(run_id, owner):
        rename_run(run_id, owner, name)


def restore(run_id: str, owner: str, job: queue.Job | None = None) -> None:
    """Take back a deletion; `job` is what `delete` returned. Raises UserError where it is too late for that."""
    if job is None:
        restore_run(run_id, owner)
        return
    rights.require("change", sharing.thing("run", job.run, job.owner), owner)
    again = queue.submit(
        KIND,
        job.owner,
        job.run,
        job.spec,
        express=job.slot == "express",
        needs_gpu=job.slot == "gpu",
    )
    if job.state != "queued":  # it had been stopped
        queue.ask_to_stop(again, job.owner)
    sharing.bring_back("run", job.run)


def delete(run_id: str, owner: str) -> queue.Job | None:
    """Delete a run with its files and its jobs; one that waits leaves the queue. Raises UserError while it trains.

    Returns the job of a run that had no files yet. For a minute `restore` brings back what its folder holds.
    """
    before = Library(owner).job(run_id, "delete")
    if job := before:
        if job.state == "queued":
            queue.ask_to_stop(job.id, job.owner)
        job = Library(owner).job(run_id, "delete")  # a worker may have claimed it meanwhile
        if job and job.state == "running" and job.is_live():
            raise UserError(f"The run `{run_id}` is being trained; stop it first, then delete it.")
    has_files = find_run(run_id, owner) is not None
    if job is None or has_files:
        delete_run(run_id, owner)
    else:
        sharing.set_aside("run", run_id)
    queue.delete_jobs(run_id)
    measurements.delete_of_run(run_id)
    return None if has_files else before


def _merged(row: RunSummary | None, job: queue.Job | None, now: float | None) -> RunSummary:
    if job is None:
        if row is None:
            raise ValueError("neither a folder nor a job")
        return row
    state = _state(row, job, time.time() if now is None else now)
    error = job.error if state == job.state else ""
    if row and state == "failed" and row.error:
        error = row.error
    note = WAITS_FOR_A_WORKER if state == "interrupted" and job.state == "running" else job.note
    is_queued = state == "queued"
    wait = queue.wait(job.id) if is_queued else queue.Wait()
    known = replace(
        row or _without_folder(job),
        state=state,
        note=note,
        error=error,
        job=job.id,
        position=wait.before if is_queued else None,
        wait=wait.seconds,
    )
    is_at_work = state in ("starting", "running")
    return replace(
        known, is_stopping=is_at_work and job.stop, is_paused=is_at_work and job.controls.pause
    )


def _state(row: RunSummary | None, job: queue.Job, now: float) -> str:
    """A run's state: the job's while a worker has it; after that the newer of the job's end and the folder's status."""
    if job.state == "queued":
        return "queued"
    has_begun = row is not None and row.updated >= (job.started or 0.0)
    if job.state == "running" and job.is_live(now):
        return "running" if has_begun else "starting"
    if row is not None and row.error:  # its folder is damaged
        return row.state
    if row is None or row.updated < (job.finished or job.started or 0.0):
        return "interrupted" if job.state == "running" else job.state
    return row.state


def _without_folder(job: queue.Job) -> RunSummary:
    spec = job.spec
    steps = int(spec["recipe"]["train"]["steps"])
    tags = tuple(spec.get("tags", ()))
    origin = str(spec.get("init_from", "")).rpartition("@")[0]
    known = RunSummary(
        job.run,
        spec["name"],
        job.owner,
        spec["source"],
        spec["preset"],
        job.created,
        job.state,
        steps=steps,
    )
    return replace(known, tags=tags, init_from=origin, fault=fault_in(spec))
