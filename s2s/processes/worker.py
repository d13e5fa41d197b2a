"""The worker: claims jobs and gives each a process of its own.

Knows nothing of what a job does, and imports no torch.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from s2s import settings
from s2s.config import UserError
from s2s.files.database import UnreachableError
from s2s.processes import environment, logs, queue
from s2s.processes.channel import launch, log_path
from s2s.processes.fork_server import IS_POSSIBLE, ChildHandle, ForkRequest, ForkServer

# What a job's process runs: new, or forked from one that has imported what jobs need.
ONE_JOB = "s2s.jobs.job_process"
FORKED = "s2s.jobs.forked"
POLL = 0.3  # seconds between two polls of the queue
LOCK_SECONDS = 2.0  # an app that checks for a worker holds the lock for an instant
STARTING = 5.0  # seconds that a worker may take to acquire its lock
GRACE = 90.0  # seconds that jobs may take to save what they have done; compose.yaml allows more
SAME_STOP = 10.0  # seconds; systemd and the app that ends may each send a SIGTERM
IDLE = 60.0  # seconds that a worker started by the app stays without work

# Why a process died, from its exit status, negative for a signal, and its job's run and kind.
Died = Callable[[int, str, str], str]


def serve(died: Died, idle: float | None = None, app: int | None = None) -> str:
    """Work until SIGTERM or Ctrl-C, or until there was no work for `idle` seconds; returns why it ended.

    `died` says why a job's process ended before its work was done. `app`: the process that started this one, and whose
    end, also by SIGKILL, ends it as a SIGTERM would.
    Running jobs then save what they have done and go back into the queue. If this process is killed, they continue:
    with leases of their own, they write how they end. Raises UserError where another machine has the SQLite file.
    """
    if why := queue.why_not_here():
        raise UserError(why)
    logs.set_up()
    signals: list[int] = []
    note = _noting(signals)
    before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGINT)}
    worker = Worker(died, app)
    stopped: list[str] = []
    try:
        while not signals:
            with _lock():
                worker.start_fork_server()
                worker.work(idle, signals)
                if signals:
                    stopped = worker.stop_jobs(signals)
                worker.sign_off()
            # A job that arrived while the lock was released found a worker in place, so nobody else starts one.
            if not signals and not worker.is_anything_left():
                return "There is no more work."
    except Timeout:
        return "A worker is running on this machine already; it takes the jobs."
    finally:
        worker.close_fork_server()
        for number, handler in before.items():
            signal.signal(number, handler)
    return (
        f"Stopped; the next worker resumes these jobs: {', '.join(stopped)}."
        if stopped
        else "Stopped."
    )


def _say(sentence: str) -> None:
    """Print a sentence to the worker's log; nothing where that cannot be written, as on a full disk."""
    with contextlib.suppress(OSError):
        print(sentence, file=sys.stderr, flush=True)


def _noting(
    signals: list[int], clock: Callable[[], float] = time.monotonic
) -> Callable[[int, object], None]:
    noted = [-math.inf]

    def note(number: int, frame: object) -> None:
        if number == signal.SIGTERM and clock() - noted[-1] < SAME_STOP:
            return
        noted.append(clock())
        signals.append(number)

    return note


@dataclass(frozen=True)
class RunningJob:
    """A job and the process that does it."""

    job: queue.Job
    process: subprocess.Popen[bytes] | ChildHandle

    def terminate(self) -> None:
        """Let its process save what it has done and end; on Windows it just ends."""
        self._send("terminate")

    def kill(self) -> None:
        """End its process at once."""
        self._send("kill")

    def _send(self, what: str) -> None:
        if self.process.pid is not None and self.process.poll() is None:
            with contextlib.suppress(psutil.NoSuchProcess):
                getattr(psutil.Process(self.process.pid), what)()


