"""Trains a prepared run and writes every event to its folder."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from contextlib import nullcontext
from dataclasses import replace

from s2s import faults
from s2s.jobs.context import JobContext
from s2s.jobs.training.checkpoint_evaluation import CheckpointEvaluator
from s2s.jobs.training.live_controls import LiveControls
from s2s.jobs.training.preparation import (
    UNCHANGED,
    PreparedRun,
    locked,
    lr_changes,
    resume_in_stages,
    start_in_stages,
)
from s2s.jobs.training.processor import Tell, reporting
from s2s.jobs.training.recording import Recorder, recorded
from s2s.jobs.training.request import RunRequest
from s2s.jobs.training.run_limits import with_processes
from s2s.library import made_by
from s2s.model import load_weights, saved_steps
from s2s.processes.queue import Job
from s2s.runs import RunFolder, attention_history
from s2s.training import Budget, Event, Saved, Teach, Trainer, Warned, shifted


def run(prepared: PreparedRun, tell: Tell | None = None) -> Generator[Event, None, None]:
    """Train, writing each event to the folder before it is passed on.

    Closing the iterator saves a checkpoint, so that training can be resumed from there. While other work has the
    processor, another thread tells so; an empty sentence tells that it is over.
    """
    with contextlib.closing(controlled(prepared, tell=tell)) as events:
        yield from filter(None, events)


def controlled(
    prepared: PreparedRun, controls: LiveControls | None = None, tell: Tell | None = None
) -> Generator[Event | None, None, None]:
    """Train like `run`, with live controls; None is yielded during a pause."""
    folder = prepared.folder
    fault = prepared.recipe.train.fault
    with locked(folder):
        trainer = Trainer(
            prepared.recipe,
            prepared.data,
            folder.checkpoints,
            lr_changes(folder),
            group=prepared.group,
            teach=teaching(fault),
            budget=Budget(prepared.recipe.train.minutes, prepared.since),
        )
        if prepared.is_resumed:
            _restore(trainer, prepared)
        elif prepared.initial:
            load_weights(trainer.model, prepared.initial.weights)
        trainer.warnings += prepared.warnings
        recorder = Recorder(folder, trainer, CheckpointEvaluator(trainer, prepared.valid))
        watching = reporting(recorder.watch, tell) if tell and recorder.watch else nullcontext()
        with faults.active(trainer.model, fault, "training"), watching:
            yield from recorded(recorder, controls)


def teaching(fault: str) -> Teach:
    """How the targets of a run are split into decoder inputs and labels."""
    row = faults.fault_of(fault)
    return row.teach if row and row.teach else shifted


def _restore(trainer: Trainer, prepared: PreparedRun) -> None:
    """Load the newest checkpoint, and remove from the folder what was logged after it."""
    folder = prepared.folder
    trainer.resume()
    if folder.about().get("asked_from") == trainer.progress.step:
        trainer.ask_for_more()
    folder.truncate_logs(trainer.progress.step)
    attention_history.delete_after(folder, trainer.progress.step)
    folder.amend(lambda about: {"recipe": trainer.recipe.to_json()})


def work(job: Job, context: JobContext) -> Generator[Event | None, None, None]:
    """Train the run of a job from its newest checkpoint, or from the start.

    Yields None between the stages before training.
    """
    folder = RunFolder(made_by(job))
    if saved_steps(folder.checkpoints):
        prepared = yield from resume_in_stages(folder.path, UNCHANGED, context.tell)
    else:
        request = RunRequest.from_job(job)
        recipe, warnings = with_processes(request.recipe)
        request = replace(request, recipe=recipe)
        prepared = yield from start_in_stages(request, folder.path, context.tell, is_retry=True)
        prepared = replace(prepared, warnings=warnings)
    train = prepared.recipe.train
    most = "up to " if train.adapts_threads else ""
    threads = f"{most}{train.threads} thread{'s' * (train.threads > 1)}"
    training = f"Training on {train.device}, {threads}."
    context.tell(training)
    events = controlled(
        prepared, LiveControls(context, job), lambda waiting: context.tell(waiting or training)
    )
    with contextlib.closing(events):
        for event in events:
            if isinstance(event, Warned):
                context.tell(event.text)
            if isinstance(event, Saved):
                context.progressed()
            yield event
