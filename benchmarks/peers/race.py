"""Racers take turns, each in its own process, idle otherwise, so that none evicts another's data from the caches."""

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

from benchmarks.peers import MINE, Entrant, Peer
from s2s.config import Recipe
from s2s.model import keep_freed_memory
from s2s.training import TrainingData, is_fast_accurate

WARM = 2  # updates before the measured ones


class Mode(NamedTuple):
    """How torch computes on a CPU: settings that any program may choose without a change to its code."""

    switch: bool = False  # oneDNN's fast mode for matrix products
    explicit: bool = False  # attention as two matrix products; the fused kernel is several times slower in fast mode

    def use(self) -> None:
        """Set it for this process."""
        torch.backends.mkldnn.matmul.fp32_precision = "bf16" if self.switch else "none"  # type: ignore[attr-defined]
        torch.backends.cuda.enable_flash_sdp(not self.explicit)  # the CPU's kernel obeys it, too

    @property
    def words(self) -> list[str]:
        return ["oneDNN's fast mode"] * self.switch + ["explicit attention"] * self.explicit


PLAIN = Mode()


def modes() -> list[Mode]:
    """Those that compute in float32 here: with AMX, the fast mode means bfloat16."""
    return [PLAIN, Mode(switch=True), Mode(True, True)] if is_fast_accurate() else [PLAIN]


class Leg(NamedTuple):
    """The measurements of one turn of a racer."""

    done: int  # real source and target tokens of a trainer, sentences of a decoder
    cpu: float  # CPU seconds of its process, all threads
    wall: float  # seconds
    foreign: float  # cores that other processes used meanwhile
    peak: float  # peak memory of its process in MB (10**6 bytes)

    def rate(self, threads: int) -> float:
        """Per CPU second; per wall-clock second with several threads, since CPU seconds do not include waiting."""
        return self.done / (self.cpu if threads == 1 else self.wall)


class Racer(NamedTuple):
    """A trainer that waits for its turn."""

    name: str
    keeps_memory: bool  # has the allocator's settings of our trainer
    wire: Connection

    def leg(self, tokens: int, mode: Mode) -> Leg:
        """Train on at least this many tokens."""
        self.wire.send((tokens, mode))
        try:
            answer = self.wire.recv()
        except EOFError:
            raise SystemExit(f"{self.name} ended; see its output above.") from None
        return Leg(*answer)


@contextlib.contextmanager
def racers(peers: dict[str, Peer], recipe: Recipe, data: TrainingData) -> Iterator[list[Racer]]:
    """All of them, warmed up; a peer twice, as it comes and with the allocator's settings of our trainer."""
    places = {
        f"{name} {keeps}": (name, keeps)
        for name, peer in peers.items()
        for keeps in allocators(peer)
    }
    arguments = {
        place: (peers[name], recipe, data, keeps) for place, (name, keeps) in places.items()
    }
    with children(_wait, arguments) as wires:
        lined_up = [Racer(*places[place], wire) for place, wire in wires.items()]
        for racer in lined_up:
            racer.leg(1, PLAIN)  # one after the other
        yield lined_up


def allocators(entrant: Entrant) -> tuple[bool, ...]:
    """Ours chooses its settings itself; a peer is tried without and with them."""
    return (False,) if entrant.library == MINE else (False, True)


@contextlib.contextmanager
def children(
    target: Callable[..., None], arguments: Mapping[str, tuple[Any, ...]]
) -> Iterator[dict[str, Connection]]:
    """A process per name that runs `target(wire, *arguments)`; yields our ends of the pipes.

    They end with the block.
    """
    context = multiprocessing.get_context("spawn")
    started = []
    wires = {}
    try:
        for name, values in arguments.items():
            wires[name], far = context.Pipe()
            process = context.Process(target=target, args=(far, *values), daemon=True)
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
    """Measure `work`, which returns how much it has done."""
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
            tokens, mode = wire.recv()
            Mode(*mode).use()
            wire.send(tuple(metered(functools.partial(updates, tokens))))


def peak() -> float:
    """Peak memory of this process in MB (10**6 bytes)."""
    unit = 1 if sys.platform == "darwin" else 1024  # bytes on macOS, kilobytes on Linux
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _busy() -> float:
    times = psutil.cpu_times()
    return float(
        sum(getattr(times, name, 0.0) for name in ("user", "nice", "system", "irq", "softirq"))
    )