class Worker:
    """Claims jobs and runs as many at a time as each slot may have; one per machine."""

    def __init__(self, died: Died, app: int | None = None) -> None:
        self.died = died
        self.app = app  # the process that started this one, if this one ends with it
        self.host = settings.worker_name()
        self.slots = settings.worker_slots() or frozenset(queue.AT_ONCE)
        self.name = f"{self.host}:{os.getpid()}:{time.time():.3f}"
        self.ttl = settings.lease_seconds()
        self.started = time.time()
        self.reported = -math.inf  # on the monotonic clock
        self.children: dict[str, RunningJob] = {}  # by job
        self.claims = itertools.count(1)
        self.fork_server: ForkServer | None = None  # without one, each job gets a fresh process
        self.is_stopping = False  # it claims no more jobs
        self.trouble = ""  # with the database, as it was last reported

    def start_fork_server(self) -> None:
        """Start the process that jobs are forked from, ready in a few seconds; where it cannot be started, jobs start
        more slowly.
        """
        if IS_POSSIBLE and self.fork_server is None:
            with contextlib.suppress(OSError):
                env = environment.for_jobs()
                self.fork_server = ForkServer(launch([FORKED], "fork_server", env, is_heard=True))

    def close_fork_server(self) -> None:
        """End the fork server; the jobs that were forked from it continue."""
        if self.fork_server:
            self.fork_server.close()
        self.fork_server = None

    def work(self, idle: float | None, signals: list[int]) -> None:
        """Work until a signal arrives, or there was no work for `idle` seconds."""
        last = time.monotonic()
        while not signals:
            if self.app and os.getppid() != self.app:  # it was killed
                signals.append(signal.SIGTERM)
                return
            self.turn()
            if idle is not None:
                if self.children or self.is_anything_left():
                    last = time.monotonic()
                elif time.monotonic() - last > idle:
                    return
            time.sleep(POLL)

    def stop_jobs(self, signals: Sequence[int]) -> list[str]:
        """Let the jobs save what they have done, and hand them back to the queue; a second signal ends the wait.

        Returns their ids.
        """
        self.is_stopping = True
        self._check_fork_server()  # what it has forked since the last turn has work to save
        jobs = list(self.children)
        for child in list(self.children.values()):
            if isinstance(child.process, ChildHandle) and child.process.pid is None:
                self._withdraw(child.job, child.process)
            else:
                child.terminate()
        until = time.monotonic() + GRACE
        while self.children and time.monotonic() < until and len(signals) < 2:
            self.turn()
            time.sleep(POLL)
        for child in list(self.children.values()):
            child.kill()
            self._hand_back(child.job)
        return jobs

    def _withdraw(self, job: queue.Job, child: ChildHandle) -> None:
        if self.fork_server:
            self.fork_server.withdraw(child)
        self._hand_back(job)

    def _hand_back(self, job: queue.Job) -> None:
        del self.children[job.id]
        with contextlib.suppress(UnreachableError):
            queue.hand_back(job.id, job.worker)

    def turn(self) -> None:
        """Note which jobs have ended, and fill the free slots; nothing while the database is unreachable."""
        try:
            self._report()
            self._note_ended()
            if not self.is_stopping:
                self._claim()
            self.trouble = ""
        except UnreachableError as error:
            if str(error) != self.trouble:
                _say(str(error))
            self.trouble = str(error)

    def _report(self) -> None:
        if time.monotonic() - self.reported >= queue.REPORT:
            queue.hold_database()
            queue.report(self.host, self.started)
            self.reported = time.monotonic()

    def sign_off(self) -> None:
        """Sign off, so that others see at once that this machine has no worker."""
        with contextlib.suppress(UnreachableError):
            queue.sign_off(self.host)
        self.reported = -math.inf

    def is_anything_left(self) -> bool:
        """Whether there is work; True while nobody can know."""
        try:
            return queue.is_anything_left(self.host, self.slots)
        except UnreachableError:
            return True

    def _note_ended(self) -> None:
        self._check_fork_server()
        for child in list(self.children.values()):
            if isinstance(child.process, ChildHandle) and child.process.pid is None:
                self._wait_for(child.job, child.process)
            elif (code := child.process.poll()) is not None and self.is_stopping:
                self._hand_back(child.job)
            elif code == queue.LOST:  # whoever claims it resumes it, perhaps this worker
                del self.children[child.job.id]
            elif code is not None:
                reason = self.died(code, child.job.run, child.job.kind)
                # Changes nothing where the job wrote its own end.
                if queue.finish(child.job.id, child.job.worker, "interrupted", reason):
                    queue.keep_log(child.job.id)
                del self.children[child.job.id]
            elif (
                isinstance(child.process, ChildHandle) and child.process.is_out_of_sight
            ):  # its lease says whether it is alive
                del self.children[child.job.id]

    def _check_fork_server(self) -> None:
        """Replace a fork server that was ready and died; one that was never ready would not be the next time either."""
        if self.fork_server is None:
            return
        self.fork_server.look()
        if self.fork_server.is_gone:
            _say("The process that jobs are forked from has died; see fork_server.log.")
            was_ready = self.fork_server.is_ready
            self.fork_server = None
            if was_ready and not self.is_stopping:
                self.start_fork_server()

    def _wait_for(self, job: queue.Job, child: ChildHandle) -> None:
        if child.is_refused:
            self._spawn(job)
        elif child.is_out_of_sight:
            del self.children[job.id]
        else:
            try:
                queue.renew(job.id, job.worker, self.ttl)
            except queue.LeaseLost:
                del self.children[job.id]

    def _claim(self) -> None:
        for slot in [slot for slot in queue.AT_ONCE if slot in self.slots]:
            n_free = queue.AT_ONCE[slot] - sum(c.job.slot == slot for c in self.children.values())
            for _ in range(n_free):
                # A new name each time: a process that was given up and wakes must not take the job for its own.
                job = queue.claim(f"{self.name}:{next(self.claims)}", self.host, slot, self.ttl)
                if job is None:
                    break
                self._start(job)

    def _start(self, job: queue.Job) -> None:
        request = ForkRequest(
            job.id, job.worker, str(log_path(job.id)), job.spec.get("threads") or 0
        )
        spins = job.spec.get("spins")  # forked threads wait as those of the fork server do
        child = self.fork_server.request(request) if self.fork_server and not spins else None
        if child:
            self.children[job.id] = RunningJob(job, child)
        else:
            self._spawn(job)

    def _spawn(self, job: queue.Job) -> None:
        extra = settings.for_threads(job.spec.get("threads"), spin=bool(job.spec.get("spins")))
        self.children.pop(job.id, None)
        try:
            module = (ONE_JOB, job.id, job.worker)
            process = launch(module, job.id, environment.for_jobs(extra))
            self.children[job.id] = RunningJob(job, process)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            queue.finish(
                job.id,
                job.worker,
                "failed",
                f"Its process could not be started ({reason}); free some space, then resume it.",
            )


