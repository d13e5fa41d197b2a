"""Until when a waiting job waits, beside what happens when each job takes what was forecast."""

import pytest

from s2s.processes import queue
from s2s.processes.queue.table import AT_ONCE


def submit(
    run: str, seconds: float | None, *, now: float = 0.0, express: bool = False, owner: str = ""
) -> str:
    spec = {} if seconds is None else {queue.SECONDS: seconds}
    return queue.submit("train", owner or run, run, spec, express=express, now=now)


def claim(now: float, slot: str = "long") -> queue.Job:
    job = queue.claim("w", "h", slot, 1e6, now=now)
    assert job is not None
    return job


def test_the_estimate_is_when_it_starts_where_jobs_take_what_was_forecast() -> None:
    works = (300.0, 60.0, 600.0)
    jobs = [submit(f"r{n}", seconds, now=n - 10.0) for n, seconds in enumerate(works)]
    last = submit("last", 10.0)
    assert claim(0.0).id == jobs[0]
    assert queue.wait(last, now=100.0) == queue.Wait(before=2, seconds=200.0 + 60.0 + 600.0)
    queue.finish(jobs[0], "w", "done", now=300.0)
    assert claim(300.0).id == jobs[1]
    queue.finish(jobs[1], "w", "done", now=360.0)
    assert claim(360.0).id == jobs[2]
    assert queue.wait(last, now=400.0) == queue.Wait(before=0, seconds=560.0)
    assert queue.wait(last, now=1000.0).seconds == 60.0  # a tenth more: it is late


def test_a_free_slot_is_no_wait() -> None:
    for number in range(AT_ONCE["express"] - 1):
        submit(f"r{number}", 5.0, express=True)
        claim(0.0, "express")
    assert queue.wait(submit("next", 5.0, express=True), now=1.0) == queue.Wait(0, 0.0)
    assert queue.wait(submit("long", 500.0), now=1.0) == queue.Wait(0, 0.0)


def test_what_was_done_lately_says_how_long_the_next_take() -> None:
    for number in range(2):
        submit(f"r{number}", 100.0)
        queue.finish(claim(0.0).id, "w", "done", now=150.0)
    submit("at work", 100.0)
    claim(200.0)
    waiting = submit("waiting", 100.0, now=200.0)
    assert queue.wait(waiting, now=200.0).seconds == pytest.approx(150.0)
    assert queue.wait(waiting, now=5000.0).seconds == pytest.approx(
        10.0
    )  # an hour later, 100 alone


@pytest.mark.parametrize("is_known", [False, True])
def test_a_job_without_a_forecast_takes_the_mean_of_those_done_or_nobody_knows(
    is_known: bool,
) -> None:
    if is_known:
        submit("done", None)
        queue.finish(claim(0.0).id, "w", "done", now=40.0)
    submit("at work", None)
    claim(50.0)
    submit("next", None)
    found = queue.wait(submit("last", None, now=1.0), now=50.0)
    assert found == queue.Wait(1, 80.0 if is_known else None)


def test_a_server_ends_jobs_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_MAX_MINUTES", "10")
    submit("at work", 7200.0)
    claim(0.0)
    assert queue.wait(submit("waiting", 1.0), now=0.0).seconds == 600.0


def test_while_the_queue_is_paused_nobody_knows() -> None:
    waiting = submit("waiting", 60.0)
    queue.set_paused(True)
    assert queue.wait(waiting) == queue.Wait(0, None)


def test_a_job_that_waits_no_more_has_nothing_before_it() -> None:
    job = submit("r", 60.0)
    claim(0.0)
    assert queue.wait(job) == queue.Wait()
