"""What is stored under `S2S_HOME`, whose it is, and how much of it a workspace may have. Reads files, no database."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from s2s import settings
from s2s.config import UserError, asker

ID = re.compile(r"[\w-]{1,64}")  # of a thing, before it becomes part of a path


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class About(NamedTuple):
    """The owner and name in the file that describes a stored thing; without an owner it is the operator's."""

    owner: str
    name: str
    source: str  # of a run: its dataset
    valid: str  # of a run: its validation pairs, where they have a dataset of their own
    rows: int  # of a saved dataset: its sentence pairs


def about(path: Path) -> About:
    """What a recipe.json, about.json, evaluation.json or upload.json says. Raises OSError where there is none."""
    stat = path.stat()
    return _read_about(path, stat.st_mtime_ns, stat.st_size)


@functools.lru_cache(maxsize=8192)
def _read_about(path: Path, changed: int, size: int) -> About:
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        content = None
    known: dict[str, Any] = content if isinstance(content, dict) else {}
    owner, name, source, valid = map(_text, map(known.get, ("owner", "name", "source", "valid")))
    rows = known.get("n_pairs")
    return About(owner or asker.LOCAL, name, source, valid, rows if isinstance(rows, int) else 0)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


class StoredKind(NamedTuple):
    """A kind of stored thing: its name, the folder that holds them, and which of their files says whose they are."""

    name: str  # as a visitor calls it
    folder: str
    about: str

    @property
    def parent(self) -> Path:
        return settings.home() / self.folder


RUN = StoredKind("run", "runs", "recipe.json")
DATASET = StoredKind("saved dataset", "corpora", "about.json")
EVALUATION = StoredKind("evaluation", "evaluations", "evaluation.json")
UPLOAD = StoredKind("upload", "incoming", "upload.json")
MEASUREMENT = StoredKind("measurement", "measurements", "measurement.json")
EXPORTS = "exports"  # the folder of the zips that visitors download
KINDS = (RUN, DATASET, EVALUATION, UPLOAD, MEASUREMENT)


@dataclass(frozen=True)
class Item:
    """Something stored. `changed` is in seconds since the epoch; `rows` are the sentence pairs of a saved dataset."""

    kind: StoredKind
    owner: str
    name: str
    folder: Path
    changed: float
    rows: int

    @property
    def id(self) -> str:
        return self.folder.name

    @property
    def is_deleted(self) -> bool:
        """Whether the thing was deleted, which can be undone for a minute."""
        return self.id.startswith(".")

    @property
    def n_bytes(self) -> int:
        return folder_size(self.folder)


@dataclass(frozen=True)
class Usage:
    """How much is stored: bytes, rows, and the number of things by kind."""

    n_bytes: int = 0
    rows: int = 0
    runs: int = 0
    datasets: int = 0
    evaluations: int = 0
    uploads: int = 0
    measurements: int = 0


def items(owner: str | None = None) -> list[Item]:
    """What a workspace has stored, newest first; without an owner, what all have.

    A run that was just deleted counts for the minute in which that can be undone. What is damaged is the operator's.
    """
    found = (
        item
        for kind in KINDS
        for folder in _folders(kind.parent)
        if (item := _item(kind, folder)) and owner in (None, item.owner)
    )
    return sorted(found, key=lambda item: (-item.changed, item.id))


def usage(owner: str) -> Usage:
    """How much a workspace has stored."""
    return usage_of(items(owner))


def usage_of(mine: list[Item]) -> Usage:
    """How much these stored things are together."""
    counts = {kind: sum(item.kind is kind for item in mine) for kind in KINDS}
    return Usage(
        sum(item.n_bytes for item in mine),
        sum(item.rows for item in mine),
        counts[RUN],
        counts[DATASET],
        counts[EVALUATION],
        counts[UPLOAD],
        counts[MEASUREMENT],
    )


def require_room(owner: str, *, n_bytes: int = 0, rows: int = 0, runs: int = 0) -> None:
    """Raises UserError where a workspace may not store that much more; without a workspace, nothing may be stored.

    `n_bytes` may be an estimate. Only servers with such limits look at what is stored.
    """
    if owner == asker.NOBODY:
        raise UserError(
            "Nothing can be stored without a workspace: allow cookies for this page, then reload it."
        )
    if owner == asker.LOCAL and asker.is_hosted():  # the operator
        return
    allowed = settings.limits()
    if (allowed.bytes, allowed.rows, allowed.runs) != (None, None, None):
        used = usage(owner)
        _check("bytes", used.n_bytes, n_bytes, allowed.bytes)
        _check("sentence pairs", used.rows, rows, allowed.rows)
        _check("runs", used.runs, runs, allowed.runs)
    require_total(n_bytes)


def require_total(n_bytes: int) -> None:
    """Raises UserError where `n_bytes` more would exceed what all workspaces together may store."""
    allowed = settings.limits().total_bytes
    if allowed is None:
        return
    folders = (*(kind.folder for kind in KINDS), EXPORTS)
    if sum(folder_size(settings.home() / folder) for folder in folders) + n_bytes > allowed:
        raise UserError(
            f"This server is full: all its visitors together may store {_size(allowed)}. Delete what you no longer"
            " need, or try again later."
        )


def _check(what: str, used: int, more: int, allowed: int | None) -> None:
    if allowed is None or used + more <= allowed:
        return
    counts = [_size(n) if what == "bytes" else f"{n:,} {what}" for n in (used, more, allowed)]
    new = f"; this would add {counts[1]}" if more > 1 else ""
    raise UserError(
        f"You have stored {counts[0]} and may store {counts[2]}{new}. Delete what you no longer need (My workspace"
        " lists it), then try again."
    )


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f} MB" if n_bytes < 1e9 else f"{n_bytes / 1e9:,.2f} GB"


def folder_size(folder: Path) -> int:
    """The bytes of all files in a folder; what is deleted meanwhile counts nothing."""
    total = 0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    total += folder_size(Path(entry.path))
                else:
                    total += entry.stat(follow_symlinks=False).st_size
    return total


def _folders(parent: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield Path(entry.path)


def _item(kind: StoredKind, folder: Path) -> Item | None:
    try:
        said = about(folder / kind.about)
    except OSError:  # not such a folder, or deleted meanwhile
        return None
    return Item(kind, said.owner, said.name or folder.name, folder, _changed(folder), said.rows)


def _changed(folder: Path) -> float:
    newest = 0.0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
                    newest = max(newest, entry.stat(follow_symlinks=False).st_mtime)
    return newest
