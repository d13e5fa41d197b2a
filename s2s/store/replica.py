"""One machine's copy of what is stored: its folder, its locks, and which things it may keep as stand-ins."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from s2s import storage
from s2s.store import index
from s2s.store.objects import Objects

SHARING = "sharing"  # a folder of files, each a thing: what its owner has shared
KINDS = (
    storage.RUN.folder,
    storage.DATASET.folder,
    storage.EVALUATION.folder,
    storage.MEASUREMENT.folder,
    SHARING,
)
INLINE = 64_000  # bytes; smaller files are in the database, so that following them asks no bucket
LOCKS = 64


@dataclass(frozen=True)
class HeldJob:
    """The job that this process works on."""

    id: str
    worker: str
    run: str  # or evaluation, or measurement


@dataclass(frozen=True)
class Replica:
    """`S2S_HOME` of one machine, and the store."""

    home: Path
    objects: Objects
    job: HeldJob | None = None

    def thing_of(self, path: Path) -> tuple[str, str] | None:
        """The thing that a path is part of, and the file's name in it ("" is all of it); None for other paths."""
        try:
            kind, id, *rest = path.relative_to(self.home).parts
        except ValueError:
            return None
        if kind not in KINDS or any(part.startswith(".") for part in (id, *rest)):
            return None
        return f"{kind}/{id}", "/".join(rest)

    def things_here(self) -> list[str]:
        """All things that this machine has a folder of."""
        found = []
        for kind in KINDS:
            with contextlib.suppress(FileNotFoundError):
                names = (path.name for path in (self.home / kind).iterdir())
                found += [f"{kind}/{name}" for name in names if not name.startswith(".")]
        return sorted(found)

    @contextlib.contextmanager
    def locked(self, thing: str) -> Iterator[None]:
        """One process of this machine at a time compares the thing with the database."""
        with FileLock(self._lock(f"thing-{zlib.crc32(thing.encode()) % LOCKS}")):
            yield

    def work_lock(self, run: str) -> FileLock:
        """Held while a process of this machine works on a job of that run; the system releases it when that dies."""
        return FileLock(self._lock(f"work-{run}"), timeout=0)

    def is_at_work(self, thing: str) -> bool:
        """Whether a job is at work on the thing on this machine: then its files here are newer than the store's."""
        run = thing.partition("/")[2]
        if self.job and self.job.run == run:
            return True
        path = self._lock(f"work-{run}")
        if not path.exists():
            return False
        with FileLock(self._lock("probe")):  # lest two that look take each other for a job
            try:
                with FileLock(path, timeout=0):
                    return False
            except Timeout:
                return True

    def turn_lock(self, turn: str) -> FileLock:
        """Held by the process that follows the others, or searches for changes, for this machine."""
        return FileLock(self._lock(turn), timeout=0)

    def bring_lock(self, path: Path) -> FileLock:
        """One process of this machine at a time downloads a file."""
        return FileLock(self._lock(f"bring-{zlib.crc32(str(path).encode()) % LOCKS}"))

    def _lock(self, name: str) -> Path:
        folder = self.home / index.FOLDER / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{name}.lock"


def is_lazy(thing: str, name: str, n_bytes: int) -> bool:
    """Whether a file is downloaded only when it is read: weights, and the texts of datasets."""
    is_text = thing.startswith(storage.DATASET.folder) and name.startswith(("train.", "valid."))
    return n_bytes > INLINE and (is_text or name.startswith("checkpoints/") or name.endswith(".gz"))