class Starter:
    """Starts workers, at most one per folder in `STARTING` seconds: a new one takes a while to acquire its lock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last: dict[Path, float] = {}  # when one was last started, by `S2S_HOME`
        self._started: list[subprocess.Popen[bytes]] = []  # and not ended yet
        self._is_over = False

    def ensure(self) -> None:
        """Start a worker, unless one is there or was started a moment ago."""
        with self._lock:
            now = self._clock()
            home = settings.home()
            if self._is_over or now - self._last.get(home, -STARTING) < STARTING or _is_there():
                return
            ends = ["--app", str(os.getpid())] if settings.worker_ends_with_app() else []
            worker = ("s2s", "worker", "--idle", str(IDLE), *ends)
            process = launch(worker, "worker", environment.for_jobs())
            self._last[home] = now
            at_work = [each for each in self._started if each.poll() is None]
            self._started = [*at_work, process]  # a slow start may look like none
        threading.Thread(target=process.wait, name="reap the worker", daemon=True).start()

    def end(self) -> None:
        """Ask the workers that it started to end, wait until their jobs are handed back, and start no more."""
        with self._lock:
            self._is_over = True
        for process in self._started:
            process.terminate()  # nothing where it has ended
        until = time.monotonic() + GRACE + SAME_STOP
        for process in self._started:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, until - time.monotonic()))


STARTER = Starter()


def ensure() -> None:
    """Start a worker that outlives this process (but `end`), unless one runs here or elsewhere (`S2S_WORKER`).

    Raises UserError where it cannot be started.
    """
    if settings.worker_is_elsewhere():
        return
    try:
        STARTER.ensure()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UserError(
            f"The worker, which trains the models, cannot be started ({reason}); free some space, then try again."
        ) from error


def end() -> None:
    """End the worker that the app started, as the app ends, where `settings.worker_ends_with_app`."""
    if settings.worker_ends_with_app():
        STARTER.end()


def _lock() -> FileLock:
    return FileLock(
        log_path(f"worker-{settings.worker_name()}").with_suffix(".lock"), timeout=LOCK_SECONDS
    )


def _is_there() -> bool:
    try:
        with _lock().acquire(timeout=0):
            return False
    except Timeout:
        return True
