import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from types import MappingProxyType
from typing import Any

import pytest

from s2s.config import Recipe, UserError, asker, override
from s2s.files.database import UnreachableError
from s2s.jobs import job_process, run_service, training
from s2s.jobs.registry import JOBS, JobContext, JobKind
from s2s.model.weights import weights_path
from s2s.processes import queue
from s2s.processes.queue import LOST, job_logs
from s2s.runs import RunFolder, runs_folder
from s2s.settings import home
from s2s.training import Step


class Left(BaseException):
    """Instead of the end of this process."""


def claimed(kind: str) -> queue.Job:
    queue.submit(kind, "ann", "r", {})
    job = queue.claim("w", "h", "long", 20.0)
    assert job is not None
    return job


def outcome(
    work: Callable[..., Generator[object, None, None]],
    monkeypatch: pytest.MonkeyPatch,
    *,
    stop: bool = False,
) -> tuple[str, str]:
    monkeypatch.setattr(job_process, "JOBS", MappingProxyType({"toy": JobKind(work, "A toy.")}))
    job = claimed("toy")
    heartbeat = job_process.Heartbeat(job, 20.0)
    heartbeat.is_stop_requested = stop
    return job_process._outcome(job, context(heartbeat))


def context(
    heartbeat: job_process.Heartbeat, signals: Sequence[int] = ()
) -> job_process.HeartbeatContext:
    return job_process.HeartbeatContext(heartbeat, job_process._writer(), signals)


def test_a_job_says_what_it_does_and_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    received = []

    def work(job: queue.Job, context: JobContext) -> Generator[object, None, None]:
        context.tell("Working.")
        yield 1
        received.append(getattr(queue.find(job.id), "note", ""))

    assert outcome(work, monkeypatch) == ("done", "")
    assert received == ["Working."]


def test_a_stopped_job_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    def work(*_: Any) -> Generator[object, None, None]:
        try:
            while True:
                yield 1
        finally:
            closed.append(True)

    assert outcome(work, monkeypatch, stop=True) == ("stopped", "")
    assert closed == [True]


