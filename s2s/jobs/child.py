"""`python -m s2s.jobs.child JOB WORKER`: one job in a process of its own, started by a worker, or born in its nursery."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from types import MappingProxyType

from s2s.config import UserError, choose
from s2s.jobs import endings, queue
from s2s.jobs.database import UnreachableError
from s2s.jobs.kinds import JOBS
from s2s.settings import lease_seconds, limits, lower_priority

NICE = MappingProxyType(
    {"express": 10, "long": 19}
)  # the dashboard goes first, then who waits for seconds, then who waits for minutes
LOOK = 0.5  # seconds between two looks at what people ask for
LOST = 3  # exit status


class Heartbeat(threading.Thread):
    """Keeps the lease while the job works, and hears what people ask for; without the lease, the process ends at once."""

    def __init__(self, job: queue.Job, ttl: float) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.job = job
        self.ttl = ttl
        self.is_stop_wanted = False
        self.wishes = job.wishes
        self.over = threading.Event()

    def run(self) -> None:
        """Until `over` is set; a process that nobody can stop any more must not go on."""
        try:
            self._beat()
        finally:
            if not self.over.is_set():
                os._exit(LOST)

    def _beat(self) -> None:
        renewed = time.monotonic()
        while not self.over.wait(min(LOOK, self.ttl / 4)):
            try:
                self.is_stop_wanted, self.wishes = queue.heard(self.job.id, self.job.worker)
                if time.monotonic() - renewed >= self.ttl / 4:
                    queue.renew(self.job.id, self.job.worker, self.ttl)
                    renewed = time.monotonic()
            except queue.Lost:
                os._exit(
                    LOST
                )  # another worker goes on from the last checkpoint: not one more file from here
            except UnreachableError:  # the database is away for a while: the lease bears it
                if time.monotonic() - renewed > self.ttl:
                    os._exit(LOST)


@dataclass(frozen=True)
class Desk:
    """The desk of the job that this process does; a database that is away costs it nothing: it is a matter of the heartbeat."""

    heartbeat: Heartbeat

    @property
    def wishes(self) -> queue.Wishes:
        """As the last heartbeat heard them."""
        return self.heartbeat.wishes

    def tell(self, sentence: str) -> None:
        """For everybody to read."""
        with contextlib.suppress(UnreachableError):
            queue.tell(self.heartbeat.job.id, self.heartbeat.job.worker, sentence)

    def progressed(self) -> None:
        """What kills the job from here on is counted anew."""
        with contextlib.suppress(UnreachableError):
            queue.progressed(self.heartbeat.job.id, self.heartbeat.job.worker)


def main(job_id: str, worker: str) -> None:
    """Do the job and write how it ended."""
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))
    heartbeat = Heartbeat(_begun(job_id, worker), lease_seconds())
    os.nice(NICE[heartbeat.job.slot])
    if os.getsid(0) == os.getpid():  # no nursery's child
        lower_priority(NICE[heartbeat.job.slot])
    heartbeat.start()
    state, error = _outcome(heartbeat.job, heartbeat, told)
    heartbeat.over.set()
    heartbeat.join()
    _finish(heartbeat.job, state, error, heartbeat.ttl)


def _begun(job_id: str, worker: str) -> queue.Job:
    """The job, its lease renewed. Ends the process where another worker has it."""
    try:
        queue.renew(job_id, worker, lease_seconds())
    except queue.Lost:
        sys.exit(LOST)
    job = queue.find(job_id)
    if job is None:  # deleted this instant
        sys.exit(LOST)
    return job


def _finish(job: queue.Job, state: str, error: str, ttl: float) -> None:
    """Write how it ended; a database that is away may come back while the lease lasts."""
    until = time.monotonic() + ttl
    while True:
        try:
            queue.finish(job.id, job.worker, state, error)
        except UnreachableError:
            if time.monotonic() > until:
                raise
            time.sleep(LOOK)
        else:
            return


def _outcome(job: queue.Job, heartbeat: Heartbeat, told: list[int]) -> tuple[str, str]:
    """State and error sentence."""
    try:
        return _work(job, heartbeat, told)
    except UserError as error:
        return "failed", str(error)
    except Exception as error:
        # Where, not what: an exception's message may hold a visitor's text.
        print(
            type(error).__name__,
            *traceback.format_tb(error.__traceback__),
            sep="\n",
            file=sys.stderr,
        )
        return (
            "failed",
            f"Something went wrong that should not have ({type(error).__name__}); the details are in log/{job.id}.log.",
        )


def _work(job: queue.Job, heartbeat: Heartbeat, told: list[int]) -> tuple[str, str]:
    work = choose("kind of job", job.kind, JOBS).work
    most = limits().minutes
    began = time.monotonic()
    with contextlib.closing(work(job, Desk(heartbeat))) as events:
        for _ in events:
            is_over_time = most is not None and time.monotonic() - began >= most * 60
            if heartbeat.is_stop_wanted or told or is_over_time:
                break
        else:
            return "done", ""
    if heartbeat.is_stop_wanted or most is None or told:
        return (
            ("stopped", "")
            if heartbeat.is_stop_wanted
            else ("interrupted", endings.told_to_end(job.run, job.kind))
        )
    return "stopped", endings.over_time(most, job.run, job.kind)


if __name__ == "__main__":
    main(*sys.argv[1:])
