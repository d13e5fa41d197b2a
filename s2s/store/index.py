"""What this machine has of a thing, and which version of each file: one small file per thing in S2S_HOME/.store.

A file whose time and size are not those noted here was changed on this machine and is not in the store yet.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from s2s.files import UNREADABLE
from s2s.synced import STAND_IN

FOLDER = ".store"
LOG = ".jsonl"
DEEPEST = 3  # folders inside a thing
# What people change while a job works: changes of two machines are merged.
ABOUT = frozenset({"recipe.json", "about.json", "evaluation.json", "measurement.json"})


class Stamp(NamedTuple):
    """Changes whenever a file is written."""

    n_bytes: int
    modified: int  # nanoseconds since the epoch
    inode: int


class Entry(NamedTuple):
    """The version of a file that the store and this machine agree on; no stamp: this machine has another one."""

    version: str
    n_bytes: int  # in the store; a log may have grown here since
    stamp: Stamp | None


@dataclass
class Index:
    """One thing, as this machine last saw it in the database."""

    number: int = 0
    is_deleted: bool = False
    files: dict[str, Entry] = field(default_factory=dict)
    base: dict[str, str] = field(default_factory=dict)  # the text of the ABOUT files then


def path_of(home: Path, thing: str) -> Path:
    """The file with the index of a thing."""
    return home / FOLDER / "index" / f"{thing}.json"


def read(home: Path, thing: str) -> Index:
    """An empty one where there is none or it is damaged: every file is then compared."""
    try:
        content = json.loads(path_of(home, thing).read_bytes())
        files = {
            name: Entry(version, n_bytes, Stamp(*stamp) if stamp else None)
            for name, (version, n_bytes, stamp) in content["files"].items()
        }
        return Index(content["number"], content["is_deleted"], files, content["base"])
    except UNREADABLE:
        return Index()


def write(home: Path, thing: str, index: Index) -> None:
    """Replace the index; after a power failure it may be damaged, which costs a comparison."""
    path = path_of(home, thing)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    temporary.write_text(json.dumps(vars(index)), encoding="utf-8")
    os.replace(temporary, path)


def stamp(path: Path) -> Stamp | None:
    """The stamp of a file; None where there is none."""
    with suppress(OSError):
        found = path.stat()
        return Stamp(found.st_size, found.st_mtime_ns, found.st_ino)
    return None


def stamps(folder: Path) -> tuple[dict[str, Stamp], set[str]]:
    """The files of a thing by name, and the names of those that stand-ins are here for.

    What is in folders comes first: a log that is read after a checkpoint was seen has all lines up to it.
    """
    here = {}
    elsewhere = set()
    for path in _walk(folder, DEEPEST):
        name = "" if path == folder else path.relative_to(folder).as_posix()
        if name.endswith(STAND_IN):
            elsewhere.add(name.removesuffix(STAND_IN))
        elif found := stamp(path):
            here[name] = found
    return here, elsewhere - here.keys()


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    if folder.is_file():
        yield folder
    if not folder.is_dir():
        return
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        found = [entry for entry in entries if not entry.name.startswith(".")]
        for entry in found:
            if depth and entry.is_dir(follow_symlinks=False):
                yield from _walk(Path(entry.path), depth - 1)
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        found = [entry for entry in entries if not entry.name.startswith(".")]
        yield from (Path(entry.path) for entry in found if entry.is_file(follow_symlinks=False))


def digest(path: Path) -> str:
    """The SHA-256 of a file. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
