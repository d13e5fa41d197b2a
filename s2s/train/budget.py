"""A training's time budget: the last step that fits into it, revised as the speed of training becomes known.

Knows the clock, and nothing of models.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

from s2s.config import UserError
from s2s.train.events import Planned
from s2s.train.progress import Progress

# When the speed is measured, as shares of the time between the first update and the end.
MARKS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
CLOSE = 0.02  # a plan stays where it is wrong by this share of the steps left
RESERVE = (
    1.3  # the last validation, its scores and the checkpoint take this many times the newest ones
)

Clock = Callable[[], float]  # seconds


class Budget:
    """Counts the time of one training from `since`, the preparation of its data included; without `minutes` nothing.

    `plan` says from which step on which last step was planned, in order: the learning rates follow from it. The last
    step validates `n_last` times: once more where it averages checkpoints.
    """

    def __init__(
        self,
        minutes: float | None,
        since: float | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self.seconds = math.inf if minutes is None else 60 * minutes
        self.clock = clock
        self.n_last = 1
        self.since = clock() if since is None else since
        self.plan: list[Planned] = []
        self.used = 0.0  # seconds, before the training was stopped and resumed
        self.observation = 0.0  # seconds of the newest validation, its scores and checkpoint
        self._marks: list[float] = []  # when the speed is measured next, in seconds of the budget
        self._from = (0, 0.0)  # the step and the seconds from which it is measured
        self._observed = 0.0  # seconds of validations since then

    @property
    def is_set(self) -> bool:
        """Whether time is limited at all."""
        return math.isfinite(self.seconds)

    @property
    def reserve(self) -> float:
        """Seconds that the last step's validation, its scores and the checkpoint may take."""
        return (RESERVE + self.n_last - 1) * self.observation

    def elapsed(self) -> float:
        """Seconds that the training has taken."""
        return self.used + self.clock() - self.since

    def counted(self) -> dict[str, Any]:
        """What a checkpoint's `Progress` says of it; nothing without a limit, so that equal runs have equal ones."""
        plan = tuple((planned.step, planned.steps) for planned in self.plan)
        if not self.is_set:
            return {}
        seconds = {"seconds": self.elapsed(), "observation": self.observation}
        return {"plan": plan, **{name: round(each, 3) for name, each in seconds.items()}}

    def restored(self, progress: Progress) -> list[Planned]:
        """Continue from a checkpoint; returns the plan that is followed, if there is one."""
        if self.is_set:
            self.used = progress.seconds
            self.observation = progress.observation
            self.plan = [Planned(*row) for row in progress.plan]
        return self.plan[-1:]

    def start(self, step: int, steps: int) -> list[Planned]:
        """Before the first update after `step`: the first plan, unless it was made before the training was resumed.

        Raises UserError where a new training has no time for an update.
        """
        if not self.is_set:
            return []
        now = self.elapsed()
        left = self.seconds - now
        if step == 0 and left <= self.reserve:
            enough = math.ceil(10 * (2 * now + self.reserve) / 60) / 10
            raise UserError(
                f"`train.minutes` {self.seconds / 60:g} leaves no time for an update: preparing the data and the model"
                f" took {now:.0f} seconds; give at least {enough:g}, or use fewer pairs."
            )
        self._marks = [now + share * left for share in MARKS]
        self._measure_from(step)
        if self.plan:
            return []
        self.plan = [Planned(1, steps)]
        return self.plan

    def replanned(self, step: int, steps: int, validate_every: int) -> list[Planned]:
        """After an update: another last step than `steps` where the measured speed asks for it, else nothing."""
        last = self._last_step(step, steps, validate_every) if self.is_set else steps
        if last == steps:
            return []
        planned = Planned(step + 1, last)
        self.plan = [*(change for change in self.plan if change.step <= step), planned]
        return [planned]

    def _last_step(self, step: int, steps: int, validate_every: int) -> int:
        now = self.elapsed()
        first, since = self._from
        seconds_per_step = (now - since - self._observed) / max(1, step - first)
        left = self.seconds - now - self.reserve
        if step % validate_every == 0:  # this step's validation, where it is not the last one
            left -= self.observation
        is_over = left < seconds_per_step or (step >= steps and left < CLOSE * self.seconds)
        if is_over:
            return step
        if step < steps and not any(mark <= now for mark in self._marks):
            return steps
        self._marks = [mark for mark in self._marks if mark > now]
        self._measure_from(step)
        fitting = max(1, int(left / (seconds_per_step + self.observation / validate_every)))
        is_close = abs(step + fitting - steps) <= CLOSE * fitting
        return steps if is_close else step + fitting

    @contextlib.contextmanager
    def observing(self) -> Iterator[None]:
        """Measures what a validation takes, with what follows from it."""
        started = self.elapsed()
        yield
        self.observation = self.elapsed() - started
        self._observed += self.observation

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """A visitor's pause does not count."""
        started = self.clock()
        try:
            yield
        finally:
            self.since += self.clock() - started

    def _measure_from(self, step: int) -> None:
        self._from = (step, self.elapsed())
        self._observed = 0.0
