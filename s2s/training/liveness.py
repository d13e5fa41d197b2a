"""Signs of life between the processes of one training: one that disappears without closing its connections ends all.

A process that ends closes its connections, which the others notice at once. A host that loses power or its network
closes nothing, and whoever waits for it would wait for hours. Knows nothing of training.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Self

from torch.distributed import Store

GONE = 2  # exit status


class Liveness:
    """Sends heartbeats of this process and listens for those of the others, in threads of its own.

    Two of them: one that asks the store, which waits without end where the store's host is gone, and one that looks at
    the clock. This process is ended, as by a kill, where it waits for the others (`is_needed`) and one of them was
    silent for too long.
    """

    def __init__(self, store: Store, rank: int, size: int, silence: float) -> None:
        self.is_needed = False
        self._store = store.clone()  # type: ignore[attr-defined]
        self._rank = rank
        self._others = [other for other in range(size) if other != rank]
        self._silence = silence
        self._over = threading.Event()
        self._heard: dict[int, float] = {}  # without those that have not begun
        self._threads = [
            threading.Thread(target=work, name="liveness", daemon=True)
            for work in (self._beat, self._watch)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop listening: the training is over, and silence means nothing any more."""
        self._over.set()

    def _beat(self) -> None:
        counts: dict[int, int] = {}
        while not self._over.is_set():
            try:
                self._store.add(_key(self._rank), 1)
                for other in self._others:
                    count = self._store.add(_key(other), 0)
                    if count != counts.get(other, 0):
                        self._heard[other] = time.monotonic()
                    counts[other] = count
            except RuntimeError:  # the store has ended with its process, which everybody notices
                return
            self._over.wait(min(2.0, self._silence / 8))

    def _watch(self) -> None:
        while not self._over.wait(min(1.0, self._silence / 8)):
            silent = [other for other, at in dict(self._heard).items() if self._is_late(at)]
            if silent and self.is_needed:
                print(
                    f"error: Process {silent[0]} of this training gave no sign of life for {self._silence:g} seconds;"
                    " start all of them again with --resume.",
                    file=sys.stderr,
                    flush=True,
                )
                os._exit(GONE)

    def _is_late(self, at: float) -> bool:
        return time.monotonic() - at > self._silence


def _key(rank: int) -> str:
    return f"beat {rank}"
