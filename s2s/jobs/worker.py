"""The worker: claims jobs and gives each a process of its own. Knows nothing of what a job does, and imports no torch."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from s2s import settings
from s2s.config import UserError
from s2s.jobs import endings, queue
from s2s.jobs.database import UnreachableError
from s2s.jobs.nursery import IS_POSSIBLE, Newborn, Nursery, Order

PAUSE = 0.3  # seconds between two looks at the queue
LOCK_SECONDS = 2.0  # an app that looks whether a worker is there holds the lock for an instant
AGAIN = 5.0  # seconds in which a worker that was started must be there
IDLE = 60.0  # seconds that a worker started by the app stays without work


def serve(idle: float | None = None) -> str:
    """Work until told to end (SIGTERM, Ctrl-C), or until there was no work for `idle` seconds; returns why it ended.

    Jobs that run then go on: they hold their own leases, and write themselves how they end.
    """
    told: list[int] = []
    before = {
        number: signal.signal(number, lambda number, frame: told.append(number))
        for number in (signal.SIGTERM, signal.SIGINT)
    }
    worker = Worker()
    try:
        while not told:
            with _lock():
                worker.open_nursery()
                worker.work(idle, told)
            # A job that came while the lock was given back found a worker in place, and nobody else starts one.
            if not told and not worker.is_anything_left():
                return "There was no work any more."
    except Timeout:
        return "A worker is running on this machine already; it takes the jobs."
    finally:
        worker.close_nursery()
        for number, handler in before.items():
            signal.signal(number, handler)
    running = ", ".join(child.job.id for child in worker.children.values())
    return f"Told to end; these jobs go on by themselves: {running}." if running else "Told to end."


@dataclass(frozen=True)
class Child:
    """A job and the process that does it."""

    job: queue.Job
    process: subprocess.Popen[bytes] | Newborn


class Worker:
    """One a machine: so many jobs at a time as each slot may have."""

    def __init__(self) -> None:
        self.host = socket.gethostname()[:120]
        self.name = f"{self.host}:{os.getpid()}:{time.time():.3f}"
        self.ttl = settings.lease_seconds()
        self.children: dict[str, Child] = {}  # by job
        self.claims = itertools.count(1)
        self.nursery: Nursery | None = (
            None  # without one each job gets a process that starts from nothing
        )
        self.trouble = ""  # with the database, as it was said last

    def open_nursery(self) -> None:
        """Have a place where jobs start at once, ready in some seconds; where there cannot be one, they start slower."""
        if IS_POSSIBLE and self.nursery is None:
            with contextlib.suppress(OSError):
                self.nursery = Nursery(_environment({}), _log_folder() / "nursery.log")

    def close_nursery(self) -> None:
        """The jobs that were born there go on."""
        if self.nursery:
            self.nursery.close()
        self.nursery = None

    def work(self, idle: float | None, told: Sequence[int]) -> None:
        """Until told to end, or without work for so long."""
        last = time.monotonic()
        while not told:
            self.turn()
            if self.children or self.is_anything_left():
                last = time.monotonic()
            if idle is not None and time.monotonic() - last > idle:
                return
            time.sleep(PAUSE)

    def turn(self) -> None:
        """Note which jobs have ended, and start one in each slot that is free; not while the database is away."""
        try:
            self._bury()
            self._claim()
            self.trouble = ""
        except UnreachableError as error:
            if str(error) != self.trouble:
                print(error, file=sys.stderr, flush=True)
            self.trouble = str(error)

    def is_anything_left(self) -> bool:
        """Whether there is work; also while nobody can know."""
        try:
            return queue.is_anything_left(self.host)
        except UnreachableError:
            return True

    def _bury(self) -> None:
        self._look_into_nursery()
        for child in list(self.children.values()):
            if isinstance(child.process, Newborn) and child.process.pid is None:
                self._wait_for(child.job, child.process)
            elif (code := child.process.poll()) is not None:
                # Unless it wrote its own end.
                queue.finish(
                    child.job.id,
                    child.job.worker,
                    "interrupted",
                    endings.died(code, child.job.run, child.job.kind),
                )
                del self.children[child.job.id]
            elif (
                isinstance(child.process, Newborn) and child.process.is_out_of_sight
            ):  # its lease says whether it lives
                del self.children[child.job.id]

    def _look_into_nursery(self) -> None:
        """One that had been ready and died is replaced; one that never was would not be the next time either."""
        if self.nursery is None:
            return
        self.nursery.look()
        if self.nursery.is_gone:
            print(
                "The process that jobs are forked from has died; see nursery.log.",
                file=sys.stderr,
                flush=True,
            )
            was_ready = self.nursery.is_ready
            self.nursery = None
            if was_ready:
                self.open_nursery()

    def _wait_for(self, job: queue.Job, ordered: Newborn) -> None:
        """A job whose process is not there yet has nobody else to keep its lease."""
        if ordered.is_refused:
            self._spawn(job)
        elif ordered.is_out_of_sight:
            del self.children[job.id]
        else:
            try:
                queue.renew(job.id, job.worker, self.ttl)
            except queue.Lost:
                del self.children[job.id]

    def _claim(self) -> None:
        for slot, at_once in queue.AT_ONCE.items():
            while sum(child.job.slot == slot for child in self.children.values()) < at_once:
                # Another name each time: a process that was given up, and comes back to life, must not think the job its own again.
                job = queue.claim(f"{self.name}:{next(self.claims)}", self.host, slot, self.ttl)
                if job is None:
                    break
                self._start(job)

    def _start(self, job: queue.Job) -> None:
        order = Order(
            job.id, job.worker, str(_log_folder() / f"{job.id}.log"), job.spec.get("threads") or 0
        )
        newborn = self.nursery.order(order) if self.nursery else None
        if newborn:
            self.children[job.id] = Child(job, newborn)
        else:
            self._spawn(job)

    def _spawn(self, job: queue.Job) -> None:
        threads = {"OMP_NUM_THREADS": str(job.spec["threads"])} if job.spec.get("threads") else {}
        self.children.pop(job.id, None)
        try:
            self.children[job.id] = Child(
                job, _spawn(["s2s.jobs.child", job.id, job.worker], f"{job.id}.log", threads)
            )
        except OSError as error:
            reason = error.strerror or type(error).__name__
            queue.finish(
                job.id,
                job.worker,
                "failed",
                f"Its process could not be started ({reason}); free some space, then resume it.",
            )


class Starter:
    """Starts workers: one a folder and `AGAIN` seconds, for one that starts takes a while to hold its lock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last: dict[Path, float] = {}  # when one was last started, by `S2S_HOME`

    def ensure(self) -> None:
        """Unless a worker is there, or was started a moment ago."""
        with self._lock:
            now = self._clock()
            home = settings.home()
            if now - self._last.get(home, -AGAIN) < AGAIN or _is_there():
                return
            process = _spawn(["s2s", "worker", "--idle", str(IDLE)], "worker.log", {})
            self._last[home] = now
        threading.Thread(target=process.wait, name="reap the worker", daemon=True).start()


STARTER = Starter()


def ensure() -> None:
    """Start a worker that outlives this process, unless one is there or somebody else sees to it (`S2S_WORKER=elsewhere`).

    Raises UserError where it cannot be started.
    """
    if settings.worker_is_elsewhere():
        return
    try:
        STARTER.ensure()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UserError(
            f"The worker, which does the training, cannot be started ({reason}); free some space, then try again."
        ) from error


def _spawn(module: Sequence[str], log: str, extra: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """`python -m MODULE ...`, detached, its output appended to a file in the log folder."""
    with (_log_folder() / log).open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", *module],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
            env=_environment(extra),
        )


def _environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This process's own, with which another finds this very program."""
    root = str(Path(settings.__file__).parents[1])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, **extra}


def _log_folder() -> Path:
    folder = settings.home() / "log"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _lock() -> FileLock:
    """One worker a machine: machines may share `S2S_HOME`."""
    return FileLock(_log_folder() / f"worker-{socket.gethostname()}.lock", timeout=LOCK_SECONDS)


def _is_there() -> bool:
    try:
        with _lock().acquire(timeout=0):
            return False
    except Timeout:
        return True
