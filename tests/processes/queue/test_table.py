import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from s2s.config import UserError
from s2s.processes import queue
from s2s.processes.queue import table
from tests import spawned


def submit(run: str = "r", owner: str = "ann", *, now: float = 0.0, express: bool = False) -> str:
    return queue.submit("train", owner, run, {"run": run}, express=express, now=now)


def claim(
    worker: str = "w", *, host: str = "h", slot: str = "long", now: float = 10.0
) -> queue.Job | None:
    return queue.claim(worker, host, slot, 20.0, now=now)


def state(job: str) -> str:
    found = queue.find(job)
    assert found is not None
    return found.state


def claim_all(host: str, ready: Path) -> list[str]:
    """The jobs that this host got, of four that begin together."""
    claimed = []
    queue.find("nothing")  # connects
    (ready / host).touch()
    spawned.wait_for(lambda: len(list(ready.iterdir())) == 4)
    while job := queue.claim(host, host, "long", 60):
        claimed.append(job.id)
        assert queue.finish(job.id, host, "done")
    return claimed


@pytest.mark.system
def test_four_processes_claim_all_jobs_and_none_twice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("S2S_MAX_JOBS", "none")
    ids = [submit(f"r{number}", now=number) for number in range(60)]
    claimed = spawned.call_all(claim_all, [(f"host-{number}", tmp_path) for number in range(4)])
    assert sorted(job for found in claimed for job in found) == sorted(ids)
    assert sum(map(bool, claimed)) > 1


def test_the_oldest_job_of_the_slot_comes_first_and_a_host_does_one_at_a_time() -> None:
    second = submit("b", now=2.0)
    first = submit("a", now=1.0)
    quick = submit("c", now=0.0, express=True)
    job = claim()
    assert job is not None
    assert (job.id, job.run, job.spec, job.state, job.attempts, job.lease, job.started) == (
        first,
        "a",
        {"run": "a"},
        "running",
        1,
        30,
        10,
    )
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
    for call in (
        lambda: queue.renew(job, "first", 20.0),
        lambda: queue.poll_requests(job, "first"),
    ):
        with pytest.raises(queue.LeaseLost):
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
    assert (found.state, found.attempts, found.finished) == (
        "interrupted",
        3,
        221.0,
    )  # when the last lease ended
    assert found.error.startswith("It was started 3 times and its process died each time")


def test_a_waiting_job_stops_at_once_a_running_one_on_request_and_a_lost_one_is_not_claimed() -> (
    None
):
    job = submit("a", now=1.0)
    waiting = submit("b", now=2.0)
    assert claim() is not None
    assert queue.poll_requests(job, "w") == (False, queue.ControlRequests())
    for one in (job, waiting):
        queue.ask_to_stop(one, "ann", now=11.0)
    assert (state(job), state(waiting)) == ("running", "stopped")
    assert queue.poll_requests(job, "w") == (True, queue.ControlRequests())
    assert claim("v", now=1000.0) is None
    assert state(job) == "stopped"


def test_nobody_stops_the_job_of_somebody_else() -> None:
    job = submit(owner="ann")
    with pytest.raises(UserError, match=f"There is no job `{job}` of yours; reload"):
        queue.ask_to_stop(job, "bob")
    assert state(job) == "queued"


def test_a_run_has_one_live_job_of_a_kind() -> None:
    job = submit("r")
    with pytest.raises(UserError, match="`r` is already waiting or running"):
        submit("r")
    queue.ask_to_stop(job, "ann")
    submit("r")


def test_jobs_are_listed_newest_first_and_know_how_many_wait_before_them() -> None:
    ids = [submit(f"r{number}", now=number) for number in range(4)]
    other = submit("x", owner="bob", now=9.0)
    quick = submit("y", owner="bob", now=10.0, express=True)
    assert [job.id for job in queue.jobs("ann")] == ids[::-1]
    assert [job.id for job in queue.jobs("ann", limit=2)] == ids[:1:-1]
    assert [queue.wait(job).before for job in (*ids, other, quick)] == [0, 2, 3, 4, 1, 0]
    claim()
    assert [queue.wait(job).before for job in (*ids, other)] == [0, 1, 2, 3, 0]
    assert getattr(queue.latest("r3"), "id", None) == ids[3]
    assert queue.latest("nothing") is None


