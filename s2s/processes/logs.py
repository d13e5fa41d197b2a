"""What a hosted server writes to its log: one JSON object per line, without anything that a visitor wrote.

Messages of all loggers, those of libraries too, are left out: they may quote a visitor. What remains says where in the
program something happened, and of an exception its type and its frames.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import traceback
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from s2s.config import asker

LOGGER = logging.getLogger("s2s")
OTHER = "log"  # an event that is not ours
# Where programs are installed: frames name files below these.
ROOTS = (str(Path(__file__).parents[2]), sys.prefix, sys.base_prefix)
MOST_FRAMES = 60
MOST_CAUSES = 5


def write(event: str, level: int = logging.INFO, **fields: str | int | float) -> None:
    """Log an event of our own; its fields must hold nothing that a visitor wrote."""
    LOGGER.log(level, event, extra={"fields": fields}, stacklevel=2)


def write_error(event: str, error: BaseException, **fields: str | int | float) -> None:
    """Log an event of our own with an exception: its types and frames, not its message."""
    LOGGER.error(event, extra={"fields": fields}, exc_info=error, stacklevel=2)


def set_up() -> None:
    """On a hosted server, make every later log message of this process a line of JSON on standard error."""
    if not asker.is_hosted():
        return
    # Libraries add handlers of their own, some of them later: all formatters are passed by.
    logging.Handler.format = _format  # type: ignore[method-assign,assignment]
    logging.raiseExceptions = False
    for name in ("print_exc", "print_exception", "print_last"):  # libraries write with these
        setattr(traceback, name, _log_printed)
    logging.captureWarnings(True)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    LOGGER.setLevel(logging.INFO)
    sys.excepthook = _log_uncaught
    threading.excepthook = lambda given: _log_uncaught(
        given.exc_type, given.exc_value, given.exc_traceback
    )
    sys.unraisablehook = lambda given: _log_uncaught(
        given.exc_type, given.exc_value, given.exc_traceback
    )


def _log_uncaught(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> None:
    if not issubclass(kind, (KeyboardInterrupt, SystemExit)):
        LOGGER.error(
            "uncaught_exception",
            extra={"fields": {}},
            exc_info=(kind, error or kind(), trace),
        )


def _log_printed(*_: object, **__: object) -> None:
    LOGGER.error("printed_exception", extra={"fields": {}}, exc_info=True)


def _format(handler: logging.Handler, record: logging.LogRecord) -> str:
    return line(record)


def line(record: logging.LogRecord) -> str:
    """A record as a line of JSON, without its message."""
    fields = getattr(record, "fields", None)
    is_ours = record.name == LOGGER.name and isinstance(fields, dict)
    content: dict[str, Any] = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "event": record.msg if is_ours else OTHER,
        "where": f"{record.name}.{record.module}:{record.lineno}"
        if is_ours
        else f"{record.name}:{record.lineno}",
    }
    if isinstance(fields, dict) and is_ours:
        content |= fields
    if record.exc_info and record.exc_info[1]:
        content |= described(record.exc_info[1])
    return json.dumps(content, ensure_ascii=True, default=lambda value: type(value).__name__)


def described(error: BaseException) -> dict[str, list[str]]:
    """The types of an exception and of those that caused it, and the frames of the exception itself."""
    kinds: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(kinds) < MOST_CAUSES:
        kinds.append(type(cause).__name__)
        cause = cause.__cause__ or cause.__context__
    return {"exception": kinds, "frames": frames(error)}


def frames(error: BaseException) -> list[str]:
    """Where an exception came from, outermost first: `s2s/ui/shell/frame.py:42 <module>`."""
    found = [
        f"{_short(frame.f_code.co_filename)}:{number} {frame.f_code.co_name}"
        for frame, number in traceback.walk_tb(error.__traceback__)
    ]
    return found[-MOST_FRAMES:]


def _short(path: str) -> str:
    for root in ROOTS:
        if path.startswith(root):
            return path[len(root) :].lstrip("/").rpartition("site-packages/")[2]
    return path
