import subprocess
import sys

import pytest

from s2s.config import UserError
from s2s.jobs import queue

CLAIMING = """
import sys
from s2s.jobs import queue
host = sys.argv[1]
while job := queue.claim(host, host, "long", 60):
    print(job.id)
    assert queue.finish(job.id, host, "done")
"""


def submit(run: str = "r", owner: str = "ann", *, now: float = 0.0, express: bool = False) -> str:
    return queue.submit("train", owner, run, {"run": run}, express=express, now=now)


def claim(worker: str = "w", *, host: str = "h", slot: str = "long", now: float = 10.0) -> queue.Job | None:
    return queue.claim(worker, host, slot, 20.0, now=now)


def state(job: str) -> str:
    found = queue.find(job)
    assert found is not None
    return found.state


def test_four_processes_claim_two_hundred_jobs_and_none_twice() -> None:
    ids = [submit(f"r{number}", now=number) for number in range(200)]
    started = [
        subprocess.Popen([sys.executable, "-c", CLAIMING, f"host-{number}"], stdout=subprocess.PIPE, text=True) for number in range(4)
    ]
    claimed = [process.communicate(timeout=60)[0].split() for process in started]
    assert [process.returncode for process in started] == [0, 0, 0, 0]
    assert sorted(job for found in claimed for job in found) == sorted(ids)


def test_the_oldest_job_of_the_slot_comes_first_and_a_host_does_one_at_a_time() -> None:
    second, first, quick = submit("b", now=2.0), submit("a", now=1.0), submit("c", now=0.0, express=True)
    job = claim()
    assert job is not None
    assert (job.id, job.run, job.spec, job.state, job.attempts, job.lease, job.started) == (first, "a", {"run": "a"}, "running", 1, 30, 10)
    assert claim("another") is None
    assert getattr(claim(slot="express"), "id", None) == quick
    assert getattr(claim("v", host="elsewhere"), "id", None) == second
    assert claim("u", host="third") is None


def test_a_job_whose_lease_ran_out_is_claimed_again_and_lost_to_the_first() -> None:
    job = submit()
    assert claim("first") is not None
    queue.renew(job, "first", 20.0, now=25.0)
    assert claim("second", now=44.9) is None
    again = claim("second", now=45.1)
    assert again is not None
    assert (again.id, again.worker, again.attempts) == (job, "second", 2)
    for call in (lambda: queue.renew(job, "first", 20.0), lambda: queue.is_stop_wanted(job, "first")):
        with pytest.raises(queue.Lost):
            call()
    assert not queue.finish(job, "first", "done")
    assert state(job) == "running"
    assert queue.finish(job, "second", "done", now=50.0)
    assert state(job) == "done"


def test_a_job_that_takes_three_workers_with_it_is_given_up() -> None:
    job = submit()
    for attempt in range(3):
        assert claim(f"w{attempt}", now=100.0 * attempt + 1) is not None
    assert claim("w3", now=1000.0) is None
    found = queue.find(job)
    assert found is not None
    assert (found.state, found.attempts, found.finished) == ("interrupted", 3, 1000.0)
    assert found.error.startswith("It was started 3 times and its process died each time")


def test_a_waiting_job_stops_at_once_a_running_one_is_asked_to_and_a_lost_one_is_not_taken_up() -> None:
    job, waiting = submit("a", now=1.0), submit("b", now=2.0)
    assert claim() is not None
    assert not queue.is_stop_wanted(job, "w")
    for one in (job, waiting):
        queue.ask_to_stop(one, "ann", now=11.0)
    assert (state(job), state(waiting)) == ("running", "stopped")
    assert queue.is_stop_wanted(job, "w")
    assert claim("v", now=1000.0) is None
    assert state(job) == "stopped"


def test_nobody_stops_the_job_of_somebody_else() -> None:
    job = submit(owner="ann")
    with pytest.raises(UserError, match=f"There is no job `{job}` of yours; reload"):
        queue.ask_to_stop(job, "bob")
    assert state(job) == "queued"


def test_a_run_has_one_live_job_of_a_kind() -> None:
    job = submit("r")
    with pytest.raises(UserError, match="`r` waits or is being worked on already"):
        submit("r")
    queue.ask_to_stop(job, "ann")
    submit("r")


def test_jobs_are_listed_newest_first_and_know_how_many_wait_before_them() -> None:
    ids = [submit(f"r{number}", now=number) for number in range(4)]
    other = submit("x", owner="bob", now=9.0)
    quick = submit("y", owner="bob", now=10.0, express=True)
    assert [job.id for job in queue.jobs("ann")] == ids[::-1]
    assert [job.id for job in queue.jobs("ann", limit=2)] == ids[:1:-1]
    assert [queue.position(job) for job in (*ids, other, quick)] == [0, 1, 2, 3, 4, 0]
    claim()
    assert [queue.position(job) for job in (*ids[1:], other)] == [0, 1, 2, 3]
    assert getattr(queue.latest("r3"), "id", None) == ids[3]
    assert queue.latest("nothing") is None


def test_what_a_job_says_is_kept_until_it_ends() -> None:
    job = submit()
    claim()
    queue.tell(job, "Reading the text.")
    assert getattr(queue.find(job), "note", None) == "Reading the text."
    queue.finish(job, "w", "failed", "No.")
    found = queue.find(job)
    assert found is not None
    assert (found.note, found.error) == ("", "No.")


def test_a_worker_knows_when_nothing_is_left_for_it() -> None:
    assert not queue.is_anything_left("h", now=0.0)
    job = submit()
    assert queue.is_anything_left("h", now=0.0)
    claim(host="h", now=0.0)
    assert queue.is_anything_left("h", now=0.0)
    assert not queue.is_anything_left("another", now=19.0)
    assert queue.is_anything_left("another", now=21.0)
    queue.finish(job, "w", "done")
    assert not queue.is_anything_left("h", now=0.0)


def test_a_lost_job_can_be_given_up_and_a_live_one_cannot() -> None:
    job = submit()
    claim(now=10.0)
    assert not queue.abandon(job, now=29.0)
    assert queue.abandon(job, now=31.0)
    assert (state(job), claim("v", now=40.0)) == ("interrupted", None)


def test_a_forgotten_run_has_no_jobs() -> None:
    submit("r")
    keep = submit("s", now=1.0)
    queue.forget("r")
    assert [job.id for job in queue.jobs("ann")] == [keep]
