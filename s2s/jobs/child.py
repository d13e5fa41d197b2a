"""`python -m s2s.jobs.child JOB WORKER`: one job in a process of its own, started by a worker."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from functools import partial

from s2s.config import UserError, choose
from s2s.jobs import endings, queue
from s2s.jobs.database import UnreachableError
from s2s.jobs.kinds import JOBS
from s2s.settings import lease_seconds

NICE = 5  # the dashboard goes first
LOOK = 0.5  # seconds between two looks at the stop button
LOST = 3  # exit status


class Heartbeat(threading.Thread):
    """Keeps the lease while the job works, and hears whether it should stop; without the lease, the process ends at once."""

    def __init__(self, job: queue.Job, ttl: float) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.job, self.ttl = job, ttl
        self.is_stop_wanted = False
        self.over = threading.Event()

    def run(self) -> None:
        """Until `over` is set."""
        renewed = time.monotonic()
        while not self.over.wait(min(LOOK, self.ttl / 4)):
            try:
                self.is_stop_wanted = queue.is_stop_wanted(self.job.id, self.job.worker)
                if time.monotonic() - renewed >= self.ttl / 4:
                    queue.renew(self.job.id, self.job.worker, self.ttl)
                    renewed = time.monotonic()
            except queue.Lost:
                os._exit(LOST)  # another worker goes on from the last checkpoint: not one more file from here
            except UnreachableError:  # the database is away for a while: the lease bears it
                if time.monotonic() - renewed > self.ttl:
                    os._exit(LOST)


def main(job_id: str, worker: str) -> None:
    """Do the job and write how it ended."""
    os.nice(NICE)
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))
    job = queue.find(job_id)
    if job is None or job.worker != worker:
        sys.exit(LOST)
    heartbeat = Heartbeat(job, lease_seconds())
    heartbeat.start()
    state, error = _outcome(job, heartbeat, told)
    heartbeat.over.set()
    heartbeat.join()
    _finish(job, state, error, heartbeat.ttl)


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


def _tell(job: str, note: str) -> None:
    with contextlib.suppress(UnreachableError):  # a note is a courtesy; whether the job is lost, the heartbeat finds out
        queue.tell(job, note)


def _outcome(job: queue.Job, heartbeat: Heartbeat, told: list[int]) -> tuple[str, str]:
    """State and error sentence."""
    try:
        return _work(job, heartbeat, told)
    except UserError as error:
        return "failed", str(error)
    except Exception as error:
        # Where, not what: an exception's message may hold a visitor's text.
        print(type(error).__name__, *traceback.format_tb(error.__traceback__), sep="\n", file=sys.stderr)
        return "failed", f"Something went wrong that should not have ({type(error).__name__}); the details are in log/{job.id}.log."


def _work(job: queue.Job, heartbeat: Heartbeat, told: list[int]) -> tuple[str, str]:
    work = choose("kind of job", job.kind, JOBS).work
    with contextlib.closing(work(job, partial(_tell, job.id))) as events:
        for _ in events:
            if heartbeat.is_stop_wanted or told:
                break
        else:
            return "done", ""
    return ("stopped", "") if heartbeat.is_stop_wanted else ("interrupted", endings.told_to_end(job.run))


if __name__ == "__main__":
    main(*sys.argv[1:])
