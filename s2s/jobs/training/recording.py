"""Writes what training produces to the run's folder, as it happens."""

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
from s2s.jobs.training.processor import ProcessorWatch
from s2s.runs import RunFolder
from s2s.training import (
    Changed,
    Event,
    Planned,
    Sample,
    Saved,
    Step,
    Trainer,
    Validation,
    Warned,
    ended_early,
)


class Recorder:
    """Writes each event of one training, with the results of its checkpoint evaluation."""

    def __init__(self, folder: RunFolder, trainer: Trainer, evaluator: CheckpointEvaluator) -> None:
        self.folder = folder
        self.trainer = trainer
        self.evaluator = evaluator
        self.accuracy = (
            _accuracy_at(folder, trainer.progress.best_step) if trainer.progress.step else None
        )
        # A training on a GPU, or one that waits for other processes, has no need of it.
        is_on_cpu = trainer.device.type == "cpu" and trainer.group.size == 1
        self.watch = ProcessorWatch() if is_on_cpu else None
        self.is_first = True  # the time since the previous line includes a pause or startup

    def take(self, event: Event) -> None:
        """Write one event; the folder is consistent after it."""
        if isinstance(event, Step):
            self._log("train", {**asdict(event), **({"first": True} if self.is_first else {})})
            self.is_first = False
        elif isinstance(event, Validation):
            self._log("valid", {**asdict(event), **self.evaluator.at_validation(event.step)})
            self.accuracy = event.token_accuracy if event.is_best else self.accuracy
            if event.step == 0:  # the initial weights
                self._at_checkpoint(0)
        elif isinstance(event, Changed):
            self._log("change", asdict(event))
        elif isinstance(event, Planned):
            plan = [asdict(planned) for planned in self.trainer.budget.plan]
            recipe = self.trainer.recipe.to_json()
            self.folder.amend(lambda about: {"plan": plan, "recipe": recipe})
        elif isinstance(event, Sample):
            self.folder.log("samples", asdict(event))
        elif isinstance(event, Warned):
            self.folder.amend(lambda about: {"warnings": [*about.get("warnings", []), event.text]})
        elif isinstance(event, Saved):
            self._at_checkpoint(event.step)
            self.report("running")

    def catch_up(self) -> None:
        """Write what belongs to the checkpoint to resume from, where the process was killed right after saving it."""
        step = self.trainer.progress.step
        lines = self.folder.lines("metrics") if step else []
        if lines and not any(
            line.get("kind") == "attention" and line.get("step") == step for line in lines
        ):
            self._at_checkpoint(step)

    def _at_checkpoint(self, step: int) -> None:
        if heads := self.evaluator.at_checkpoint(step, self.folder):
            self._log("attention", {"step": step, **heads})

    def pausing(self) -> contextlib.ExitStack:
        """A context for a pause, whose time counts neither in the time budget nor for the processor."""
        stack = contextlib.ExitStack()
        stack.enter_context(self.trainer.budget.paused())
        if self.watch:
            stack.enter_context(self.watch.paused())
        return stack

    def why_early(self) -> str:
        """Why a training that has ended by itself did so before its plan; else empty."""
        trainer = self.trainer
        sentence = ended_early(trainer.recipe.train, trainer.progress, trainer.budget)
        taken = self.watch.in_all() if sentence and self.watch else ""
        return f"{sentence} {taken}".strip()

    def report(self, state: str, ended: str = "") -> None:
        """Write how far training is to status.json; `ended` says why it ended before its plan."""
        progress = self.trainer.progress
        steps = self.trainer.recipe.train.steps
        best = (
            {}
            if self.accuracy is None
            else {"best_loss": progress.best_loss, "token_accuracy": self.accuracy}
        )
        self.folder.set_status(
            state,
            step=progress.step,
            steps=steps,
            best_step=progress.best_step,
            **best,
            **({"ended": ended} if ended else {}),
        )

    def _log(self, kind: str, content: Mapping[str, Any]) -> None:
        # Seconds since the epoch.
        self.folder.log("metrics", {"kind": kind, **content, "time": round(time.time(), 3)})


def recorded(
    recorder: Recorder, controls: LiveControls | None
) -> Generator[Event | None, None, None]:
    """The training's events, each written before it is passed on. Closing the iterator saves a checkpoint.

    Raises UserError where a write fails, saying what is kept.
    """
    try:
        yield from _followed(recorder, controls)
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
    recorder: Recorder, controls: LiveControls | None
) -> Generator[Event | None, None, None]:
    recorder.report("running")
    recorder.catch_up()
    state = "failed"
    ended = ""
    try:
        for event in recorder.trainer.run():
            recorder.take(event)
            yield event
            if controls and isinstance(event, Step):
                with recorder.pausing():
                    yield from controls.turn(recorder.trainer, recorder.folder)
                recorder.is_first = controls.was_paused
        state = "done"
        ended = recorder.why_early()
    except GeneratorExit:
        for event in recorder.trainer.end():
            recorder.take(event)
        progress = recorder.trainer.progress
        state = "done" if progress.step == recorder.trainer.recipe.train.steps else "stopped"
        ended = controls.why_stopped if controls and state == "stopped" else ""
        raise
    except UnwrittenError:  # nor can the status be written
        state = ""
        raise
    finally:
        if state:
            recorder.report(state, ended)


def _accuracy_at(folder: RunFolder, step: int) -> float | None:
    found = (
        line
        for line in folder.lines("metrics")
        if line.get("kind") == "valid" and line.get("step") == step
    )
    return next((line.get("token_accuracy") for line in found), None)
