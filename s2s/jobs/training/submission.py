"""Queues runs: new ones, resumed ones, and ones that continue for more steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from s2s.config import Recipe, UserError, override
from s2s.data import splits
from s2s.files import stored
from s2s.jobs.plan.time_budget import CHOSEN
from s2s.jobs.training import initialization, run_limits
from s2s.jobs.training.preparation import (
    Continuation,
    check_steps_left,
    last_state,
    note_continuation,
    with_steps,
)
from s2s.jobs.training.request import RunRequest, initial_checkpoint
from s2s.library import Library, made_by, rights
from s2s.library.own import find_run, is_shipped
from s2s.model import saved_steps
from s2s.processes import queue
from s2s.runs import RunFolder, is_training
from s2s.settings import has_engine, new_id, worker_is_elsewhere
from s2s.training import settle


def submit(request: RunRequest, *, express: bool = False, seconds: float | None = None) -> str:
    """Queue a run and return its id. Raises UserError for what can be known before the dataset is read.

    `seconds`: how long it will take, by a forecast, from which others learn how long they wait.

    Fixes device and threads here, leaving one core to the dashboard unless minutes count; a worker on another machine
    fixes them itself.
    """
    for spec in filter(None, (request.source, request.valid)):
        splits(spec)
    recipe = request.recipe
    run_id = new_id()
    run_limits.check_steps(recipe)
    run_limits.check_minutes(recipe)
    run_limits.check_processes(recipe)
    stored.require_room(request.owner, runs=1 + _without_folder(request.owner))
    if request.init_from:
        initial = initialization.parse_checkpoint(request.init_from)
        initialization.check_compatible(initial, recipe)
        # Fixes the step, even if another one is best later.
        request = replace(request, init_from=str(initial))
    if not worker_is_elsewhere():
        recipe = settle(recipe)
        if not request.recipe.train.threads and recipe.train.minutes is None:
            recipe = override(recipe, {"train.threads": max(1, recipe.train.threads - 1)})
    job_spec = replace(request, recipe=recipe).to_spec()
    if seconds is not None:
        job_spec[queue.SECONDS] = seconds
    queue.submit(
        "train",
        request.owner,
        run_id,
        job_spec,
        express=express,
        needs_gpu=_needs_gpu(recipe),
    )
    return run_id


def _needs_gpu(recipe: Recipe) -> bool:
    return has_engine() and recipe.train.device == "cuda"


def _without_folder(owner: str) -> int:
    waiting = [job for job in queue.jobs(owner, kind="train") if job.state == "queued"]
    return sum(not made_by(job).exists() for job in waiting)


def submit_resume(
    run_id: str, owner: str, steps: int | None = None, lr: float | None = None
) -> None:
    """Queue a run to be resumed, or continued to more steps or with another `train.lr`; one without a checkpoint starts
    again.

    Raises UserError where it is somebody else's, is finished, or is being worked on.
    """
    if not stored.ID.fullmatch(run_id):
        raise rights.unknown("run", run_id)
    job = Library(owner).job(run_id, "change")
    folder, about = _known(run_id, job, owner)
    has_recipe = (folder.path / "recipe.json").is_file()
    before = folder.recipe() if has_recipe else Recipe.from_json(about["recipe"])
    recipe = with_steps(before, steps)
    has_begun = bool(saved_steps(folder.checkpoints))
    run_limits.check_steps(recipe)
    if has_begun:
        is_done = last_state(folder) == "done" and (job is None or job.state == "done")
        check_steps_left(folder, steps, is_done=is_done)
    elif lr is not None:
        recipe = override(recipe, {"train.lr": lr})  # it starts again
    if is_training(folder.path):
        raise UserError(f"The run `{run_id}` is being trained; wait for it, or stop it first.")
    if job:
        queue.abandon(job.id)
    if has_begun:
        was_cut_off = job is not None and job.state in ("running", "interrupted")
        is_repair = was_cut_off and (steps, lr) == (None, None)
        note_continuation(folder, Continuation(steps, lr), is_repair=is_repair)
    request = RunRequest(
        recipe,
        about["source"],
        about["valid"],
        about["preset"],
        about["name"],
        about.get("owner") or owner,
        init_from=initial_checkpoint(about),
        tags=tuple(about.get("tags", ())),
        given=CHOSEN if has_recipe else tuple(about.get("given", ())),
    )
    is_short = bool(job and job.slot == "express" and recipe.train.steps <= before.train.steps)
    try:
        queue.submit(
            "train",
            request.owner,
            run_id,
            request.to_spec(),
            express=is_short,
            needs_gpu=_needs_gpu(recipe),
        )
    except UserError:
        if has_begun:
            folder.write_about(about)  # the run stays as it was
        raise


def _known(run_id: str, job: queue.Job | None, owner: str) -> tuple[RunFolder, dict[str, Any]]:
    """A run's folder, and what is known of it, from there or, before that exists, from its job."""
    if find_run(run_id, owner):
        folder = Library(owner).run(run_id, "change")
        about = folder.about()
    elif job:
        folder = RunFolder(made_by(job))
        about = {**job.spec, "owner": job.owner}
    else:
        why = (
            " It ships with the program, without what training needs to continue."
            if is_shipped(run_id)
            else ""
        )
        raise UserError(f"You have no run `{run_id}` to resume; start a new one.{why}")
    if lacks := [key for key in ("source", "valid", "preset", "name") if key not in about]:
        raise UserError(
            f"The recipe.json of the run `{folder.id}` lacks {', '.join(lacks)}; start a new run."
        )
    return folder, about
