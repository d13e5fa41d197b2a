"""What the database knows of a workspace: when it was kept, whose account it is, and further keys that open it.

A visitor without any of these has no row, so that a visit costs no write.
"""

from __future__ import annotations

import functools
import secrets
import time
from typing import NamedTuple

import sqlalchemy as sa

from s2s.hosted import keys
from s2s.hosted.keys import Key
from s2s.library import Thing, Verb, rights
from s2s.processes import queue

LINK_DAYS = 7  # for which a recovery link can be opened, once
DAY = 86_400.0  # seconds
LOOK = 60.0  # seconds after which the database is asked again what a key opens
MOST_KEYS = 50  # other computers of a workspace; the oldest gives way
_METADATA = sa.MetaData()
WORKSPACES = sa.Table(
    "workspaces",
    _METADATA,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("created", sa.Double),
    sa.Column("kept", sa.Double),  # when its owner last asked to keep everything
    sa.Column("account", sa.String(64)),  # a hash of issuer and subject, where somebody signed in
)
KEYS = sa.Table(
    "workspace_keys",
    _METADATA,
    sa.Column("key", sa.String(64), primary_key=True),  # its hash
    sa.Column("workspace", sa.String(64)),
    sa.Column("created", sa.Double),
)
LINKS = sa.Table(
    "recovery_links",
    _METADATA,
    sa.Column("token", sa.String(64), primary_key=True),  # its hash
    sa.Column("workspace", sa.String(64)),
    sa.Column("expires", sa.Double),
)


class Row(NamedTuple):
    """A workspace in the database. Times are seconds since the epoch."""

    id: str
    created: float
    kept: float
    account: str | None


def workspace_of(key: Key) -> str:
    """The workspace that a key opens; "" for a key to another computer that was deleted with its workspace.

    Raises UserError where only the database knows and cannot be reached.
    """
    if key.kind == keys.DIRECT:
        return key.digest
    try:
        return _linked(key.digest, int(time.time() // LOOK))
    except KeyError:
        return ""


@functools.lru_cache(maxsize=4096)
def _linked(key: str, _when: int) -> str:
    with queue.begin() as connection:
        found = connection.execute(sa.select(KEYS.c.workspace).where(KEYS.c.key == key)).scalar()
    if found is None:
        raise KeyError(key)
    return str(found)


def find(workspace: str) -> Row | None:
    with queue.begin() as connection:
        found = connection.execute(
            sa.select(*WORKSPACES.c).where(WORKSPACES.c.id == workspace)
        ).first()
    return Row(*found) if found else None


def kept() -> dict[str, float]:
    """When each workspace that has a row was last kept, in seconds since the epoch, by id."""
    with queue.begin() as connection:
        found = connection.execute(sa.select(WORKSPACES.c.id, WORKSPACES.c.kept))
        return {str(workspace): float(when) for workspace, when in found}


def require(verb: Verb, workspace: str) -> None:
    """Raises DeniedError unless this request may do `verb` to a whole workspace: its own."""
    rights.require(verb, Thing("workspace", workspace, workspace))


def keep(workspace: str, *, now: float | None = None) -> None:
    """Keep a workspace: everything in it counts as changed now."""
    require("change", workspace)
    _write(workspace, kept=time.time() if now is None else now)


def note_account(workspace: str, account: str) -> None:
    _write(workspace, account=account)


def _write(workspace: str, **values: float | str) -> None:
    with queue.begin() as connection:
        mine = WORKSPACES.c.id == workspace
        if not connection.execute(sa.update(WORKSPACES).where(mine).values(**values)).rowcount:
            first = {"id": workspace, "created": time.time(), "kept": 0.0, "account": None}
            connection.execute(sa.insert(WORKSPACES).values(first | values))


def make_link(workspace: str, *, now: float | None = None) -> str:
    """The token of a recovery link, which opens the workspace on another computer, once.

    Only its hash is stored. It is signed, so that a guess costs no query.
    """
    require("change", workspace)
    now = time.time() if now is None else now
    secret = secrets.token_urlsafe(32)
    token = f"{secret}.{keys.signature('recovery link', secret)}"
    row = {"token": _stored(token), "workspace": workspace, "expires": now + LINK_DAYS * DAY}
    with queue.begin() as connection:
        connection.execute(sa.delete(LINKS).where(LINKS.c.expires < now))
        connection.execute(sa.insert(LINKS).values(row))
    return token


def open_link(token: str, *, now: float | None = None) -> Key | None:
    """A new key to the workspace of a recovery link, which then is used up; None for a wrong, old or used one."""
    now = time.time() if now is None else now
    secret, _, signature = token.partition(".")
    genuine = keys.signature("recovery link", secret)
    if not secrets.compare_digest(signature.encode(), genuine.encode()):
        return None
    key = keys.new_key(keys.LINKED)
    with queue.begin() as connection:
        link = connection.execute(
            sa.delete(LINKS)
            .where(LINKS.c.token == _stored(token))
            .returning(LINKS.c.workspace, LINKS.c.expires)
        ).first()
        if link is None or link.expires < now:
            return None
        older = sa.select(KEYS.c.key).where(KEYS.c.workspace == link.workspace)
        newest = [row.key for row in connection.execute(older.order_by(KEYS.c.created.desc()))]
        connection.execute(sa.delete(KEYS).where(KEYS.c.key.in_(newest[MOST_KEYS - 1 :])))
        row = {"key": key.digest, "workspace": link.workspace, "created": now}
        connection.execute(sa.insert(KEYS).values(row))
    return key


def _stored(token: str) -> str:
    return keys.digest("recovery link", token)


def delete(workspace: str) -> None:
    """Deletes a workspace's row: its keys on other computers and its recovery links open nothing any more."""
    with queue.begin() as connection:
        for table, column in ((WORKSPACES, "id"), (KEYS, "workspace"), (LINKS, "workspace")):
            connection.execute(sa.delete(table).where(table.c[column] == workspace))
    _linked.cache_clear()
