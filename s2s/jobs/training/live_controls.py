"""Live controls of a training run: pause, single steps, another learning rate.

The training loop knows nothing of them.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from typing import Any

from s2s.files import stored
from s2s.files.database import UnreachableError
from s2s.jobs.context import JobContext
from s2s.jobs.training import command
from s2s.processes.queue import Job, ask_to_stop
from s2s.runs import RunFolder
from s2s.training import Changed, Trainer

POLL = 0.1  # seconds between two polls of the requests during a pause
LONGEST_PAUSE = 600.0  # seconds; then the run saves and stops, because others wait


class LiveControls:
    """Acts between two updates of one training."""

    def __init__(self, context: JobContext, job: Job) -> None:
        self.context = context
        self.job = job
        self.n_once = context.controls.once  # single steps that have been requested so far
        self.was_paused = False  # since the last update
        self.until: float | None = None  # when this pause ends at the latest, single steps included
        self.why_stopped = ""  # where it was not somebody who stopped it, in a sentence

    def turn(self, trainer: Trainer, folder: RunFolder) -> Iterator[None]:
        """Call before each update: waits while a pause is requested, and applies another learning rate."""
        self.was_paused = False
        while self.context.controls.pause:
            self.until = time.monotonic() + LONGEST_PAUSE if self.until is None else self.until
            self._apply_lr(trainer, folder)
            self.was_paused = True
            if self.context.controls.once > self.n_once:
                self.n_once += 1
                return
            if time.monotonic() > self.until:
                minutes = f"{LONGEST_PAUSE / 60:.0f} minutes"
                self.why_stopped = (
                    f"It was paused for {minutes}, so it saved a checkpoint and stopped."
                )
                with contextlib.suppress(UnreachableError):  # the next poll tries again
                    ask_to_stop(self.job.id, self.job.owner)
            yield
            time.sleep(POLL)
        self.until = None
        self.n_once = self.context.controls.once
        self._apply_lr(trainer, folder)

    def _apply_lr(self, trainer: Trainer, folder: RunFolder) -> None:
        """Write a change of the learning rate before its first update: a run resumed earlier repeats it there."""
        lr = self.context.controls.lr
        step = trainer.progress.step + 1
        current = trainer.changes[-1].lr if trainer.changes else trainer.recipe.train.lr
        if lr is None or lr == current:
            return
        # After a crash, changes of later steps are withdrawn.
        trainer.changes = [change for change in trainer.changes if change.step < step]
        folder.amend(lambda about: changed(about, {"step": step, "lr": lr, "time": stored.now()}))
        trainer.changes.append(Changed(step, lr))


def changed(about: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """The content of recipe.json with one more `change`: another `lr` or `steps` from a step on."""
    what = change.keys() & {"lr", "steps"}
    kept = [
        other
        for other in about.get("changes", [])
        if other["step"] < change["step"] or not what & other.keys()
    ]
    changes = [*kept, change]
    repeat = command.with_changes(about.get("command", ""), changes)
    return {"changes": changes, "command": repeat}