def test_what_a_job_says_is_kept_until_it_ends() -> None:
    job = submit()
    claim()
    queue.set_note(job, "w", "Reading the dataset.")
    assert getattr(queue.find(job), "note", None) == "Reading the dataset."
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
    queue.delete_jobs("r")
    assert [job.id for job in queue.jobs("ann")] == [keep]


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    owners=st.lists(st.sampled_from("aaabbcd"), min_size=30, max_size=30),
    claims=st.lists(st.booleans(), min_size=30, max_size=30),
)
def test_no_owner_waits_while_another_gets_two_in_a_row(
    owners: list[str], claims: list[bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Jobs come and start at random; who waited at two starts of another had one in between, and an owner's own come
    in order.
    """
    monkeypatch.setenv("S2S_HOME", str(Path(tempfile.mkdtemp(dir=tmp_path))))  # an empty queue
    starts = list[tuple[str, set[str]]]()  # whose, and who waited then
    waiting: dict[str, list[str]] = {owner: [] for owner in "abcd"}
    for now in range(60):
        if now < 30:
            owner = owners[now]
            waiting[owner].append(submit(f"r{now}", owner, now=now))
        if (now >= 30 or claims[now]) and (job := claim(now=now)):
            assert job.id == waiting[job.owner].pop(0)
            starts.append((job.owner, {other for other, jobs in waiting.items() if jobs}))
            queue.finish(job.id, "w", "done")
    for later, (owner, who_waits) in enumerate(starts):
        earlier = max((place for place in range(later) if starts[place][0] == owner), default=None)
        if earlier is not None:
            between = {other for other, _ in starts[earlier + 1 : later]}
            assert (starts[earlier][1] & who_waits) - {owner} <= between
    assert (len(starts), any(waiting.values())) == (30, False)


@settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    past=st.lists(st.sampled_from("abc"), min_size=6, max_size=6),
    owners=st.lists(st.sampled_from("abcde"), min_size=15, max_size=15),
)
def test_positions_in_the_queue_are_the_order_of_the_claims(
    past: list[str], owners: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("S2S_HOME", str(Path(tempfile.mkdtemp(dir=tmp_path))))  # an empty queue
    for number, owner in enumerate(past):
        submit(f"past{number}", owner, now=number)
    while job := claim():
        queue.finish(job.id, "w", "done")
    ids = [submit(f"r{number}", owner, now=100 + number) for number, owner in enumerate(owners)]
    foretold = {job: queue.wait(job).before for job in ids}
    claimed = []
    while job := claim(now=200.0):
        claimed.append(job.id)
        queue.finish(job.id, "w", "done")
    assert claimed == sorted(ids, key=foretold.__getitem__)
    assert sorted(foretold.values()) == list(range(15))


def test_who_deletes_a_run_keeps_its_turn() -> None:
    submit("a1", "ann", now=1.0)
    first = claim()
    assert first is not None
    queue.finish(first.id, "w", "done")
    queue.delete_jobs("a1")
    submit("a2", "ann", now=2.0)
    other = submit("b1", "bob", now=3.0)
    assert getattr(claim(), "id", None) == other


def test_a_job_whose_worker_died_comes_before_those_that_wait() -> None:
    lost = submit("lost", "ann", now=5.0)
    assert claim(now=10.0) is not None
    submit("b", "bob", now=1.0)
    assert getattr(claim("v", now=30.1), "id", None) == lost


def test_a_host_has_some_quick_jobs_in_work_and_one_long_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(table, "AT_ONCE", {"long": 1, "express": 4})
    for number in range(6):
        submit(f"quick{number}", f"owner{number}", express=True, now=number)
        submit(f"long{number}", f"owner{number}", now=number)
    quick = [claim(slot="express") for _ in range(5)]
    assert [job.run if job else None for job in quick] == [
        "quick0",
        "quick1",
        "quick2",
        "quick3",
        None,
    ]
    assert [getattr(claim(), "run", None) for _ in range(2)] == ["long0", None]
    assert getattr(claim(host="another", slot="express"), "run", None) == "quick4"
    assert quick[1] is not None
    queue.finish(quick[1].id, "w", "done")
    assert getattr(claim(slot="express"), "run", None) == "quick5"


def test_an_owner_and_the_queue_have_room_for_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_MAX_JOBS", "2")
    monkeypatch.setenv("S2S_MAX_QUEUE", "3")
    first = submit("a", "ann")
    claim()
    submit("b", "ann")
    with pytest.raises(
        UserError,
        match=r"^2 of your runs wait or train, and 2 may at once; wait until one is done, or stop one\.$",
    ):
        submit("c", "ann")
    submit("d", "bob")
    submit("e", "bob")
    with pytest.raises(
        UserError,
        match=r"^The queue is full: 3 runs wait, and 3 may; try again when some of them are done\.$",
    ):
        submit("f", "cid")
    queue.finish(first, "w", "done")
    claim(now=11.0)
    submit("g", "ann")
    assert {job.run for job in queue.jobs("ann")} == {"a", "b", "g"}


def all_at_once(call: Callable[[int], object], times: int) -> list[object]:
    def outcome(number: int) -> object:
        try:
            return call(number)
        except UserError as error:
            return error

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(outcome, range(times)))


def test_many_who_press_at_once_are_not_let_in_beyond_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("S2S_MAX_JOBS", "5")
    assert queue.jobs("ann") == []  # the database is open
    found = all_at_once(lambda number: submit(f"r{number}"), 24)
    assert (sum(isinstance(one, str) for one in found), len(queue.jobs("ann"))) == (5, 5)


def test_what_is_wished_of_a_running_job_reaches_its_worker_and_no_press_is_lost() -> None:
    job = submit()
    with pytest.raises(UserError, match=f"The job `{job}` is not running, so it cannot be changed"):
        queue.request_control(job, "ann", pause=True)
    found = claim()
    assert found is not None
    assert found.controls == queue.ControlRequests(pause=False, once=0, lr=None)
    queue.request_control(job, "ann", pause=True)
    all_at_once(lambda number: queue.request_control(job, "ann", once=1), 24)
    queue.request_control(job, "ann", lr=0.25)
    assert queue.poll_requests(job, "w") == (False, queue.ControlRequests(True, 24, 0.25))
    for _ in range(2):  # two people press it
        queue.request_control(job, "ann", pause=False)
        queue.ask_to_stop(job, "ann")
    assert queue.poll_requests(job, "w") == (True, queue.ControlRequests(False, 24, 0.25))
    with pytest.raises(UserError, match=f"There is no job `{job}` of yours"):
        queue.request_control(job, "bob", pause=True)
    queue.finish(job, "w", "stopped")
    with pytest.raises(UserError, match="is not running"):
        queue.request_control(job, "ann", pause=True)
    queue.ask_to_stop(job, "ann")  # nothing is left to stop, and nothing changes
    assert state(job) == "stopped"


def test_a_job_that_saves_checkpoints_is_taken_up_as_often_as_it_takes() -> None:
    job = submit()
    for attempt in range(5):
        taken = claim(f"w{attempt}", now=100.0 * attempt + 1)
        assert taken is not None
        assert taken.attempts == min(attempt + 1, 2)
        queue.progressed(job, f"w{attempt}")
    queue.progressed(job, "w0")  # no longer its worker
    for attempt, attempts in ((5, 2), (6, 3)):
        assert getattr(claim(f"w{attempt}", now=100.0 * attempt + 1), "attempts", 0) == attempts
    assert claim("last", now=1000.0) is None
    assert state(job) == "interrupted"


def test_a_job_that_was_handed_back_comes_first_and_is_not_counted_as_a_crash() -> None:
    submit("a", "ann", now=1.0)
    job = claim()
    assert job is not None
    waiting = submit("b", "bob", now=0.0)
    queue.hand_back(job.id, "another")
    assert state(job.id) == "running"
    queue.hand_back(job.id, "w")
    assert [queue.wait(waiting).before, queue.wait(job.id).before] == [1, 0]
    again = claim("next", now=11.0)
    assert again is not None
    assert (again.id, again.attempts, again.worker) == (job.id, 1, "next")
    queue.ask_to_stop(job.id, "ann")
    queue.hand_back(job.id, "next")
    assert state(job.id) == "stopped"


def test_the_minutes_of_a_day_are_counted_and_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_MAX_DAILY_MINUTES", "30")
    day = 86_400.0
    for begin, end in ((0.0, 600.0), (day, day + 1200.0)):
        queue.submit("train", "ann", f"run {begin}", {}, now=begin)
        job = queue.claim("w", "h", "long", 20.0, now=begin)
        assert job
        queue.finish(job.id, "w", "done", now=end)
    assert queue.minutes_of_a_day("ann", now=300.0) == 10  # an end in the future counts
    assert queue.minutes_of_a_day("ann", now=day + 300.0) == 25
    assert queue.minutes_of_a_day("ann", now=day + 1300.0) == 20
    assert queue.minutes_of_a_day("bob", now=day) == 0
    queue.submit("train", "ann", "more", {}, now=day + 1300.0)
    job = queue.claim("w", "h", "long", 600.0, now=day + 1300.0)
    assert job
    assert queue.minutes_of_a_day("ann", now=day + 1900.0) == 30
    with pytest.raises(
        UserError, match="worked 30 minutes in the last 24 hours, and 30 are allowed; try again"
    ):
        queue.submit("train", "ann", "even more", {}, now=day + 1900.0)
    queue.submit("train", "bob", "his", {}, now=day + 1900.0)


def test_jobs_of_one_owner_are_deleted_without_those_of_another() -> None:
    first = queue.submit("measure", "x", "same", {})
    job = queue.claim("w", "h", "long", 60.0)
    assert job
    queue.finish(job.id, "w", "stopped")
    measured = [first, queue.submit("measure", "y", "same", {})]
    queue.delete_jobs("same", owner="x")
    assert [queue.find(job) is None for job in measured] == [True, False]


def test_minutes_count_though_their_run_was_deleted_or_handed_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("S2S_MAX_DAILY_MINUTES", "30")
    queue.submit("train", "ann", "deleted", {}, now=0.0)
    job = queue.claim("w", "h", "long", 20.0, now=0.0)
    assert job
    queue.finish(job.id, "w", "done", now=600.0)
    queue.delete_jobs("deleted", now=700.0)
    queue.delete_jobs("deleted", now=700.0)  # nothing counts twice
    assert queue.minutes_of_a_day("ann", now=700.0) == 10
    queue.submit("train", "ann", "handed back", {}, now=1000.0)
    job = queue.claim("w", "h", "long", 2000.0, now=1000.0)
    assert job
    queue.hand_back(job.id, "w", now=1600.0)
    assert queue.minutes_of_a_day("ann", now=1700.0) == 20
    assert queue.claim("x", "h", "long", 60.0, now=1700.0)
    assert queue.claim("y", "h", "long", 600.0, now=2000.0)  # x died after a minute
    assert queue.minutes_of_a_day("ann", now=2540.0) == 30
    with pytest.raises(UserError, match="30 are allowed"):
        queue.submit("train", "ann", "more", {}, now=2540.0)
    assert queue.minutes_of_a_day("bob", now=2540.0) == 0
    assert queue.minutes_of_a_day("ann", now=86_400.0 + 2000.0) == 10  # of the last one


def test_time_in_which_nothing_worked_does_not_count() -> None:
    """Of each a worker died, or ended, after a minute, and hours passed."""
    for owner in ("given up", "stopped", "spent", "handed back"):
        queue.submit("train", owner, owner, {}, now=0.0)
        job = queue.claim("w", "h", "long", 60.0, now=0.0)
        assert job
        if owner == "given up":
            assert queue.abandon(job.id, now=6000.0)
        elif owner == "stopped":
            queue.ask_to_stop(job.id, owner)
        elif owner == "spent":
            assert all(queue.claim("w", "h", "long", 60.0, now=at) for at in (61.0, 122.0))
        else:
            queue.hand_back(job.id, "w", now=60.0)
            queue.ask_to_stop(job.id, owner, now=6000.0)
        assert queue.claim("w", "h", "long", 60.0, now=6000.0) is None
        used = queue.minutes_of_a_day(owner, now=9000.0)
        assert used == (3 if owner == "spent" else 1), owner


def test_a_paused_queue_lets_running_jobs_continue_and_starts_none_until_it_is_resumed() -> None:
    running = claim() if submit("a", now=1.0) else None
    waiting = submit("b", now=2.0)
    assert running is not None
    queue.set_paused(True)
    queue.set_paused(True)
    assert queue.server_state() == queue.ServerState(is_paused=True)
    queue.renew(running.id, "w", 20.0, now=11.0)
    assert claim("v", host="elsewhere") is None
    assert claim("v", host="elsewhere", now=99.0) is None  # nor one whose worker died
    assert (state(running.id), state(waiting), queue.is_anything_left("h")) == (
        "running",
        "queued",
        True,
    )
    queue.set_paused(False)
    assert getattr(claim("v", host="elsewhere"), "id", None) == waiting


def test_a_notice_replaces_the_one_before_and_an_empty_one_removes_it() -> None:
    for sentence in ("At nine the server restarts.", "At ten.", ""):
        queue.set_notice(sentence)
        assert queue.server_state().notice == sentence


def test_workers_are_listed_until_they_sign_off_or_are_forgotten() -> None:
    queue.report("dead", 1.0, now=100.0)
    queue.report("h", 50.0, now=3000.0)
    queue.report("h", 50.0, now=3650.0)
    dead, alive = queue.seen_workers()
    assert (dead.is_alive(3650.0), alive.is_alive(3650.0)) == (False, True)
    assert alive == queue.SeenWorker("h", 50.0, 3650.0)
    queue.report("h", 50.0, now=9999.0)
    assert [worker.host for worker in queue.seen_workers()] == ["h"]
    queue.sign_off("h")
    assert queue.seen_workers() == []


def test_counts_say_how_full_the_queue_is() -> None:
    assert queue.counts() == queue.QueueCounts()
    submit("a", "ann", now=1.0)
    submit("b", "bob", now=2.0)
    submit("c", "bob", now=4.0)
    claim(now=10.0)
    found = queue.counts(now=40.0)  # its lease ended at 30
    assert found.jobs == {("train", "running"): 1, ("train", "queued"): 2}
    assert found.by_workspace == {"ann": 1, "bob": 2}
    assert (found.lost, found.longest_wait, found.mean_wait) == (1, 38.0, 9.0)


def test_a_job_that_worked_already_does_not_count_as_waiting_since_it_was_submitted() -> None:
    submit("a", "ann", now=1.0)
    job = queue.claim("w", "h", "long", 9000.0, now=10.0)
    assert job
    queue.hand_back(job.id, job.worker, now=3000.0)
    submit("b", "bob", now=3010.0)
    assert queue.counts(now=3020.0).longest_wait == 10.0


@pytest.mark.parametrize("is_handed_back", [True, False])
def test_the_mean_wait_is_that_until_the_first_start(is_handed_back: bool) -> None:
    submit("a", "ann", now=1.0)
    job = queue.claim("w", "h", "long", 20.0, now=11.0)
    assert job
    if is_handed_back:
        queue.hand_back(job.id, job.worker, now=3000.0)
    again = queue.claim("v", "h", "long", 20.0, now=3100.0)  # else its lease has ended
    assert again
    assert (again.id, again.started, again.waited) == (job.id, 3100.0, 10.0)
    assert queue.counts(now=3200.0).mean_wait == 10.0
    queue.finish(again.id, "v", "done", now=3200.0)
    submit("b", "bob", now=3300.0)
    queue.claim("w", "h", "long", 20.0, now=3330.0)
    assert queue.counts(now=3340.0).mean_wait == 20.0
    assert queue.counts(now=3700.0).mean_wait == 30.0  # the first start was over an hour ago
