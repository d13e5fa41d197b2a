"""What the operator has set for everybody, kept in the database: whether the queue is paused, and a notice."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from s2s.files.database import SERVER, alone, begin

PAUSED = "paused"
NOTICE = "notice"


@dataclass(frozen=True)
class ServerState:
    """What the operator has set; by default nothing."""

    is_paused: bool = False  # no job starts; those that run continue
    notice: str = ""  # a sentence that every page shows


def server_state() -> ServerState:
    """What the operator has set, as it is now. Raises UnreachableError."""
    with begin() as connection:
        return read_state(connection)


def read_state(connection: sa.Connection) -> ServerState:
    """What the operator has set, read within a transaction."""
    rows = connection.execute(sa.select(SERVER.c.name, SERVER.c.value))
    values = {str(name): str(value) for name, value in rows}
    return ServerState(PAUSED in values, values.get(NOTICE, ""))


def set_paused(is_paused: bool) -> None:
    """Let no job start from now on, or let them start again."""
    put_value(PAUSED, "yes" if is_paused else "")


def set_notice(sentence: str) -> None:
    """Show a sentence on every page; an empty one removes it."""
    put_value(NOTICE, sentence)


def put_value(name: str, value: str) -> None:
    """Store a value, or delete it where it is empty."""
    with alone() as connection:  # so that no claim that began before is still underway
        connection.execute(sa.delete(SERVER).where(SERVER.c.name == name))
        if value:
            connection.execute(sa.insert(SERVER).values(name=name, value=value))


def value(name: str) -> str:
    """What is stored under that name; empty where nothing is. Raises UnreachableError."""
    with begin() as connection:
        return _value(connection, name)


def _value(connection: sa.Connection, name: str) -> str:
    query = sa.select(SERVER.c.value).where(SERVER.c.name == name)
    return str(connection.execute(query).scalar() or "")


def take_lease(name: str, holder: str, seconds: float, now: float) -> bool:
    """Take the lease `name` for so many seconds, or renew it; False while another holder has it."""
    with alone() as connection:
        until, _, other = _value(connection, name).partition(" ")
        if other not in ("", holder) and float(until) > now:
            return False
        held = {"value": f"{now + seconds} {holder}"}
        if not connection.execute(
            sa.update(SERVER).where(SERVER.c.name == name).values(held)
        ).rowcount:
            connection.execute(sa.insert(SERVER).values(name=name, **held))
        return True
