"""The simulated queue obeys arithmetic that can be done by hand."""

import random

import pytest

from benchmarks.queue_simulation import Arrival, Service, Simulation

SERVICE = Service(first=0.25, shown=0.5, express=2.0, long=100.0, limit=1000.0)


def done(workers: int, jobs: list[Arrival]) -> dict[int, float]:
    simulation = Simulation(workers, SERVICE, random.Random(1))
    simulation.run(jobs)
    return simulation.done


def test_jobs_share_two_cores_and_the_long_slot() -> None:
    assert done(1, [Arrival(0, "express", 2.0)]) == pytest.approx({0: 2.0})
    assert done(1, [Arrival(0, "express", 2.0)] * 4) == pytest.approx(dict.fromkeys(range(4), 4.0))
    assert done(1, [Arrival(0, "long", 100.0)] * 2) == pytest.approx({0: 100.0, 1: 200.0})
    assert done(2, [Arrival(0, "long", 100.0)] * 2) == pytest.approx({0: 100.0, 1: 100.0})
    # twelve start at once, the thirteenth when they end: 24 seconds of work on two cores
    assert done(1, [Arrival(0, "express", 2.0)] * 13)[12] == pytest.approx(14.0)