@pytest.mark.system
def test_a_training_that_is_told_to_end_is_handed_back_and_resumes_bit_identically(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = {"train.watch.scores": 0, "train.watch.samples": 0}
    request = training.RunRequest(
        override(tiny, watched),
        "synthetic:reverse#rows=80",
        "synthetic:reverse#split=valid,rows=20",
    )
    run = training.submit(request)
    signals: list[int] = []

    def work(job: queue.Job, context: JobContext) -> Generator[object, None, None]:
        with contextlib.closing(JOBS["train"].work(job, context)) as events:
            for event in events:
                if isinstance(event, Step) and event.step == 17:
                    signals.append(signal.SIGTERM)
                yield event

    for worker, kinds in (("w", {"train": JobKind(work, "")}), ("next", JOBS)):
        job = queue.claim(worker, "h", "long", 20.0)
        assert job is not None
        monkeypatch.setattr(job_process, "JOBS", kinds)
        ended = job_process._outcome(job, context(job_process.Heartbeat(job, 20.0), signals))
        job_process._finish(job, *ended, ttl=20.0)
        row = run_service.find(run, asker.LOCAL)
        assert (row.state, row.step) == (("queued", 17) if signals else ("done", 30))
        assert row.checkpoints[-1] == row.step
        signals.clear()
    folder = RunFolder(runs_folder() / run)
    other = training.start(request, home() / "undisturbed")
    list(training.run(other))
    first, second = (
        weights_path(path / "checkpoints", 30).read_bytes()
        for path in (folder.path, other.folder.path)
    )
    assert first == second
    assert [line["step"] for line in folder.lines("metrics") if line["kind"] == "train"] == list(
        range(1, 31)
    )


def test_a_job_hears_what_is_wished_and_says_that_it_progressed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    received: list[object] = []

    def work(job: queue.Job, context: JobContext) -> Generator[object, None, None]:
        received.append(context.controls)
        monkeypatch.setattr(job_process, "POLL", 0.0)
        queue.request_control(job.id, "ann", pause=True, lr=0.5)
        heart = context.heartbeat  # type: ignore[attr-defined]
        heart.start()
        while not context.controls.pause:
            yield None
        heart.over.set()
        heart.join()
        received.append(context.controls)
        context.progressed()

    job = claimed("toy")
    queue.renew(job.id, "w", -1.0)
    again = queue.claim("w2", "h", "long", 20.0)
    assert again is not None
    monkeypatch.setattr(job_process, "JOBS", MappingProxyType({"toy": JobKind(work, "A toy.")}))
    assert (
        again.attempts,
        job_process._outcome(again, context(job_process.Heartbeat(again, 20.0))),
    ) == (2, ("done", ""))
    assert received == [queue.ControlRequests(), queue.ControlRequests(True, 0, 0.5)]
    assert getattr(queue.find(job.id), "attempts", 0) == 1


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (
            1200,
            "The training reached the limit of 60 minutes; what it learned is kept, resume it from step 1,200.",
        ),
        (0, "The training reached the limit of 60 minutes; nothing was saved yet, start it again."),
    ],
)
def test_a_job_works_no_longer_than_it_may(
    step: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    times = iter([0.0, 3599.0, 3600.0])
    closed = []

    def work(job: queue.Job, context: JobContext) -> Generator[object, None, None]:
        try:
            while True:
                yield 1
        finally:
            folder = home() / "runs" / job.run
            folder.mkdir(parents=True)
            (folder / "status.json").write_text(json.dumps({"step": step}))
            closed.append(True)

    with monkeypatch.context() as patch:
        patch.setattr(job_process.time, "monotonic", lambda: next(times))
        assert outcome(work, monkeypatch) == ("stopped", message)
    assert (closed, list(times)) == ([True], [])


@pytest.mark.parametrize(("express", "nice"), [(True, 5), (False, 8)])
def test_a_quick_job_goes_before_a_long_one_and_writes_how_it_ended(
    express: bool, nice: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[int] = []
    monkeypatch.setattr(os, "nice", given.append)
    monkeypatch.setattr(job_process.signal, "signal", lambda *_: None)
    monkeypatch.setattr(
        job_process,
        "JOBS",
        MappingProxyType({"toy": JobKind(lambda job, context: iter_one(), "A toy.")}),
    )
    job = queue.submit("toy", "ann", "r", {}, express=express)
    assert queue.claim("w", "h", "express" if express else "long", 20.0) is not None
    job_process.main(job, "w")
    assert (given, getattr(queue.find(job), "state", "")) == ([nice], "done")
    with pytest.raises(SystemExit) as left:
        job_process.main(job, "w")  # it is over
    assert left.value.code == LOST


def test_no_thread_of_low_priority_holds_the_lock_of_the_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A page that queues a run would wait until such a thread gets the processor again."""
    before: set[int] = set()
    low = threading.get_ident()
    wrote: dict[str, int] = {}
    for name in ("set_note", "progressed", "finish", "poll_requests"):
        real = getattr(queue, name)

        def noted(*given: Any, real: Any = real, name: str = name) -> Any:
            wrote[name] = threading.get_ident()
            return real(*given)

        monkeypatch.setattr(queue, name, noted)

    def nice(_: int) -> None:
        before.update(thread.ident or 0 for thread in threading.enumerate())

    def work(job: queue.Job, context: JobContext) -> Generator[object, None, None]:
        context.tell("Working.")
        context.progressed()
        until = time.monotonic() + 20
        while "poll_requests" not in wrote and time.monotonic() < until:
            yield 1

    monkeypatch.setattr(os, "nice", nice)
    monkeypatch.setattr(job_process, "POLL", 0.01)
    monkeypatch.setattr(job_process.signal, "signal", lambda *_: None)
    monkeypatch.setattr(job_process, "JOBS", MappingProxyType({"toy": JobKind(work, "A toy.")}))
    job = claimed("toy")
    job_process.main(job.id, "w")
    assert set(wrote) == {"set_note", "progressed", "finish", "poll_requests"}
    assert low not in wrote.values()
    assert set(wrote.values()) <= before  # those were started with the priority of the dashboard


def iter_one() -> Generator[object, None, None]:
    yield 1


def test_what_a_visitor_can_mend_is_said_and_what_not_goes_to_the_log_without_its_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def mendable(*_: Any) -> Generator[object, None, None]:
        yield 1
        raise UserError("No; do so.")

    def broken(*_: Any) -> Generator[object, None, None]:
        yield 1
        raise KeyError(words)

    words = "what a visitor typed"
    assert outcome(mendable, monkeypatch) == ("failed", "No; do so.")
    queue.delete_jobs("r")
    state, error = outcome(broken, monkeypatch)
    assert (
        state,
        error.startswith("An internal error occurred (KeyError); the details are in log/"),
    ) == ("failed", True)
    logged = capsys.readouterr().err
    assert "test_job_process.py" in logged
    assert words not in logged
    monkeypatch.setenv("S2S_HOSTED", "1")
    queue.delete_jobs("r")
    assert "whoever runs this server finds the details in log/" in outcome(broken, monkeypatch)[1]


def test_a_job_starts_although_the_database_is_away_for_a_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job = claimed("toy")
    renew, tries = queue.renew, iter([True, True, False])

    def away(*arguments: Any) -> Any:
        if next(tries):
            raise UnreachableError("It is away.")
        return renew(*arguments)

    monkeypatch.setattr(job_process, "POLL", 0.01)
    monkeypatch.setattr(queue, "renew", away)
    assert job_process._taken(job.id, "w") == queue.find(job.id)
    monkeypatch.setenv("S2S_LEASE_SECONDS", "0.05")
    monkeypatch.setattr(queue, "renew", lambda *_: away_for_long())
    with pytest.raises(UnreachableError):
        job_process._taken(job.id, "w")


def away_for_long() -> None:
    raise UnreachableError("It is away.")


def test_the_log_of_a_failed_job_is_in_the_database_until_its_run_is_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: Any) -> Generator[object, None, None]:
        yield 1
        raise KeyError(words)

    words = "what a visitor typed"
    monkeypatch.setattr(job_process.signal, "signal", lambda *_: None)
    monkeypatch.setattr(job_process, "JOBS", MappingProxyType({"toy": JobKind(broken, "A toy.")}))
    job = claimed("toy")
    printed = job_logs.log_path(job.id)
    printed.write_text("\n".join(map(str, range(99))))
    with printed.open("a", buffering=1) as log, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", log)
        job_process.main(job.id, "w")
    (kept,) = queue.newest_logs()
    lines = kept.lines.splitlines()
    assert (kept.job, kept.host, len(lines)) == (job.id, job.host, 50)
    assert "KeyError" in kept.lines
    assert words not in kept.lines
    queue.keep_lines(job.id, ["later"])
    assert queue.last_log(job.id) == "later"
    queue.keep_lines(job.id, [])
    queue.delete_jobs(job.run)
    assert (queue.newest_logs(), queue.last_log(job.id)) == ([], "")


def test_the_oldest_logs_leave_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_logs, "MOST_KEPT", 2)
    jobs = [queue.submit("toy", "ann", name, {}) for name in "abc"]
    for job in jobs:
        queue.keep_lines(job, ["x" * 20_000])
    assert [log.job for log in queue.newest_logs()] == [jobs[2], jobs[1]]
    assert len(queue.last_log(jobs[2])) == job_logs.MOST_BYTES


def test_an_unknown_kind_is_an_error_that_names_those_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job = claimed("tran")
    assert job_process._outcome(job, context(job_process.Heartbeat(job, 20.0))) == (
        "failed",
        "There is no kind of job `tran`; the nearest are `train`.",
    )


def test_the_heartbeat_keeps_the_lease_hears_the_stop_and_ends_the_process_without_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(job_process, "POLL", 0.0)

    def leave(status: int) -> None:
        raise Left(status)

    monkeypatch.setattr(os, "_exit", leave)
    job = claimed("toy")
    heartbeat = job_process.Heartbeat(job, 0.0)
    queue.ask_to_stop(job.id, "ann")
    received = []

    def renew(job_id: str, worker: str, ttl: float) -> None:
        received.append(heartbeat.is_stop_requested)
        queue.finish(job_id, worker, "done")

    monkeypatch.setattr(queue, "renew", renew)
    with pytest.raises(Left, match=str(LOST)):
        heartbeat.run()
    assert received == [True]


def test_a_database_that_is_away_costs_the_job_only_when_the_lease_has_run_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times = iter([0.0, 5.0, 19.0, 21.0])
    monkeypatch.setattr(job_process, "POLL", 0.0)
    monkeypatch.setattr(job_process.time, "monotonic", lambda: next(times))

    def away(*_: str) -> tuple[bool, queue.ControlRequests]:
        raise UnreachableError("gone")

    def leave(status: int) -> None:
        raise Left(status)

    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(queue, "poll_requests", away)
    with pytest.raises(Left):
        job_process.Heartbeat(claimed("toy"), 20.0).run()
    assert list(times) == []


def test_a_note_that_cannot_be_written_costs_nothing_and_the_end_waits_for_the_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def work(job: queue.Job, context: JobContext) -> Generator[object, None, None]:
        context.tell("Working.")
        yield 1

    real = queue.finish
    tries = []

    def away(*_: object, **__: object) -> bool:
        raise UnreachableError("away")

    def finish(*arguments: str) -> bool:
        tries.append(arguments)
        return away() if len(tries) < 3 else real(*arguments)

    monkeypatch.setattr(queue, "set_note", away)
    assert outcome(work, monkeypatch) == ("done", "")
    monkeypatch.setattr(job_process, "POLL", 0.0)
    monkeypatch.setattr(queue, "finish", finish)
    (job,) = queue.jobs("ann")
    job_process._finish(job, "done", "", ttl=20.0)
    assert (len(tries), getattr(queue.find(job.id), "state", "")) == (3, "done")
    monkeypatch.setattr(queue, "finish", away)
    with pytest.raises(UnreachableError):
        job_process._finish(job, "done", "", ttl=-1.0)
