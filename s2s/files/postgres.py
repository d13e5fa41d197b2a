"""Connections to PostgreSQL that give up a silent server.

One that was stopped, or whose network is broken, accepts whatever is sent and says nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import sqlalchemy as sa

SILENCE = 6.0  # seconds without a word, after which the server counts as away
STATEMENT = 5.0  # seconds that a statement may take, and wait for others: the server itself ends it
IDLE = 10.0  # seconds after which the server ends a transaction, and its locks, whose client was stopped
CONNECT = 5  # seconds
PAUSE = 3.0  # seconds after a silence in which nobody tries again: a page asks more than once
SLOW = 1.0  # seconds; a server that refuses takes less

_silent_until: dict[str, float] = {}  # by address


class SilentServerError(psycopg.OperationalError, TimeoutError):
    """The server says nothing."""

    def __init__(self) -> None:
        super().__init__("the database does not answer")


class BoundedConnection(psycopg.Connection[Any]):
    """A connection that is closed if its server says nothing for too long."""

    address = ""
    silence = SILENCE

    def wait(self, gen: Any, *given: Any, **named: Any) -> Any:
        """Wait as psycopg does, which takes a step of `gen` when there is news, and several times per second."""
        try:
            return super().wait(_heard(gen, self.silence), *given, **named)
        except SilentServerError:
            _note_silence(self.address)
            self.close()  # so that the pool drops it
            raise


def _heard(steps: Any, seconds: float) -> Generator[Any, Any, Any]:
    until = time.monotonic() + seconds
    try:
        wanted = next(steps)
        while True:
            if news := (yield wanted):
                until = time.monotonic() + seconds
            elif time.monotonic() > until:
                raise SilentServerError
            wanted = steps.send(news)
    except StopIteration as end:
        return end.value


def set_up(made: sa.Engine) -> None:
    """Bounds all connections that the engine opens."""
    address = str(made.url)

    def connect(dialect: Any, record: Any, given: Any, named: dict[str, Any]) -> BoundedConnection:
        return _connected(address, *given, **{"connect_timeout": CONNECT, **named})

    sa.event.listen(made, "do_connect", connect)


def _connected(address: str, *given: Any, **named: Any) -> BoundedConnection:
    began = time.monotonic()
    if began < _silent_until.get(address, 0.0):
        raise SilentServerError
    try:
        made = BoundedConnection.connect(*given, **named)
    except psycopg.OperationalError as error:
        if time.monotonic() - began < SLOW:
            raise
        _note_silence(address)
        raise SilentServerError from error
    made.address = address
    made.autocommit = True
    made.execute(
        f"SET statement_timeout = '{STATEMENT}s';"
        f"SET idle_in_transaction_session_timeout = '{IDLE}s'"
    )
    made.autocommit = False
    return made


def _note_silence(address: str) -> None:
    _silent_until[address] = time.monotonic() + PAUSE


@contextmanager
def patiently(connection: sa.Connection) -> Iterator[None]:
    """While this is open, this PostgreSQL transaction may take as long as it needs."""
    opened = connection.connection.driver_connection
    assert isinstance(opened, BoundedConnection)
    connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
    opened.silence = math.inf
    try:
        yield
    finally:
        del opened.silence  # from now on as others
