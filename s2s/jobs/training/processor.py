"""How much of the processor a training gets: its CPU seconds beside those of the clock.

While other work has the processor, updates wait, and nothing else says why a run is slow.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

# A training on the CPU keeps at least one core busy. With less than this share of one, the processor is taken: the
# worker's priority leaves it a third of its speed beside pages, and its checkpoints take seconds, not half a minute.
LEAST = 1 / 3
WINDOW = 30.0  # the newest seconds, which are judged
LOOK = 2.0  # seconds between two looks
WAITING = "Waiting for the processor"  # begins the sentence

Clock = Callable[[], float]  # seconds
Tell = Callable[[str], None]


class ProcessorWatch:
    """Compares the CPU time of this process, all threads together, with the time that passes. Pauses do not count."""

    def __init__(self, clock: Clock = time.monotonic, cpu: Clock = time.process_time) -> None:
        self._clock = clock
        self._cpu = cpu
        self._paused = 0.0  # seconds of pauses that are over
        self._pause: float | None = None  # when this pause began
        self._start = (clock(), cpu())
        self._looks = deque([self._start])  # those of the window and the last one before it
        self._since: tuple[float, float] | None = None  # while the processor is taken

    def look(self) -> str:
        """A sentence on how much of the processor there was since others took it; empty while nobody does."""
        now = self._now()
        if self._pause is None:
            self._looks.append(now)
        while len(self._looks) > 1 and now[0] - self._looks[1][0] >= WINDOW:
            self._looks.popleft()
        first = self._looks[0]
        if now[0] - first[0] < WINDOW or _share(first, now) >= LEAST:
            self._since = None
            return ""
        self._since = self._since or first
        return f"{WAITING}: {_amount(self._since, now)}."

    def in_all(self) -> str:
        """A sentence on how much of the processor the whole training had; empty where that was enough."""
        now = self._now()
        if now[0] - self._start[0] < WINDOW or _share(self._start, now) >= LEAST:
            return ""
        return f"Other work had the processor: {_amount(self._start, now)} for this run."

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """While a visitor's pause lasts: its time does not count."""
        self._pause = self._clock()
        try:
            yield
        finally:
            self._paused += self._clock() - self._pause
            self._pause = None

    def _now(self) -> tuple[float, float]:
        return (self._clock() if self._pause is None else self._pause) - self._paused, self._cpu()


def is_waiting(sentence: str) -> bool:
    """Whether a sentence is one that `look` returns while the processor is taken."""
    return sentence.startswith(WAITING)


@contextlib.contextmanager
def reporting(watch: ProcessorWatch, tell: Tell) -> Iterator[None]:
    """While this is open, a thread passes what `look` returns to `tell` whenever that has changed."""
    over = threading.Event()

    def follow() -> None:
        told = ""
        while not over.wait(LOOK):
            sentence = watch.look()
            if sentence != told:
                tell(sentence)
            told = sentence

    thread = threading.Thread(target=follow, name="processor watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _share(first: tuple[float, float], last: tuple[float, float]) -> float:
    return (last[1] - first[1]) / max(1e-9, last[0] - first[0])


def _amount(first: tuple[float, float], last: tuple[float, float]) -> str:
    """How much processor time there was: `7 s of it in 6 minutes`."""
    seconds = last[0] - first[0]
    whole = f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"
    return f"{last[1] - first[1]:.0f} s of it in {whole}"
