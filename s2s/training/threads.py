"""How many CPU threads train fastest now, measured while training. Knows only what updates take.

The threads of an update wait for each other many times. Alone on a machine, all of them are fastest; beside a program
that keeps a core busy, one fewer may be several times as fast.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Sequence

import torch

from s2s.config import TrainConfig
from s2s.training.distributed import Group

# Of which the fastest is a number's pace: the first one after a change is slow. One of `FIRST` seconds is judged at
# once: threads that wait for each other on a taken processor would need minutes for three.
UPDATES = 3
FASTER = 0.9  # another number must take less than this share of the time per token
FIRST = 4.0  # seconds of updates until another number is tried; twice as many each time that none was faster
LONGEST = 20.0
TRIALS = 0.08  # of the time, from the second trial on


def chooser_for(train: TrainConfig, group: Group, device: torch.device) -> ThreadChooser:
    """A ThreadChooser for a training, free to choose where the recipe allows it."""
    is_free = train.adapts_threads and group.size == 1 and device.type == "cpu"
    return ThreadChooser(group.threads(train.threads), is_free=is_free)


class ThreadChooser:
    """Chooses the number of CPU threads; starts with `most`, and `now` is how many torch has for the next update."""

    def __init__(self, most: int, *, is_free: bool = True) -> None:
        self.now = most
        self.chosen = most  # what `now` returns to unless the one on trial is faster
        self._allowed = range(1 if is_free else most, most + 1)
        # Seconds per token of the newest updates, by number of threads.
        self._paces: defaultdict[int, deque[float]] = defaultdict(lambda: deque(maxlen=UPDATES))
        self._elapsed = 0.0
        self._trial = 0.0  # seconds of the current one
        self._turn = 0  # which neighbor is tried next
        self._pause = FIRST
        self._next = 0.0  # when the next trial begins, in elapsed seconds

    def updated(self, seconds: float, n_tokens: int) -> None:
        self._elapsed += seconds
        self._trial += seconds
        paces = self._paces[self.now]
        paces.append(seconds / n_tokens)
        if len(paces) == UPDATES or seconds >= FIRST:
            self._use(self._next_number())

    def rest(self) -> None:
        self._use(self.chosen)

    def _use(self, n: int) -> None:
        if n != self.now:
            self.now = n
            torch.set_num_threads(n)

    def _next_number(self) -> int:
        if self.now != self.chosen:
            return self._end_trial()
        near = self._neighbors()
        fastest = min(self.chosen, *near, key=self._pace) if near else self.chosen
        if fastest != self.chosen:
            return self._choose(fastest)
        return self._begin_trial(near) if near and self._elapsed >= self._next else self.chosen

    def _neighbors(self) -> list[int]:
        n = self.chosen
        return sorted({n - 1, (n + 1) // 2, n + 1, 2 * n} & {*self._allowed} - {n})

    def _pace(self, n: int) -> float:
        share = FASTER if n == self.chosen else 1.0
        return share * min(self._paces[n], default=math.inf)

    def _choose(self, n: int) -> int:
        self.chosen = n
        self._pause = FIRST
        self._next = self._elapsed + FIRST
        return n

    def _begin_trial(self, near: Sequence[int]) -> int:
        n = near[self._turn % len(near)]
        self._turn += 1
        self._paces[n].clear()
        self._trial = 0.0
        return n

    def _end_trial(self) -> int:
        if self._pace(self.now) < self._pace(self.chosen):
            return self._choose(self.now)
        self._next = self._elapsed + max(self._pause, self._trial / TRIALS)
        self._pause = min(LONGEST, 2 * self._pause)
        return self.chosen
