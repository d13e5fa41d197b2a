"""What a training leaves in its run's folder, as it happens."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator, Mapping
from dataclasses import asdict
from typing import Any

from s2s.config import UserError
from s2s.files import UnwrittenError
from s2s.jobs.training.checkpoint_evaluation import CheckpointEvaluator
from s2s.jobs.training.live_controls import LiveControls
from s2s.runs import RunFolder
from s2s.train import Changed, Event, Sample, Saved, Step, Trainer, Validation, Warned


class Recorder:
    """Writes each event of one training, with what the watcher sees of it."""

    def __init__(self, folder: RunFolder, trainer: Trainer, watcher: CheckpointEvaluator) -> None:
        self.folder = folder
        self.trainer = trainer
        self.watcher = watcher
        self.accuracy = (
            _accuracy_at(folder, trainer.progress.best_step) if trainer.progress.step else None
        )
        self.is_taken_up = True  # the time since the line before was a pause

    def take(self, event: Event) -> None:
        """One event, after which the folder is whole again."""
        if isinstance(event, Step):
            self._log("train", {**asdict(event), **({"first": True} if self.is_taken_up else {})})
            self.is_taken_up = False
        elif isinstance(event, Validation):
            self._log("valid", {**asdict(event), **self.watcher.at_validation(event.step)})
            self.accuracy = event.token_accuracy if event.is_best else self.accuracy
            if event.step == 0:  # where every story begins
                self._at_checkpoint(0)
        elif isinstance(event, Changed):
            self._log("change", asdict(event))
        elif isinstance(event, Sample):
            self.folder.log("samples", asdict(event))
        elif isinstance(event, Warned):
            self.folder.amend(lambda about: {"warnings": [*about.get("warnings", []), event.text]})
        elif isinstance(event, Saved):
            self._at_checkpoint(event.step)
            self.report("running")

    def catch_up(self) -> None:
        """What belongs to the checkpoint that training resumes from, where a process was killed right after writing it."""
        step = self.trainer.progress.step
        lines = self.folder.lines("metrics") if step else []
        if lines and not any(
            line.get("kind") == "attention" and line.get("step") == step for line in lines
        ):
            self._at_checkpoint(step)

    def _at_checkpoint(self, step: int) -> None:
        if heads := self.watcher.at_checkpoint(step, self.folder):
            self._log("attention", {"step": step, **heads})

    def report(self, state: str) -> None:
        """How far training is."""
        progress = self.trainer.progress
        steps = self.trainer.recipe.train.steps
        best = (
            {}
            if self.accuracy is None
            else {"best_loss": progress.best_loss, "token_accuracy": self.accuracy}
        )
        self.folder.set_status(
            state, step=progress.step, steps=steps, best_step=progress.best_step, **best
        )

    def _log(self, kind: str, content: Mapping[str, Any]) -> None:
        self.folder.log(
            "metrics", {"kind": kind, **content, "time": round(time.time(), 3)}
        )  # seconds since the epoch


def recorded(
    recorder: Recorder, steering: LiveControls | None
) -> Generator[Event | None, None, None]:
    """The training's events, each written down before it is passed on. Closing saves where training stands.

    Raises UserError where a write fails, saying what is kept.
    """
    try:
        yield from _followed(recorder, steering)
    except UnwrittenError as error:
        with contextlib.suppress(UnwrittenError):
            recorder.report("failed")
        saved = recorder.trainer.saved_step
        kept = (
            f"The checkpoint of step {saved:,} is kept; resume the run"
            if saved
            else "Start the run again"
        )
        raise UserError(f"{error} {kept} when there is room.") from error


def _followed(
    recorder: Recorder, steering: LiveControls | None
) -> Generator[Event | None, None, None]:
    recorder.report("running")
    recorder.catch_up()
    state = "failed"
    try:
        for event in recorder.trainer.run():
            recorder.take(event)
            yield event
            if steering and isinstance(event, Step):
                yield from steering.turn(recorder.trainer, recorder.folder)
                recorder.is_taken_up = steering.was_paused
        state = "done"
    except GeneratorExit:
        for event in recorder.trainer.end():
            recorder.take(event)
        progress = recorder.trainer.progress
        state = "done" if progress.step == recorder.trainer.recipe.train.steps else "stopped"
        raise
    except UnwrittenError:  # nor can this be
        state = ""
        raise
    finally:
        if state:
            recorder.report(state)


def _accuracy_at(folder: RunFolder, step: int) -> float | None:
    """What the validation at that step found; None before the first."""
    found = (
        line
        for line in folder.lines("metrics")
        if line.get("kind") == "valid" and line.get("step") == step
    )
    return next((line.get("token_accuracy") for line in found), None)
