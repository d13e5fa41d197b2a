"""A simulation of the queue: by number of workers, how long people wait for the first point on a curve.

Jobs arrive at random (Poisson). Each worker has a machine of two cores with one long slot and twelve express slots, as
`queue.AT_ONCE` says. Jobs start in the order of arrival at a random worker with a free slot, which notices it after
half of its interval between two looks. Jobs share a machine's cores: each uses at most one, a long job has half of an
express job's weight, which is what their priorities (nice 8 and 5) mean to Linux. Service times are measured: they come
from benchmarks/results (press, classroom, builtin-en-fr). The second table is of a lecture whose people all press
Train within a minute; its first row is the measured classroom again, which shows what the simulation is worth. The same
seed gives the same numbers.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.report import last_line, options, table
from s2s.processes.queue import AT_ONCE
from s2s.processes.worker import POLL
from s2s.settings import HOSTED

CORES = 2
WEIGHT = {"express": 1.0, "long": 1 / 2}  # of a core's time, where there are more jobs than cores
LOOK = POLL / 2  # seconds until a worker notices a job, on average
HOUR = 3600.0
RUSHES = ((30, 1), (300, 1), (300, 2), (300, 4), (300, 8), (300, 16))  # people, workers
AT_LIMIT = 0.1  # share of long jobs that work until the limit of a hosted server


@dataclass(frozen=True)
class Service:
    """Seconds of one core that jobs take, all measured; `shown` is until the page displays what is written."""

    first: float  # to the first line of metrics
    shown: float  # no work: the page refreshes
    express: float
    long: float
    limit: float

    @classmethod
    def measured(cls) -> Service:
        """From the records. Raises SystemExit where one is missing."""
        press, school, builtin = (
            _results(name) for name in ("press", "classroom", "builtin-en-fr")
        )
        warm = [row for row in press["rows"] if row["worker"] == "warm"]
        alone = min(row["done s"] - row["waited in the queue s"] for row in school["rows"])
        written = float(np.median([row["written"] for row in warm]))
        return cls(
            first=written - LOOK,
            shown=float(np.median([row["seen"] for row in warm])) - written,
            express=alone,
            long=builtin["en-fr"]["over_seeds"]["seconds"]["mean"],
            limit=60.0 * (HOSTED.minutes or 60),
        )


def _results(name: str) -> Any:
    record = results.read(name)
    if record is None:
        raise SystemExit(f"{name} is not measured yet: `python -m benchmarks.record {name}`.")
    return record.results


@dataclass(frozen=True)
class Arrival:
    """A job: when it is submitted, its slot, and seconds of work."""

    at: float
    slot: str
    work: float


@dataclass
class Machine:
    """A worker's machine. Each slot has a clock of work: it advances by the rate that each of its jobs has."""

    now: float = 0.0
    version: int = 0  # of what is planned for it
    clock: dict[str, float] = field(default_factory=lambda: dict.fromkeys(WEIGHT, 0.0))
    # by slot: when on its clock something happens, to which job, and whether that ends it
    due: dict[str, list[tuple[float, int, bool]]] = field(
        default_factory=lambda: {slot: [] for slot in WEIGHT}
    )
    n: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WEIGHT, 0))

    def rate(self, slot: str) -> float:
        """The share of a core that each job of the slot has."""
        weight = sum(self.n[one] * WEIGHT[one] for one in WEIGHT)
        express = min(1.0, CORES / weight) if weight else 1.0
        if slot == "express":
            return express
        return min(1.0, (CORES - self.n["express"] * express) / max(1, self.n["long"]))

    def advance(self, now: float) -> None:
        for slot in WEIGHT:
            self.clock[slot] += (now - self.now) * self.rate(slot)
        self.now = now

    def next(self) -> tuple[float, str] | None:
        """When something happens next, if no job arrives, and in which slot."""
        found = [
            (self.now + max(0.0, due[0][0] - self.clock[slot]) / self.rate(slot), slot)
            for slot, due in self.due.items()
            if due
        ]
        return min(found, default=None)

    def start(self, job: int, slot: str, first: float, work: float) -> None:
        self.n[slot] += 1
        heapq.heappush(self.due[slot], (self.clock[slot] + min(first, work), job, False))
        heapq.heappush(self.due[slot], (self.clock[slot] + work, job, True))


