"""Files that several machines share: who hears of their changes, and who brings those that are not here.

Where nothing is shared nobody is registered, and these functions do nothing.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from s2s.config import UserError

STAND_IN = ".stored"  # after the name of a file that only the object store has now


class AwayError(UserError):
    """A file is in the object store, which cannot be reached now."""


class Keeper(Protocol):
    """Keeps this machine's files equal to those of the others."""

    def changed(self, path: Path) -> None:
        """A file or a folder was written, or got its name back."""

    def removed(self, path: Path) -> None:
        """A file or a folder was deleted, or hidden for the minute in which that can be undone."""

    def used(self, path: Path) -> None:
        """A file is read now."""

    def bring(self, path: Path) -> None:
        """Download a file. Raises AwayError where that is impossible now, another UserError where it is lost."""

    def settle(self) -> None:
        """Return when the others can see all changes of this process. Raises UserError where they cannot."""


_keeper: list[Keeper] = []  # at most one


def register(keeper: Keeper | None) -> None:
    """From now on that one is told and asked; None ends it."""
    _keeper[:] = [keeper] if keeper else []


def changed(path: Path) -> None:
    """A file or a folder was written."""
    for keeper in _keeper:
        keeper.changed(path)


def removed(path: Path) -> None:
    """A file or a folder was deleted or hidden."""
    for keeper in _keeper:
        keeper.removed(path)


def settle() -> None:
    """Before others are asked to work with what was written here: they must be able to see it.

    Raises UserError where they cannot.
    """
    for keeper in _keeper:
        keeper.settle()


def require(path: Path) -> None:
    """Before a file, or any file of a folder, is read: brings what is not here.

    Raises AwayError where that is impossible now, another UserError where it is lost.
    """
    for keeper in _keeper:
        for file in _files(path):
            if not file.exists() and stand_in(file).exists():
                keeper.bring(file)
            else:
                keeper.used(file)


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        found = {file.with_name(file.name.removesuffix(STAND_IN)) for file in path.rglob("*")}
        yield from sorted(file for file in found if not file.is_dir())
    else:
        yield path


def stand_in(path: Path) -> Path:
    """What lies in the folder for a file that is not here: an empty file of the same size, which needs no disk."""
    return path.with_name(path.name + STAND_IN)


def size(path: Path) -> int:
    """The bytes of a file, here or not; 0 where there is none."""
    for found in (path, stand_in(path)):
        with contextlib.suppress(OSError):
            return found.stat().st_size
    return 0


def delete(path: Path) -> None:
    """Delete a file, here or not; nothing where there is none."""
    path.unlink(missing_ok=True)
    if _keeper:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(stand_in(path))
        changed(path)
