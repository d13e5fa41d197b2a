"""Workspaces of people who sign in: whose they are, and how an anonymous one is merged into one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from s2s import files, lessons
from s2s.config import UserError
from s2s.files import stored
from s2s.files.stored import Item
from s2s.hosted import keys, rows
from s2s.hosted.keys import Key
from s2s.links import short as short_links
from s2s.processes import queue
from s2s.runs import RunFolder


def account_of(user: Mapping[str, Any]) -> str:
    """A hash of an account, from what its provider says of a user who is signed in; "" for nobody."""
    issuer, subject = (user.get(claim) for claim in ("iss", "sub"))
    is_known = isinstance(issuer, str) and isinstance(subject, str) and issuer and subject
    if user.get("is_logged_in") is not True or not is_known:
        return ""
    return keys.digest("account", json.dumps([issuer, subject]))


def workspace_of_account(account: str) -> str:
    return account[: keys.ID_LENGTH]


def merge(key: Key, account: str) -> int:
    """Gives everything that a key opens to an account, and waiting jobs with it; returns how many things.

    What is interrupted is done by another call. Raises UserError where a job is running, which reads what its owner
    may read, where the database is away, or where a file cannot be written.
    """
    source, target = rows.workspace_of(key), workspace_of_account(account)
    rows.require("change", target)
    if source in ("", target):
        return 0
    jobs = queue.jobs(source, limit=10_000)
    if any(job.state == "running" and job.is_live() for job in jobs):
        raise UserError("A job of this browser's workspace is running; merge when it is done.")
    rows.note_account(target, account)
    for job in jobs:
        queue.abandon(job.id)  # where its worker died
        queue.give(job.id, target)
    items = stored.items(source)
    for item in items:
        _give(item, target)
    short_links.give(source, target)
    lessons.give_progress(source, target)
    lessons.give_lessons(source, target)
    lessons.give_classes(source, target)
    return len(items)


def _give(item: Item, target: str) -> None:
    if item.kind is stored.RUN:
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
