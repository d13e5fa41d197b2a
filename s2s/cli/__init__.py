"""The command line: a thin layer over the functions that the pages call too."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
import traceback
from collections.abc import Callable, Sequence

from s2s.cli.parser import make_parser
from s2s.cli.progress import silence
from s2s.config import UserError, asker

CRASH = 1
USER_ERROR = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status.

    0 after success, 2 after a user's mistake, 1 after a mistake of ours, both with one sentence on stderr. With
    S2S_DEBUG=1 a mistake of ours also shows its traceback.
    """
    arguments = make_parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # input is UTF-8 too, whatever the locale; a file's name need not be
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    status = _run(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        silence()  # or Python would try again at its end, and exit with 120
        status = status or _report_os_error(error)
    return status


def _run(arguments: argparse.Namespace) -> int:
    command: Callable[[argparse.Namespace], None] = arguments.command
    try:
        # whoever has a shell on a hosted server is its operator
        with asker.acting_as(asker.LOCAL):
            command(arguments)
    except UserError as error:
        print(error, file=sys.stderr)
        return USER_ERROR
    except OSError as error:
        return _report_os_error(error)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return USER_ERROR
    except Exception as error:
        _report_crash(error)
        return CRASH
    return 0


def _report_os_error(error: OSError) -> int:
    if isinstance(error, BrokenPipeError):  # the reader of our output, such as `head`, has finished
        silence()
        return 0
    if error.errno == errno.ENOSPC:
        print(
            "The disk is full; free some space, or write to another disk.",
            file=sys.stderr,
        )
        return USER_ERROR
    if error.errno == errno.ENAMETOOLONG:
        print(
            "A name of a file or folder is longer than the file system takes; give a shorter one.",
            file=sys.stderr,
        )
        return USER_ERROR
    if why := _why_home_is_unwritable():
        print(why, file=sys.stderr)
        return USER_ERROR
    _report_crash(error)
    return CRASH


def _why_home_is_unwritable() -> str:
    from s2s.settings import home, make_home

    try:
        make_home()
    except OSError as error:
        return f"`S2S_HOME` {home()} cannot be made ({error.strerror}); set it to a folder that can be written."
    if not os.access(home(), os.W_OK):
        return f"`S2S_HOME` {home()} cannot be written; set it to a folder that can."
    return ""


def _report_crash(error: Exception) -> None:
    from s2s.settings import home

    if os.environ.get("S2S_DEBUG") == "1":
        traceback.print_exception(error)
    sentence = f"An internal error occurred ({type(error).__name__})"
    log = home() / "log" / "cli.log"
    # Log where, not what: an exception's message may quote a visitor's text.
    frames = "".join(traceback.format_tb(error.__traceback__))
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{type(error).__name__}\n{frames}\n")
    except OSError as failure:
        print(f"{sentence}; {log} cannot be written ({failure.strerror}).", file=sys.stderr)
    else:
        print(f"{sentence}; the details are in {log}.", file=sys.stderr)
