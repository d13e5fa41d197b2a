"""What people ask of a training that runs: pause, one step, another learning rate. The loop itself knows nothing of it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from typing import Any

from s2s.jobs import repeat
from s2s.jobs.database import UnreachableError
from s2s.jobs.kinds import Desk
from s2s.jobs.queue import Job, ask_to_stop
from s2s.runs import RunFolder, now
from s2s.train import Changed, Trainer

LOOK = 0.1  # seconds between two looks while paused
LONGEST_PAUSE = 600.0  # seconds; then it saves and stops, for others wait


class Steering:
    """Stands between two updates of one training."""

    def __init__(self, desk: Desk, job: Job) -> None:
        self.desk = desk
        self.job = job
        self.n_once = desk.wishes.once  # single steps asked for so far
        self.was_paused = False  # since the last update
        self.until: float | None = None  # when this pause is over, single steps included

    def turn(self, trainer: Trainer, folder: RunFolder) -> Iterator[None]:
        """Before the next update: wait while a pause is wanted, and take over another learning rate."""
        self.was_paused = False
        while self.desk.wishes.pause:
            self.until = time.monotonic() + LONGEST_PAUSE if self.until is None else self.until
            self._change(trainer, folder)
            self.was_paused = True
            if self.desk.wishes.once > self.n_once:
                self.n_once += 1
                return
            if time.monotonic() > self.until:
                with contextlib.suppress(UnreachableError):  # asked again at the next look
                    ask_to_stop(self.job.id, self.job.owner)
            yield
            time.sleep(LOOK)
        self.until = None
        self.n_once = self.desk.wishes.once
        self._change(trainer, folder)

    def _change(self, trainer: Trainer, folder: RunFolder) -> None:
        """Written down before the first update that obeys it, so that a run taken up from before it obeys it at the same step."""
        lr = self.desk.wishes.lr
        step = trainer.progress.step + 1
        newest = trainer.changes[-1].lr if trainer.changes else trainer.recipe.train.lr
        if lr is None or lr == newest:
            return
        trainer.changes = [
            change for change in trainer.changes if change.step < step
        ]  # those to come, after a crash, are taken back
        folder.amend(lambda about: changed(about, {"step": step, "lr": lr, "time": now()}))
        trainer.changes.append(Changed(step, lr))


def changed(about: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """What recipe.json says of a run of which something else, `lr` or `steps`, holds from a step on."""
    what = change.keys() & {"lr", "steps"}
    kept = [
        other
        for other in about.get("changes", [])
        if other["step"] < change["step"] or not what & other.keys()
    ]
    changes = [*kept, change]
    return {"changes": changes, "command": repeat.continued(about.get("command", ""), changes)}
