"""Racers in turn: each lives in a process of its own and works only while it is asked to, so that none spoils another's caches."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import psutil
import torch

from benchmarks.peers import Peer
from s2s.config import Recipe
from s2s.model import keep_freed_memory
from s2s.train import TrainingData

WARM = 2  # updates before the first that counts


class Leg(NamedTuple):
    """What a racer did when it was its turn."""

    done: int  # a trainer: real tokens, source and target; a decoder: sentences
    cpu: float  # seconds of its process, all threads
    wall: float  # seconds
    foreign: float  # cores that others used meanwhile
    peak: float  # MB (10**6 bytes) that its process has taken at most

    def rate(self, threads: int) -> float:
        """So many a CPU second; a second of the clock where there are several threads, since CPU seconds do not show waiting."""
        return self.done / (self.cpu if threads == 1 else self.wall)


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
def racers(
    peers: dict[str, Peer], recipe: Recipe, data: TrainingData, *, keep_memory: bool = False
) -> Iterator[list[Racer]]:
    """All of them, warm; `keep_memory` gives each the allocator's settings of our trainer."""
    with children(
        _wait, {name: (peer, recipe, data, keep_memory) for name, peer in peers.items()}
    ) as wires:
        lined_up = [Racer(name, wire) for name, wire in wires.items()]
        for racer in lined_up:
            racer.leg(1)  # one after the other
        yield lined_up


@contextlib.contextmanager
def children(
    life: Callable[..., None], given: Mapping[str, tuple[Any, ...]]
) -> Iterator[dict[str, Connection]]:
    """A process of its own for each name, which runs `life(wire, *given)`; the near ends of the wires. They end with the block."""
    context = multiprocessing.get_context("spawn")
    started = []
    wires = {}
    try:
        for name, arguments in given.items():
            wires[name], far = context.Pipe()
            process = context.Process(target=life, args=(far, *arguments), daemon=True)
            process.start()
            far.close()
            started.append(process)
        yield wires
    finally:
        for wire in wires.values():
            wire.close()
        for process in started:
            process.join(10)


def metered(work: Callable[[], int]) -> Leg:
    """What it took to do `work`, which says how much it has done."""
    busy = _busy()
    cpu = time.process_time()
    wall = time.perf_counter()
    done = work()
    cpu = time.process_time() - cpu
    wall = time.perf_counter() - wall
    return Leg(done, cpu, wall, max(0.0, (_busy() - busy - cpu) / wall), peak())


def _wait(
    wire: Connection, peer: Peer, recipe: Recipe, data: TrainingData, keep_memory: bool
) -> None:
    """The life of a trainer: until nobody holds the other end."""
    if keep_memory:
        keep_freed_memory()
    torch.set_num_threads(recipe.train.threads)
    update = peer.make(recipe, data)
    for _ in range(WARM):
        update()

    def updates(tokens: int) -> int:
        done = 0
        while done < tokens:
            done += update()
        return done

    with contextlib.suppress(EOFError):
        while True:
            tokens, switch = wire.recv()
            torch.backends.mkldnn.matmul.fp32_precision = "bf16" if switch else "none"  # type: ignore[attr-defined]
            wire.send(tuple(metered(functools.partial(updates, tokens))))


def peak() -> float:
    """MB (10**6 bytes) that this process has taken at most."""
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes here
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _busy() -> float:
    """CPU seconds that all processes of this machine have used."""
    times = psutil.cpu_times()
    return float(
        sum(getattr(times, name, 0.0) for name in ("user", "nice", "system", "irq", "softirq"))
    )
