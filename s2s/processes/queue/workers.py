"""The machines: their workers, as they report themselves to the database, and the one that an SQLite file serves."""

from __future__ import annotations

import contextlib
import socket
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from s2s.config import UserError
from s2s.files.database import WORKERS, UnreachableError, alone, begin
from s2s.processes.queue.server_state import take_lease
from s2s.settings import database_url

REPORT = 5.0  # seconds between two reports of a worker
ALIVE = 20.0  # seconds after its last report for which a worker counts as alive
FORGOTTEN = 3600.0  # seconds after which a worker that reports no more is no longer listed
COMPUTER = "computer"  # the lease of an SQLite file
HELD = 30.0  # seconds, within which apps and workers renew it
PATIENCE = 35.0  # seconds for which a start waits for it
RANDOM = 1 << 40  # of an address that Python has made up, another one in each process
BOOT = Path("/proc/sys/kernel/random/boot_id")  # the same in all containers of a machine

ROW = WORKERS.c


@dataclass(frozen=True)
class SeenWorker:
    """A worker's last report; times are seconds since the epoch."""

    host: str
    started: float
    seen: float

    def is_alive(self, now: float | None = None) -> bool:
        """Whether the worker has reported itself lately."""
        return self.seen + ALIVE >= (time.time() if now is None else now)


def report(host: str, started: float, *, now: float | None = None) -> None:
    """Report that the worker of a machine is alive; an earlier one is replaced."""
    now = time.time() if now is None else now
    with alone() as connection:
        gone = sa.or_(ROW.host == host, ROW.seen < now - FORGOTTEN)
        connection.execute(sa.delete(WORKERS).where(gone))
        connection.execute(sa.insert(WORKERS).values(host=host, started=started, seen=now))


def sign_off(host: str) -> None:
    """Remove the report of a machine's worker, which ends."""
    with begin() as connection:
        connection.execute(sa.delete(WORKERS).where(ROW.host == host))


def seen_workers() -> list[SeenWorker]:
    """All workers that have reported themselves within an hour and have not signed off, by machine."""
    statement = sa.select(ROW.host, ROW.started, ROW.seen).order_by(ROW.host)
    with begin() as connection:
        return [SeenWorker(*row) for row in connection.execute(statement)]


class OtherComputerError(UnreachableError):
    """The database is an SQLite file, and another machine works with it."""


def hold_database() -> None:
    """Claim an SQLite database for this machine for 30 seconds. Raises OtherComputerError where it is another's."""
    if database_url().startswith("sqlite") and not take_lease(
        COMPUTER, computer(), HELD, time.time()
    ):
        raise OtherComputerError(
            "Another machine works with the same SQLite database, which serves one machine only: set"
            " S2S_DATABASE_URL to a PostgreSQL database on all of them, or end the programs there and wait"
            f" {HELD:.0f} seconds."
        )


def computer() -> str:
    """What tells this machine from others: its boot, elsewhere than on Linux its network card, or its name."""
    with contextlib.suppress(OSError):
        return BOOT.read_text().strip()
    card = uuid.getnode()
    return socket.gethostname() if card & RANDOM else f"{card:x}"


def why_not_here() -> str:
    """Why no app and no worker may start here, a sentence; "" where they may, or the database is in trouble.

    Waits for a lease to run out: a machine that has just restarted is another one than before.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            hold_database()
        except OtherComputerError as error:
            if time.monotonic() > until:
                return str(error)
            time.sleep(1.0)
        except UserError:  # which the pages and the worker say
            return ""
        else:
            return ""
