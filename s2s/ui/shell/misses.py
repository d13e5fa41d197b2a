"""Guesses of short links: how long the answer to a wrong one waits. Only misses count; one that exists opens at once.

Knows no clock but the one it is given, and no servers: an address is a name here.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple


class Allowance(NamedTuple):
    """How many misses are free, and after how many seconds there is one more."""

    free: int
    seconds: float


OF_ADDRESS = Allowance(30, 2.0)  # a school has one address
OF_ALL = Allowance(300, 0.2)  # whoever guesses from many addresses
MOST = 10.0  # seconds that an answer waits; so long after the last guess nobody waits for them any more
MAX_ADDRESSES = 4096  # that are remembered


class Misses:
    """Counts misses by address, for several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._of_all = 0.0  # when the last of the misses so far has its turn
        self._of_address: OrderedDict[str, float] = OrderedDict()

    def delay(self, address: str) -> float:
        """Count a miss from an address; returns the seconds that its answer waits."""
        now = self._clock()
        with self._lock:
            self._of_all, wait = _next(OF_ALL, self._of_all, now)
            until, own = _next(OF_ADDRESS, self._of_address.pop(address, 0.0), now)
            self._of_address[address] = until
            while len(self._of_address) > MAX_ADDRESSES:
                self._of_address.popitem(last=False)
        return max(wait, own)


def _next(given: Allowance, last: float, now: float) -> tuple[float, float]:
    free = given.free * given.seconds
    turn = min(max(last, now) + given.seconds, now + free + MOST)
    return turn, max(0.0, turn - now - free)
