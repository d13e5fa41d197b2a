"""A training's time budget: the last step that fits into it, revised as the speed of training becomes known.

Knows the clock, and nothing of models.
"""

from __future__ import annotations

import contextlib
import math
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from s2s.training.events import Planned
from s2s.training.progress import Progress

# When the speed is measured, as shares of the time between the first update and the end.
MARKS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
CLOSE = 0.02  # a plan stays where it is wrong by this share of the steps left
RESERVE = 1.3  # the last validation, its scores and the checkpoint take this many times the others
SLOW = 0.1  # a new training with no more than this share of its time left has half of it added
FEW = 3  # updates: of fewer, no speed is taken
SHORT = 3  # a plan is replaced at once where this many times as many steps fit

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
        self.prepared = 0.0  # seconds of a preparation that took nearly all of its time
        self.plan: list[Planned] = []
        self.used = 0.0  # seconds, before the training was stopped and resumed
        self.observation = 0.0  # seconds of a validation, its scores and checkpoint
        self._observations: deque[float] = deque(maxlen=FEW)  # the newest ones
        self._marks: list[float] = []  # when the speed is measured next, in seconds of the budget
        self._recent: deque[float] = deque(maxlen=FEW)  # seconds of the newest updates
        self._since_mark: deque[float] = deque(maxlen=10_000)  # those since the last mark
        self._updated = 0.0  # when the newest update ended, in seconds of the budget
        self._observed = 0.0  # seconds of validations since then
        self._first_left = math.inf  # seconds that a new training had after its first validation

    @property
    def is_set(self) -> bool:
        return math.isfinite(self.seconds)

    @property
    def reserve(self) -> float:
        """Seconds that the last step's validation, its scores and the checkpoint may take.

        One validation alone, which may have been slow, takes at most half of the time that was left after it.
        """
        seconds = (RESERVE + self.n_last - 1) * self.observation
        return min(seconds, self._first_left / 2) if len(self._observations) < 2 else seconds

    def elapsed(self) -> float:
        """Seconds that the training has taken."""
        return self.used + self.clock() - self.since

    def counted(self) -> dict[str, Any]:
        """What a checkpoint's `Progress` says of the budget; nothing without a limit, so that equal runs have equal
        ones.
        """
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
            self._observations.append(self.observation)
            self.plan = [Planned(*row) for row in progress.plan]
        return self.plan[-1:]

    def start(self, step: int, steps: int) -> list[Planned]:
        """The first plan, before the first update after `step`; empty if it was made before the training was resumed.

        On a busy computer, preparing data and model may take all of a short budget; the training is then longer.
        """
        if not self.is_set:
            return []
        now = self.elapsed()
        if step == 0:
            if self.seconds - now < SLOW * self.seconds:
                self.prepared = now
                self.seconds = now + self.seconds / 2
            self._first_left = self.seconds - now
        left = self.seconds - now
        self._marks = [now + share * left for share in MARKS]
        self._updated = now
        self._observed = 0.0
        if self.plan:
            return []
        self.plan = [Planned(1, steps)]
        return self.plan

    def replanned(self, step: int, steps: int, validate_every: int) -> list[Planned]:
        """After an update: a plan with another last step than `steps` where the measured speed asks for it, else
        nothing.
        """
        if not self.is_set:
            return []
        self._note_update()
        return self._changed(step, steps, self._last_step(step, steps, validate_every))

    def prolonged(self, step: int, steps: int, validate_every: int) -> list[Planned]:
        """After the last validation: a plan with a later last step, where so much less time was taken than reserved
        that more steps fit.
        """
        left = self._left() if self.is_set and step >= steps else 0.0
        if left <= 0 or left < max(self._newest(), CLOSE * self.seconds):
            return []
        return self._changed(
            step, steps, step + self._fitting(left, self._newest(), validate_every)
        )

    def _changed(self, step: int, steps: int, last: int) -> list[Planned]:
        if last == steps:
            return []
        planned = Planned(step + 1, last)
        self.plan = [*(change for change in self.plan if change.step <= step), planned]
        return [planned]

    def _last_step(self, step: int, steps: int, validate_every: int) -> int:
        left = self._left()
        if step % validate_every == 0:  # this step's validation, where it is not the last one
            left -= self.observation
        seconds_per_step = self._newest()
        if left < seconds_per_step or left <= 0 or (step >= steps and left < CLOSE * self.seconds):
            return step
        if len(self._recent) < FEW:  # its steps may be slow ones, or fast ones
            return max(steps, step + 1)
        fitting = self._fitting(left, seconds_per_step, validate_every)
        is_short = fitting > SHORT * (steps - step)
        if is_short and left >= CLOSE * self.seconds:
            # Else the learning rate would have fallen long before the end.
            self._since_mark.clear()
            return step + fitting
        now = self.elapsed()
        if len(self._since_mark) < FEW or not any(mark <= now for mark in self._marks):
            return steps
        self._marks = [mark for mark in self._marks if mark > now]
        fitting = self._fitting(left, self._mean_since_mark(), validate_every)
        self._since_mark.clear()
        is_close = abs(step + fitting - steps) <= CLOSE * fitting
        return steps if is_close else step + fitting

    def _left(self) -> float:
        return self.seconds - self.elapsed() - self.reserve

    def _fitting(self, left: float, seconds_per_step: float, validate_every: int) -> int:
        if not seconds_per_step:
            return 1
        return max(1, int(left / (seconds_per_step + self.observation / validate_every)))

    def _newest(self) -> float:
        return statistics.median(self._recent) if len(self._recent) == FEW else 0.0

    def _mean_since_mark(self) -> float:
        slowest = max(self._since_mark)
        return (math.fsum(self._since_mark) - slowest) / (len(self._since_mark) - 1)

    def _note_update(self) -> None:
        now = self.elapsed()
        seconds = now - self._updated - self._observed
        self._recent.append(seconds)
        self._since_mark.append(seconds)
        self._updated = now
        self._observed = 0.0

    @contextlib.contextmanager
    def observing(self) -> Iterator[None]:
        """Measures the time of a validation and of what follows from it."""
        started = self.elapsed()
        yield
        seconds = self.elapsed() - started
        self._observed += seconds
        self._observations.append(seconds)
        is_known = len(self._observations) == FEW  # else the newest is more like the next one
        self.observation = statistics.median(self._observations) if is_known else seconds

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Within it, time does not count: a visitor has paused the training."""
        started = self.clock()
        try:
            yield
        finally:
            self.since += self.clock() - started
