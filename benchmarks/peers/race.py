"""Trainers in turn: each lives in a process of its own and works only while it is asked to, so that none spoils another's caches."""

from __future__ import annotations

import contextlib
import multiprocessing
import resource
import sys
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import NamedTuple

import psutil
import torch

from benchmarks.peers import Peer
from s2s.config import Recipe
from s2s.train import TrainingData
from s2s.train.machine import keep_freed_memory

WARM = 2  # updates before the first that counts


class Leg(NamedTuple):
    """What a trainer did when it was its turn."""

    tokens: int  # real ones, source and target
    cpu: float  # seconds of its process, all threads
    wall: float  # seconds
    foreign: float  # cores that others used meanwhile
    peak: float  # MB (10**6 bytes) that its process has taken at most

    def rate(self, threads: int) -> float:
        """Tokens a CPU second; a second of the clock where there are several threads, since CPU seconds do not show waiting."""
        return self.tokens / (self.cpu if threads == 1 else self.wall)


class Racer(NamedTuple):
    """A trainer that waits for its turn."""

    name: str
    wire: Connection

    def leg(self, tokens: int, *, switch: bool = False) -> Leg:
        """At least so many tokens; `switch` sends torch's CPU matrix products through oneDNN."""
        self.wire.send((tokens, switch))
        try:
            answer = self.wire.recv()
        except EOFError:
            raise SystemExit(f"{self.name} ended; its words stand above.") from None
        return Leg(*answer)


@contextlib.contextmanager
def racers(peers: dict[str, Peer], recipe: Recipe, data: TrainingData, *, keep_memory: bool = False) -> Iterator[list[Racer]]:
    """All of them, warm; `keep_memory` gives each the allocator's settings of our trainer."""
    context = multiprocessing.get_context("spawn")
    lined_up, started = [], []
    try:
        for name, peer in peers.items():
            near, far = context.Pipe()
            process = context.Process(target=_wait, args=(far, peer, recipe, data, keep_memory), daemon=True)
            process.start()
            far.close()
            started.append((process, near))
            lined_up.append(Racer(name, near))
            lined_up[-1].leg(1)  # one after the other
        yield lined_up
    finally:
        for process, near in started:
            near.close()
            process.join(10)


def _wait(wire: Connection, peer: Peer, recipe: Recipe, data: TrainingData, keep_memory: bool) -> None:
    """The life of a racer: until nobody holds the other end."""
    if keep_memory:
        keep_freed_memory()
    torch.set_num_threads(recipe.train.threads)
    update = peer.make(recipe, data)
    for _ in range(WARM):
        update()
    with contextlib.suppress(EOFError):
        while True:
            tokens, switch = wire.recv()
            torch.backends.mkldnn.matmul.fp32_precision = "bf16" if switch else "none"  # type: ignore[attr-defined]
            done = 0
            busy, cpu, wall = _busy(), time.process_time(), time.perf_counter()
            while done < tokens:
                done += update()
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            foreign = max(0.0, (_busy() - busy - cpu) / wall)
            wire.send((done, cpu, wall, foreign, _peak()))


def _peak() -> float:
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes here
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _busy() -> float:
    """CPU seconds that all processes of this machine have used."""
    times = psutil.cpu_times()
    return float(sum(getattr(times, name, 0.0) for name in ("user", "nice", "system", "irq", "softirq")))
