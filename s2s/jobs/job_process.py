"""`python -m s2s.jobs.job_process JOB WORKER`: one job in a process of its own, started by a worker or forked
from its fork server.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from types import MappingProxyType

from s2s.config import UserError, asker, choose
from s2s.files.database import UnreachableError
from s2s.jobs import stop_reasons
from s2s.jobs.registry import JOBS
from s2s.processes import bounds, logs, queue
from s2s.processes.queue import LOST
from s2s.settings import internal_error, lease_seconds, limits, lower_priority

# The dashboard comes first, then jobs of seconds, then jobs of minutes. Each still gets some of the processor: 19 would
# leave a training nothing beside a browser where a niceness counts beyond the session, as in a container.
NICE = MappingProxyType({"express": 5, "long": 8, "gpu": 8})
POLL = 0.5  # seconds between two polls of control requests
HANDED_BACK = "queued"  # the state of a job that the next worker resumes


class Heartbeat(threading.Thread):
    """Renews the lease while the job works and polls control requests; ends the process where the lease is lost."""

    def __init__(self, job: queue.Job, ttl: float) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.job = job
        self.ttl = ttl
        self.is_stop_requested = False
        self.controls = job.controls
        self.over = threading.Event()

    def run(self) -> None:
        """Renew the lease until `over` is set; failing ends the process: one that nobody can stop must not continue."""
        try:
            self._beat()
        finally:
            if not self.over.is_set():
                os._exit(LOST)

    def _beat(self) -> None:
        renewed = time.monotonic()
        while not self.over.wait(min(POLL, self.ttl / 4)):
            try:
                self.is_stop_requested, self.controls = queue.poll_requests(
                    self.job.id, self.job.worker
                )
                if time.monotonic() - renewed >= self.ttl / 4:
                    queue.renew(self.job.id, self.job.worker, self.ttl)
                    renewed = time.monotonic()
            except queue.LeaseLost:
                os._exit(LOST)  # another worker has resumed the job: write no more files
            except UnreachableError:  # for a while: the lease lasts
                if time.monotonic() - renewed > self.ttl:
                    os._exit(LOST)


@dataclass(frozen=True)
class HeartbeatContext:
    """The JobContext of this process; ignores an unreachable database, which is the heartbeat's concern."""

    heartbeat: Heartbeat
    writer: Executor
    signals: Sequence[int] = ()  # that this process has received

    @property
    def controls(self) -> queue.ControlRequests:
        """The control requests as the last heartbeat read them."""
        return self.heartbeat.controls

    @property
    def is_handed_back(self) -> bool:
        """Whether a signal asked this process to end; a stop that the job's owner requested counts first."""
        return bool(self.signals) and not self.heartbeat.is_stop_requested

    def tell(self, sentence: str) -> None:
        with contextlib.suppress(UnreachableError):
            job = self.heartbeat.job
            self.writer.submit(queue.set_note, job.id, job.worker, sentence).result()

    def progressed(self) -> None:
        """Report a checkpoint: crashes are counted from zero again."""
        with contextlib.suppress(UnreachableError):
            job = self.heartbeat.job
            self.writer.submit(queue.progressed, job.id, job.worker).result()


def main(job_id: str, worker: str) -> None:
    """Do the job and write how it ended; after a SIGTERM, hand it back to the queue with what it has done."""
    logs.set_up()
    signals: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: signals.append(number))
    heartbeat = Heartbeat(_taken(job_id, worker), lease_seconds())
    with _writer() as writer:
        heartbeat.start()  # with the priority of the dashboard, as the writer
        job = heartbeat.job
        _lower_priority(NICE[job.slot])
        state, error = _outcome(job, HeartbeatContext(heartbeat, writer, signals))
        heartbeat.over.set()
        heartbeat.join()
        writer.submit(_finish, job, state, error, heartbeat.ttl).result()


def _lower_priority(nice: int) -> None:
    bounds.nice(nice)
    if not hasattr(os, "getsid") or os.getsid(0) == os.getpid():  # not forked from a fork server
        lower_priority()


def _writer() -> ThreadPoolExecutor:
    """A thread that writes to the queue.

    One of the lowest priority would hold the lock of the database while others have the processor, and every page that
    queues a run would wait for it.
    """
    writer = ThreadPoolExecutor(1, thread_name_prefix="queue writer")
    writer.submit(int).result()  # started now: a thread has the priority of the one that starts it
    return writer


def _taken(job_id: str, worker: str) -> queue.Job:
    """The job, its lease renewed; a database that is away may come back while the lease lasts.

    Ends the process where another worker has the job.
    """
    until = time.monotonic() + lease_seconds()
    while True:
        try:
            queue.renew(job_id, worker, lease_seconds())
            job = queue.find(job_id)
        except queue.LeaseLost:
            sys.exit(LOST)
        except UnreachableError:
            if time.monotonic() > until:
                raise
            time.sleep(POLL)
            continue
        if job is None:  # deleted this instant
            sys.exit(LOST)
        return job


def _finish(job: queue.Job, state: str, error: str, ttl: float) -> None:
    """Write how the job ended; a database that is away may come back while the lease lasts."""
    until = time.monotonic() + ttl
    while True:
        try:
            if state == HANDED_BACK:
                queue.hand_back(job.id, job.worker)
            else:
                queue.finish(job.id, job.worker, state, error)
                if state == "failed":
                    queue.keep_log(job.id)
        except UnreachableError:
            if time.monotonic() > until:
                raise
            time.sleep(POLL)
        else:
            return


def _outcome(job: queue.Job, context: HeartbeatContext) -> tuple[str, str]:
    try:
        return _work(job, context)
    except UserError as error:
        return "failed", str(error)
    except Exception as error:
        # Only where, not what: an exception's message may contain a visitor's data.
        print(
            type(error).__name__,
            *traceback.format_tb(error.__traceback__),
            sep="\n",
            file=sys.stderr,
        )
        return "failed", internal_error(error, f"{job.id}.log")


def _work(job: queue.Job, context: HeartbeatContext) -> tuple[str, str]:
    heartbeat = context.heartbeat
    work = choose("kind of job", job.kind, JOBS).work
    most = limits().minutes
    began = time.monotonic()
    with asker.acting_as(job.owner), contextlib.closing(work(job, context)) as events:
        for _ in events:
            is_over_time = most is not None and time.monotonic() - began >= most * 60
            if heartbeat.is_stop_requested or context.signals or is_over_time:
                break
        else:
            return "done", ""
    if heartbeat.is_stop_requested:
        return "stopped", ""
    if context.signals or most is None:
        return HANDED_BACK, ""
    return "stopped", stop_reasons.over_time(most, job.run, job.kind)


if __name__ == "__main__":
    main(*sys.argv[1:])
