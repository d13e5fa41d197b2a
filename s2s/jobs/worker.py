"""The worker: claims jobs and gives each a process of its own. Knows nothing of what a job does, and imports no torch."""

from __future__ import annotations

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

PAUSE = 0.3  # seconds between two looks at the queue
LOCK_SECONDS = 2.0  # an app that looks whether a worker is there holds the lock for an instant
AGAIN = 5.0  # seconds in which a worker that was started must be there
IDLE = 60.0  # seconds that a worker started by the app stays without work


def serve(idle: float | None = None) -> str:
    """Work until told to end (SIGTERM, Ctrl-C), or until there was no work for `idle` seconds; returns why it ended.

    Jobs that run then go on: they hold their own leases, and write themselves how they end.
    """
    told: list[int] = []
    before = {number: signal.signal(number, lambda number, frame: told.append(number)) for number in (signal.SIGTERM, signal.SIGINT)}
    worker = Worker()
    try:
        while not told:
            with _lock():
                worker.work(idle, told)
            # A job that came while the lock was given back found a worker in place, and nobody else starts one.
            if not told and not worker.is_anything_left():
                return "There was no work any more."
    except Timeout:
        return "A worker is running on this machine already; it takes the jobs."
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    running = ", ".join(child.job.id for child in worker.children.values())
    return f"Told to end; these jobs go on by themselves: {running}." if running else "Told to end."


@dataclass(frozen=True)
class Child:
    """A job and the process that does it."""

    job: queue.Job
    process: subprocess.Popen[bytes]


class Worker:
    """One a machine: a job at a time in each slot."""

    def __init__(self) -> None:
        self.host = socket.gethostname()[:120]
        self.name = f"{self.host}:{os.getpid()}:{time.time():.3f}"
        self.ttl = settings.lease_seconds()
        self.children: dict[str, Child] = {}
        self.trouble = ""  # with the database, as it was said last

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
        for slot, child in list(self.children.items()):
            if (code := child.process.poll()) is not None:
                queue.finish(child.job.id, self.name, "interrupted", endings.died(code, child.job.run))  # unless it wrote its own end
                del self.children[slot]

    def _claim(self) -> None:
        for slot in queue.SLOTS:
            if slot not in self.children and (job := queue.claim(self.name, self.host, slot, self.ttl)):
                self._start(slot, job)

    def _start(self, slot: str, job: queue.Job) -> None:
        threads = {"OMP_NUM_THREADS": str(job.spec["threads"])} if job.spec.get("threads") else {}
        try:
            self.children[slot] = Child(job, _spawn(["s2s.jobs.child", job.id, self.name], f"{job.id}.log", threads))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            queue.finish(job.id, self.name, "failed", f"Its process could not be started ({reason}); free some space, then resume it.")


class Starter:
    """Starts workers: one a folder and `AGAIN` seconds, for one that starts takes a while to hold its lock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last: dict[Path, float] = {}  # when one was last started, by `S2S_HOME`

    def ensure(self) -> None:
        """Unless a worker is there, or was started a moment ago."""
        with self._lock:
            now, home = self._clock(), settings.home()
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
        raise UserError(f"The worker, which does the training, cannot be started ({reason}); free some space, then try again.") from error


def _spawn(module: Sequence[str], log: str, extra: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """`python -m MODULE ...`, detached, its output appended to a file in the log folder."""
    root = str(Path(settings.__file__).parents[1])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    with (_log_folder() / log).open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", *module],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": path, **extra},
        )


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