class Simulation:
    """Machines, and the jobs that wait for them."""

    def __init__(self, workers: int, service: Service, dice: random.Random) -> None:
        self.machines = [Machine() for _ in range(workers)]
        self.service = service
        self.dice = dice
        self.waiting: dict[str, deque[int]] = {slot: deque() for slot in WEIGHT}
        self.first: dict[int, float] = {}
        self.done: dict[int, float] = {}
        self.longest = 0  # queue
        self._planned: list[tuple[float, int, int]] = []  # when, machine, version

    def run(self, jobs: Sequence[Arrival]) -> None:
        """Until all are done; `first` and `done` are then seconds by job."""
        arrivals = deque(enumerate(jobs))
        while arrivals or self._planned:
            if arrivals and (not self._planned or arrivals[0][1].at <= self._planned[0][0]):
                job, arrival = arrivals.popleft()
                self.waiting[arrival.slot].append(job)
                self._fill(arrival.slot, arrival.at, jobs)
            else:
                now, number, version = heapq.heappop(self._planned)
                if version == self.machines[number].version:
                    self._happen(number, now, jobs)
            self.longest = max(self.longest, sum(map(len, self.waiting.values())))

    def _happen(self, number: int, now: float, jobs: Sequence[Arrival]) -> None:
        machine = self.machines[number]
        found = machine.next()
        machine.advance(now)
        if found is None:
            return
        _, job, is_end = heapq.heappop(machine.due[found[1]])
        if is_end:
            machine.n[found[1]] -= 1
            self.done[job] = now
            self._fill(found[1], now, jobs)
        else:
            self.first[job] = now
        self._plan(number)

    def _fill(self, slot: str, now: float, jobs: Sequence[Arrival]) -> None:
        free = [n for n, one in enumerate(self.machines) if one.n[slot] < AT_ONCE[slot]]
        while free and self.waiting[slot]:
            number = self.dice.choice(free)
            job = self.waiting[slot].popleft()
            self.machines[number].advance(now)
            self.machines[number].start(job, slot, self.service.first, jobs[job].work)
            self._plan(number)
            if self.machines[number].n[slot] >= AT_ONCE[slot]:
                free.remove(number)

    def _plan(self, number: int) -> None:
        machine = self.machines[number]
        machine.version += 1
        if found := machine.next():
            heapq.heappush(self._planned, (found[0], number, machine.version))


def arrivals(
    dice: random.Random, service: Service, *, per_hour: float, express: float, hours: float
) -> Iterator[Arrival]:
    """Jobs of so many hours, a share of them express."""
    now = 0.0
    while (now := now + dice.expovariate(per_hour / HOUR)) < hours * HOUR:
        is_express = dice.random() < express
        long = service.limit if dice.random() < AT_LIMIT else service.long
        yield Arrival(now, *(("express", service.express) if is_express else ("long", long)))


def simulate(
    workers: int, jobs: Sequence[Arrival], service: Service, seed: int, after: float = 0.0
) -> dict[str, Any]:
    """What people wait who came `after` this second; seconds from the click."""
    simulation = Simulation(workers, service, random.Random(seed))
    simulation.run(jobs)
    row: dict[str, Any] = {"workers": workers}
    for slot in WEIGHT:
        waited = [
            simulation.first[job] - arrival.at + LOOK + service.shown
            for job, arrival in enumerate(jobs)
            if arrival.slot == slot and arrival.at >= after
        ]
        for share in (0.5, 0.95):
            row[f"{slot}: first point p{share:.0%}"[:-1] + " s"] = float(np.quantile(waited, share))
    row["longest queue"] = simulation.longest
    return row


def rush(people: int, workers: int, service: Service, seed: int) -> dict[str, Any]:
    """So many press Train within a minute, while every worker trains a long run."""
    dice = random.Random(seed)
    presses = sorted(dice.uniform(0, 60) for _ in range(people))
    jobs = [Arrival(0.0, "long", service.limit) for _ in range(workers)]
    jobs += [Arrival(at, "express", service.express) for at in presses]
    simulation = Simulation(workers, service, dice)
    simulation.run(jobs)
    ours = range(workers, len(jobs))
    waited = [simulation.first[job] - jobs[job].at + LOOK + service.shown for job in ours]
    return {
        "people": people,
        "workers": workers,
        "first point p50 s": float(np.quantile(waited, 0.5)),
        "first point p95 s": float(np.quantile(waited, 0.95)),
        "last done s": max(simulation.done[job] for job in ours) - presses[0],
    }


def main() -> None:
    """A row per number of workers."""
    parser = options(__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[32, 48, 56, 64, 80])
    parser.add_argument("--per-hour", type=float, default=3000.0, help="jobs that arrive")
    parser.add_argument("--express", type=float, default=0.9, help="share of them")
    parser.add_argument("--hours", type=float, default=6.0, help="the first is not counted")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    service = Service.measured()
    demand = {key: getattr(arguments, key) for key in ("per_hour", "express", "hours")}
    jobs = list(arrivals(random.Random(arguments.seed), service, **demand))
    rows = [simulate(n, jobs, service, arguments.seed, HOUR) for n in arguments.workers]
    table(rows)
    print()
    rushes = [rush(people, n, service, arguments.seed) for people, n in RUSHES]
    table(rushes)
    measured = _results("classroom")["headline"]
    print(
        f"Measured with 30 people and one worker: first point p50 {measured['first point']:.2f} s,"
        f" last done {measured['last done']:.2f} s."
    )
    found = {"demand": demand, "service": vars(service), "rows": rows, "rushes": rushes}
    last_line("queue_simulation", found, arguments)


if __name__ == "__main__":
    main()
