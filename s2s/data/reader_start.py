"""Starts a process that reads data under limits: a module of this package, with an order on its standard input."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from s2s import settings
from s2s.config import UserError

NOTHING_MORE: Mapping[str, str] = MappingProxyType({})


def start_reader(
    module: str,
    order: Mapping[str, Any],
    *,
    stdout: int = subprocess.DEVNULL,
    start_new_session: bool = False,
    environment: Mapping[str, str] = NOTHING_MORE,
) -> subprocess.Popen[bytes]:
    """The process, which has its order; its errors go to log/reader.log. Raises UserError where it cannot start."""
    root = str(Path(settings.__file__).parents[1])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
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
                cwd=root,
                env={**os.environ, "PYTHONPATH": path, **environment},
            )
    except OSError as error:
        raise UserError(
            f"The dataset cannot be read now ({error.strerror or error}); try again later."
        ) from error
    assert process.stdin is not None  # PIPE
    with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(json.dumps(order).encode())
    return process
