"""Starts a process that reads data under limits: a module of this package, with an order on its standard input."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from s2s import settings
from s2s.config import UserError
from s2s.processes import environment


def start_reader(
    module: str,
    order: Mapping[str, Any],
    *,
    stdout: int = subprocess.DEVNULL,
    start_new_session: bool = False,
    from_hub: bool = False,
    variables: Mapping[str, str] = environment.NOTHING_MORE,
) -> subprocess.Popen[bytes]:
    """The process, which has its order; its errors go to log/reader.log. Raises UserError where it cannot start.

    `from_hub`: it may read from the Hub; `variables` are added to its environment.
    """
    try:
        log = settings.make_home() / "log"
        log.mkdir(exist_ok=True)
        with (log / "reader.log").open("ab") as errors:
            process = subprocess.Popen(
                # -P: nothing is imported from the folder of a visitor's files
                [sys.executable, "-P", "-m", module],
                stdin=subprocess.PIPE,
                stdout=stdout,
                stderr=errors,
                start_new_session=start_new_session,
                cwd=environment.ROOT,
                env=environment.for_reading(variables, from_hub=from_hub),
            )
    except OSError as error:
        raise UserError(
            f"The dataset cannot be read now ({error.strerror or error}); try again later."
        ) from error
    assert process.stdin is not None  # PIPE
    with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(json.dumps(order).encode())
    return process
