"""Atomic writes: a reader sees the old file or the new one, never a part; old folders; cells of tables.

Standard library only.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from s2s.config import UserError, shortened
from s2s.files.as_json import to_json

TRASH = ".deleted-"  # before the id of a run that was deleted, as long as that can be undone
UNDO_SECONDS = 60.0
FORMULAS = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"  # with which a formula begins; the last ones are full-width
TEMPORARY = re.compile(r"\..+\.[0-9a-f]{8}")  # the name of what `write_bytes` has not finished
NUMBER = re.compile(r"[+-]?[\d,]*\.?\d+([eE][+-]?\d+)?\s?%?")


# What reading a JSON file raises where it is missing, cut off, too deep, or not what it should be.
UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)


class UnwrittenError(UserError):
    """A file cannot be written: the disk is full, or read-only."""


def require_free(path: Path) -> None:
    """Raises UserError if a folder cannot be written because something is in its place; an empty folder may be."""
    if path.is_symlink() or (path.exists() and (not path.is_dir() or any(path.iterdir()))):
        raise UserError(
            f"`{shortened(path)}` exists already; give a folder that does not exist, or is empty."
        )


@contextlib.contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """A temporary folder beside `out`, which gets its name at the end, and is gone after a failure.

    Raises UserError where `out` is taken (see `require_free`) or cannot be written.
    """
    require_free(out)
    temporary = out.with_name(f".{out.name}.{secrets.token_hex(4)}")
    try:
        temporary.mkdir(parents=True)
        yield temporary
        if out.is_dir():
            out.rmdir()
        temporary.rename(out)
    except OSError as error:
        raise UnwrittenError(
            f"`{shortened(out)}` cannot be written ({error.strerror or error}); choose another folder or free some"
            " space."
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def remove_older(folders: Iterable[Path], seconds: float, now: float) -> None:
    """Removes the folders that were changed more than `seconds` before `now`; another process may be at it, too."""
    for folder in folders:
        with contextlib.suppress(OSError):
            if now - folder.stat().st_mtime > seconds:
                shutil.rmtree(folder, ignore_errors=True)


def remove_temporaries(folder: Path, seconds: float, now: float) -> None:
    """Removes the files below a folder that were begun more than `seconds` before `now` and never finished: whoever
    wrote them was killed.
    """
    for place, _, names in os.walk(folder):
        for path in (Path(place) / name for name in names if TEMPORARY.fullmatch(name)):
            with contextlib.suppress(OSError):  # it was finished at the same moment
                if now - path.stat().st_mtime > seconds:
                    path.unlink()


def write_bytes(path: Path, content: bytes | memoryview) -> None:
    """Writes a temporary file, flushes it to disk, renames it. After a failure the old file is unchanged."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise UnwrittenError(
            f"`{path.name}` cannot be written ({error.strerror or error}); choose another folder or free some space."
            " The old file is unchanged."
        ) from error


def write_text(path: Path, text: str) -> None:
    """Writes UTF-8, with line ends as they are."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    """Writes what `to_json` makes of a value in UTF-8; half a character, which no text has, becomes `?`."""
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False, default=to_json) + "\n"
    write_bytes(path, text.encode(errors="replace"))


def append_line(path: Path, value: Any) -> None:
    """Appends one JSON value as a line, in one write."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=to_json) + "\n"
    line = text.encode(errors="replace")
    try:
        with path.open("ab") as file:
            file.write(line)
    except OSError as error:
        raise UnwrittenError(
            f"`{path.name}` cannot be written ({error.strerror or error}); free some space."
        ) from error


def size(path: Path) -> int:
    """The bytes of a file; 0 where there is none."""
    with contextlib.suppress(OSError):
        return path.stat().st_size
    return 0


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a log. Skips invalid lines, which a killed writer or a full disk may have truncated."""
    if not path.exists():
        return []
    complete = path.read_bytes().rpartition(b"\n")[0]
    values = (_parsed(line) for line in complete.split(b"\n"))
    return [value for value in values if isinstance(value, dict)]


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def csv_cell(value: Any) -> Any:
    """A value in a table to download: a spreadsheet reads `=...` as a formula unless an apostrophe makes it text."""
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace(
        "\r", "\n"
    )  # `csv` leaves \r unquoted: a row would end there
    is_formula = len(text) > 1 and text[0] in FORMULAS and not NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text


class csv_writer:  # noqa: N801 (as csv.writer)
    """Writes rows of a table to download: no cell is a formula."""

    def __init__(self, out: TextIO) -> None:
        self._rows = csv.writer(out, lineterminator="\n")

    def writerow(self, row: Iterable[Any]) -> None:
        self._rows.writerow(map(csv_cell, row))

    def writerows(self, rows: Iterable[Iterable[Any]]) -> None:
        for row in rows:
            self.writerow(row)
