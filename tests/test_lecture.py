"""What the benchmark of a lecture finds missing; the lecture itself is benchmarks/lecture.py."""

import pytest

from benchmarks import lecture
from benchmarks.classroom import Class
from s2s.processes import queue
from s2s.ui.kit import turn


def missing(said: str, state: str = "queued", wanted: int = 1) -> list[str]:
    """Of one run whose page said that, and whose job has this state; "" for none."""
    if state:
        queue.submit("train", "ann", "r", {"name": "student 1"})
        if state != "queued":
            job = queue.claim("w", "h", "long", 20.0)
            assert job is not None
            queue.finish(job.id, "w", state)
    visitors = Class("", "small")
    visitors.owners.add("ann")
    return lecture.lost([lecture.Queued("student 1", 0.0, [(1.0, said)])], visitors, wanted)


@pytest.mark.parametrize("seconds", [0.0, 61.0, 500.0])
def test_nothing_is_missing_where_the_page_says_the_wait_and_the_job_is_there(
    seconds: float,
) -> None:
    assert missing(f"Queued: small, {turn(3, seconds)}.") == []


def test_a_page_without_minutes_is_missed() -> None:
    assert missing(f"Queued: small, {turn(3, None)}.")


@pytest.mark.parametrize(("state", "n"), [("done", 0), ("failed", 1), ("interrupted", 1), ("", 1)])
def test_a_job_that_is_gone_or_ended_badly_is_missed(state: str, n: int) -> None:
    assert len(missing(f"Waiting: {turn(0, 5.0)}.", state)) == n


def test_a_run_that_nobody_could_queue_is_missed() -> None:
    assert missing(f"Waiting: {turn(0, 5.0)}.", wanted=2) == ["only 1 of 2 runs were queued"]
