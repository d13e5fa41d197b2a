"""How many CPU threads train fastest now, measured while training. Knows only what updates take.

The threads of an update wait for each other many times. Alone on a machine, all of them are fastest; beside a program
that keeps a core busy, one fewer may be several times as fast.
"""

from __future__ import annotations

from collections import deque

import torch

from s2s.config import TrainConfig
from s2s.train.distributed import Group

UPDATES = 3  # that a number of threads is judged by, the fastest of them: the first one after a change is slow
FASTER = 0.9  # another number must take less than this share of the time per token
FIRST = 4.0  # seconds of updates until another number is tried again; twice as many each time that it is no faster
LONGEST = 20.0
TRIALS = 0.08  # of the time, at most


def chooser_for(train: TrainConfig, group: Group, device: torch.device) -> ThreadChooser:
    """It may choose where a time budget decides how many updates there are; elsewhere the same recipe must give the
    same bits, and their number changes the last ones.
    """
    is_free = train.minutes is not None and group.size == 1 and device.type == "cpu"
    return ThreadChooser(train.threads, is_free=is_free)


class ThreadChooser:
    """Starts with `most` threads; `now` is how many torch has for the next update."""

    def __init__(self, most: int, *, is_free: bool = True) -> None:
        self.now = most
        self.chosen = most  # what `now` returns to unless the one on trial is faster
        numbers = {max(1, most - 1), (most + 1) // 2} - {most} if is_free else set()
        self._others = sorted(numbers)
        # Seconds per token of the newest updates, by number of threads.
        self._paces = {n: deque[float](maxlen=UPDATES) for n in (most, *numbers)}
        self._elapsed = 0.0
        self._trial = 0.0  # seconds of the current one
        self._pause = FIRST
        self._next = 0.0  # when the next trial begins, in elapsed seconds

    def updated(self, seconds: float, n_tokens: int) -> None:
        """After an update with `now` threads."""
        before = self.now
        self._judge(seconds, n_tokens)
        if self.now != before:
            torch.set_num_threads(self.now)

    def _judge(self, seconds: float, n_tokens: int) -> None:
        self._elapsed += seconds
        self._trial += seconds
        paces = self._paces[self.now]
        paces.append(seconds / n_tokens)
        if len(paces) < UPDATES:
            return
        if self.now != self.chosen:
            self._end_trial()
        elif (fastest := min(self._paces, key=self._pace)) != self.chosen:
            self._choose(fastest)
        elif self._elapsed >= self._next and self._others:
            self._begin_trial()

    def _pace(self, n: int) -> float:
        """Seconds per token, less for the chosen number than measured; infinite before it was measured."""
        share = FASTER if n == self.chosen else 1.0
        return share * min(self._paces[n], default=float("inf"))

    def _choose(self, n: int) -> None:
        self.now = n
        self.chosen = n
        self._others = [one for one in self._paces if one != n]
        self._pause = FIRST
        self._next = self._elapsed + FIRST

    def _begin_trial(self) -> None:
        self.now = self._others.pop(0)
        self._others.append(self.now)
        self._paces[self.now].clear()
        self._trial = 0.0

    def _end_trial(self) -> None:
        if self._pace(self.now) < self._pace(self.chosen):
            self._choose(self.now)
            return
        self.now = self.chosen
        self._next = self._elapsed + max(self._pause, self._trial / TRIALS)
        self._pause = min(LONGEST, 2 * self._pause)
