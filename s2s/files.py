"""Whole writes: a reader sees the old file or the new one, never half of either. Standard library only."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from pathlib import Path
from typing import Any

from s2s.config import UserError


class UnwrittenError(UserError):
    """The disk is full, or may not be written to."""


def write_bytes(path: Path, content: bytes | memoryview) -> None:
    """Write beside the target, flush to the disk, rename. On failure the old file stands and nothing else is left."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise UnwrittenError(
            f"`{path.name}` cannot be written ({error.strerror or error}); choose another folder or free some space."
            " What was there is untouched."
        ) from error


def write_text(path: Path, text: str) -> None:
    """As UTF-8, line ends as they are."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    """As UTF-8 JSON."""
    write_bytes(
        path, (json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()
    )


def append_line(path: Path, value: Any) -> None:
    """One JSON value on a line of its own, in one write."""
    line = (json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n").encode()
    try:
        with path.open("ab") as file:
            file.write(line)
    except OSError as error:
        raise UnwrittenError(
            f"`{path.name}` cannot be written ({error.strerror or error}); free some space."
        ) from error


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a log. A line that is none is left out: unfinished by a writer that was killed, or cut by a full disk."""
    if not path.exists():
        return []
    whole = path.read_bytes().rpartition(b"\n")[0]
    found = (_parsed(line) for line in whole.split(b"\n"))
    return [value for value in found if isinstance(value, dict)]


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
