"""Workspaces of people who sign in: whose they are, and how an anonymous one is merged into one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from s2s import files, lessons, short_links, storage
from s2s.config import UserError
from s2s.jobs import queue
from s2s.runs import RunFolder
from s2s.storage import Item
from s2s.workspaces import keys, rows
from s2s.workspaces.expiry import is_at_work
from s2s.workspaces.keys import Key


class Merged(NamedTuple):
    """How many things changed hands, and how many did not, because jobs work on them."""

    moved: int
    left: int


def account_of(user: Mapping[str, Any]) -> str:
    """A hash of an account, from what its provider says of a user who is signed in; "" for nobody."""
    issuer, subject = (user.get(claim) for claim in ("iss", "sub"))
    is_known = isinstance(issuer, str) and isinstance(subject, str) and issuer and subject
    if user.get("is_logged_in") is not True or not is_known:
        return ""
    return keys.digest("account", json.dumps([issuer, subject]))


def workspace_of_account(account: str) -> str:
    """The workspace of an account."""
    return account[: keys.ID_LENGTH]


def merge(key: Key, account: str) -> Merged:
    """Gives everything that a key opens to an account. What is interrupted, or still left, is done by another call.

    Raises UserError where the database is away or a file cannot be written.
    """
    source, target = rows.workspace_of(key), workspace_of_account(account)
    rows.require("change", target)
    if source in ("", target):
        return Merged(0, 0)
    rows.note_account(target, account)
    moved = left = 0
    for item in storage.items(source):
        if is_at_work(item):
            left += 1
        else:
            _give(item, target)
            moved += 1
    _give_jobs(source, target)
    short_links.give(source, target)
    lessons.give_progress(source, target)
    lessons.give_lessons(source, target)
    lessons.give_classes(source, target)
    return Merged(moved, left)


def _give_jobs(source: str, target: str) -> None:
    """The queue's rows of what is not worked on."""
    for job in queue.jobs(source, limit=10_000):
        if not job.is_live():
            queue.give(job.id, target)


def _give(item: Item, target: str) -> None:
    if item.kind is storage.RUN:
        RunFolder(item.folder).amend(lambda about: {"owner": target})
        return
    path = item.folder / item.kind.about
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UserError(
            f"The {item.kind.name} `{item.id}` cannot be read; delete it, then merge again."
        ) from error
    files.write_json(path, {**content, "owner": target})
