"""How this server is: what its operator looks at, and what Prometheus reads. Names no visitor, quotes nobody."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import psutil

from s2s import settings
from s2s.config import UserError
from s2s.files import stored
from s2s.jobs import engine
from s2s.processes import logs, queue

BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds of a script run
SLOW = 1.0  # seconds from which a script run is listed
LISTED = 20  # slow runs and errors that are kept
MOST_TYPES = 50  # of errors; further ones count as "other"
LEAST_FREE = 100_000_000  # bytes on the disk, without which nothing can be stored
SIZES_SECONDS = 60.0  # for which the sizes of the stored folders count as known


@dataclass(frozen=True)
class SlowRun:
    """A script run that took long. `page` is the page's address; `at` is seconds since the epoch."""

    at: float
    page: str
    seconds: float
    is_fragment: bool


@dataclass(frozen=True)
class SeenError:
    """An exception that no page expected."""

    at: float
    kinds: list[str]  # its type, then those of its causes
    frames: list[str]  # outermost first


class Monitor:
    """Counts what happens in this process: runs of pages, errors, uploads; used from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.in_bucket = [0] * (len(BUCKETS) + 1)
        self.seconds = 0.0
        self.errors: Counter[str] = Counter()
        self.slow_runs: deque[SlowRun] = deque(maxlen=LISTED)
        self.last_errors: deque[SeenError] = deque(maxlen=LISTED)
        self.n_sessions = 0
        self.n_uploads = 0
        self.n_missed_links = 0
        self.refused_keys: Counter[str] = Counter()  # of the operator, by where they were tried
        self._sizes: tuple[float, str, dict[str, int]] = (0.0, "", {})

    def note_run(self, page: str, seconds: float, *, is_fragment: bool) -> None:
        """Count that a page, or a part of it, was drawn."""
        bucket = sum(seconds > limit for limit in BUCKETS)
        with self._lock:
            self.in_bucket[bucket] += 1
            self.seconds += seconds
            if seconds >= SLOW:
                self.slow_runs.append(SlowRun(time.time(), page, seconds, is_fragment))
        if seconds >= SLOW:
            logs.write("slow_run", page=page, seconds=round(seconds, 3))

    def note_error(self, error: BaseException) -> None:
        """Count and keep an exception that no page expected."""
        described = logs.described(error)
        kind = described["exception"][0]
        with self._lock:
            known = kind in self.errors or len(self.errors) < MOST_TYPES
            self.errors[kind if known else "other"] += 1
            self.last_errors.append(
                SeenError(time.time(), described["exception"], described["frames"])
            )

    @contextlib.contextmanager
    def session(self) -> Iterator[None]:
        with self._lock:
            self.n_sessions += 1
        try:
            yield
        finally:
            with self._lock:
                self.n_sessions -= 1

    def note_upload(self) -> None:
        """Count that a visitor has uploaded a file."""
        with self._lock:
            self.n_uploads += 1

    def note_missed_link(self) -> None:
        """Count that somebody has opened a short link that nobody made."""
        with self._lock:
            self.n_missed_links += 1

    def note_refused_key(self, by: str) -> None:
        """Count that somebody has tried a wrong operator key on the `page`, or for the `metrics`."""
        with self._lock:
            self.refused_keys[by] += 1

    def sizes(self) -> dict[str, int]:
        """Bytes of the stored things by kind, at most a minute old."""
        now = time.monotonic()
        home = str(settings.home())
        with self._lock:
            measured, of, sizes = self._sizes
        if of != home or now - measured > SIZES_SECONDS:
            sizes = {kind.folder: stored.folder_size(kind.parent) for kind in stored.KINDS}
            with self._lock:
                self._sizes = (now, home, sizes)
        return sizes


MONITOR = Monitor()


def why_not_ready() -> str:
    """Why this server cannot serve anybody now, a sentence; "" where it can."""
    if why := settings.why_not_ready():
        return why
    try:
        queue.server_state()
        engine.check_settings()
    except UserError as error:
        return str(error)
    try:
        with tempfile.TemporaryFile(dir=settings.home()) as file:
            file.write(b"s2s")
            file.flush()
        free = shutil.disk_usage(settings.home()).free
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return f"The folder of S2S_HOME cannot be written ({reason}); free some space or check its permissions."
    if free < LEAST_FREE:
        return f"Only {free // 1_000_000} MB are free in S2S_HOME; free at least {LEAST_FREE // 1_000_000} MB."
    return ""


def engine_trouble() -> str:
    """What is wrong with the cluster that starts workers, a sentence; "" where nothing is. Jobs continue meanwhile."""
    if not settings.has_engine():
        return ""
    try:
        return engine.state().trouble
    except UserError:  # why the server is not ready
        return ""


def metrics() -> str:
    """All measurements as Prometheus reads them (text format 0.0.4)."""
    return "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    yield from _family("s2s_sessions", "gauge", "Open sessions.", [("", MONITOR.n_sessions)])
    yield from _script_runs()
    errors = [(_label(type=kind), n) for kind, n in sorted(MONITOR.errors.items())]
    yield from _family("s2s_errors_total", "counter", "Unexpected exceptions by type.", errors)
    uploads = [("", MONITOR.n_uploads)]
    yield from _family("s2s_uploads_total", "counter", "Uploaded files.", uploads)
    refused = [(_label(by=by), MONITOR.refused_keys[by]) for by in ("metrics", "page")]
    name = "s2s_operator_keys_refused_total"
    yield from _family(name, "counter", "Wrong operator keys by where they were tried.", refused)
    missed = [("", MONITOR.n_missed_links)]
    name = "s2s_short_link_misses_total"
    yield from _family(name, "counter", "Short links that do not exist.", missed)
    rss = psutil.Process().memory_info().rss
    yield from _family(
        "process_resident_memory_bytes", "gauge", "Memory of the app's process.", [("", rss)]
    )
    free = [("", _free())]
    yield from _family("s2s_disk_free_bytes", "gauge", "Free bytes on the disk of S2S_HOME.", free)
    sizes = [(_label(folder=folder), n) for folder, n in MONITOR.sizes().items()]
    yield from _family("s2s_stored_bytes", "gauge", "Bytes in S2S_HOME by folder.", sizes)
    is_reachable = 1
    lines: list[str] = []
    try:
        lines += _queue()
    except UserError:
        is_reachable = 0
    yield from _family(
        "s2s_database_up", "gauge", "Whether the database answers.", [("", is_reachable)]
    )
    yield from lines


def _script_runs() -> Iterator[str]:
    name = "s2s_script_run_seconds"
    yield f"# HELP {name} Seconds that a page, or a part of it, took to draw."
    yield f"# TYPE {name} histogram"
    total = 0
    for limit, n in zip([*map(str, BUCKETS), "+Inf"], MONITOR.in_bucket, strict=True):
        total += n
        yield f"{name}_bucket{_label(le=limit)} {total}"
    yield f"{name}_sum {MONITOR.seconds:.6f}"
    yield f"{name}_count {total}"


def _queue() -> Iterator[str]:
    counts = queue.counts()
    jobs = [(_label(kind=kind, state=state), n) for (kind, state), n in sorted(counts.jobs.items())]
    yield from _family("s2s_jobs", "gauge", "Jobs by kind and state.", jobs)
    lost = [("", counts.lost)]
    yield from _family("s2s_jobs_lost", "gauge", "Running jobs whose worker is gone.", lost)
    waits = [
        (_label(of="longest"), round(counts.longest_wait, 3)),
        (_label(of="mean_last_hour"), round(counts.mean_wait, 3)),
    ]
    yield from _family("s2s_queue_wait_seconds", "gauge", "How long jobs wait.", waits)
    workers = queue.seen_workers()
    alive = [("", sum(worker.is_alive() for worker in workers))]
    yield from _family("s2s_workers", "gauge", "Workers that have reported lately.", alive)
    if settings.has_engine():
        cluster = engine.state()
        started = [("", len(cluster.workers))]
        yield from _family("s2s_engine_workers", "gauge", "Workers on the cluster.", started)
        up = [("", int(not cluster.trouble))]
        yield from _family("s2s_engine_up", "gauge", "Whether the cluster answers.", up)
    state = queue.server_state()
    paused = [("", int(state.is_paused))]
    yield from _family("s2s_queue_paused", "gauge", "Whether the queue is paused.", paused)


def _family(name: str, kind: str, help: str, samples: Iterable[tuple[str, float]]) -> Iterator[str]:
    yield f"# HELP {name} {help}"
    yield f"# TYPE {name} {kind}"
    for label, value in samples:
        yield f"{name}{label} {value}"


def _label(**labels: str) -> str:
    pairs = (f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return "{" + ",".join(pairs) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _free() -> int:
    with contextlib.suppress(OSError):
        return shutil.disk_usage(settings.home()).free
    return 0
