import pytest

from s2s.config import DeniedError, UserError, asker
from s2s.hosted import operation
from s2s.library import Thing, rights
from s2s.processes import queue


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)


def submit(owner: str, run: str, now: float = 0.0) -> str:
    return queue.submit("train", owner, run, {}, now=now)


@pytest.mark.usefixtures("hosted")
@pytest.mark.parametrize("who", ["ann", asker.NOBODY, asker.LOCAL, asker.EVERYBODY])
def test_only_the_operator_runs_the_server(who: str) -> None:
    job = submit("bob", "r")
    with asker.acting_as(who):
        for act in (
            lambda: operation.pause_queue(True),
            lambda: operation.put_up_notice("Mine."),
            lambda: operation.stop_job(job),
            operation.live_jobs,
        ):
            with pytest.raises(DeniedError):
                act()
    assert (queue.server_state(), getattr(queue.find(job), "state", "")) == (
        queue.ServerState(),
        "queued",
    )


@pytest.mark.usefixtures("hosted")
def test_the_operator_sees_and_stops_jobs_and_pauses_the_queue() -> None:
    jobs = [
        submit(owner, f"r{i}", now=float(i)) for i, owner in enumerate(("ann", "ann", "bob", "bob"))
    ]
    queue.claim("w", "h", "long", 20.0, now=10.0)
    queue.claim("w2", "h2", "long", 5.0, now=10.0)
    with asker.acting_as(asker.OPERATOR):
        listed = operation.live_jobs(now=20.0)
        assert [(job.workspace, job.state, job.position, job.seconds) for job in listed] == [
            ("ann", "running", None, 10.0),
            ("bob", "waits for a worker", None, 10.0),
            ("ann", "queued", 0, 19.0),
            ("bob", "queued", 1, 17.0),
        ]
        for job in jobs:
            operation.stop_job(job)
        operation.pause_queue(True)
        operation.put_up_notice("  Back\n at\u202e nine. ")
        assert queue.server_state() == queue.ServerState(True, "Back at nine.")
        with pytest.raises(UserError, match="has 301 characters and may have 300"):
            operation.put_up_notice("x" * 301)
        with pytest.raises(UserError, match="neither waits nor runs"):
            operation.stop_job(jobs[2])
        with pytest.raises(UserError, match="There is no job `none` here"):
            operation.stop_job("none")
    found = [queue.find(job) for job in jobs]
    assert [(job.state, job.stop) for job in found if job] == [
        ("interrupted", False),  # its worker is gone: by the clock of this test it died long ago
        ("stopped", False),
        ("interrupted", False),
        ("stopped", False),
    ]


@pytest.mark.usefixtures("hosted")
def test_the_operator_does_not_read_what_visitors_make() -> None:
    for verb in ("view", "explore", "change", "delete", "list", "download"):
        assert not rights.may(asker.OPERATOR, verb, Thing("run", "r", "ann"))  # type: ignore[arg-type]
    assert rights.may(asker.OPERATOR, "delete", Thing("workspace", "ann", "ann"))
