"""The pool's end of one decoder process: lines of JSON there and back."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from s2s import settings

COMMAND = (sys.executable, "-P", "-m", "s2s.runs.decoder.process")
CHUNK = 1 << 20  # bytes


class Connection:
    """A process of its own; its input is open only here, so that it ends with this process, however this one ends.

    Raises OSError where it cannot be started.
    """

    def __init__(self, command: tuple[str, ...] = COMMAND) -> None:
        log = settings.home() / "log"
        log.mkdir(parents=True, exist_ok=True)
        root = str(Path(settings.__file__).parents[1])
        path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        with (log / "decoder.log").open("ab") as errors:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
            )
        assert self.process.stdin is not None  # PIPE
        assert self.process.stdout is not None
        self._orders = self.process.stdin.fileno()
        self._answers = self.process.stdout.fileno()
        self._heard = bytearray()
        self.is_alive = True

    def send(self, order: Mapping[str, Any]) -> None:
        """One line, far less than a pipe holds. A process that is gone is noticed with its answers."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._orders, json.dumps(order).encode() + b"\n")

    def answers(self, seconds: float) -> Iterator[dict[str, Any]]:
        """What arrives within these seconds, each with its size as `n_bytes`."""
        if not self.is_alive or not select.select([self._answers], [], [], seconds)[0]:
            return
        if not (data := os.read(self._answers, CHUNK)):
            self.close()
            return
        self._heard += data
        if b"\n" not in data:
            return
        *lines, rest = self._heard.split(b"\n")
        self._heard = rest
        for line in lines:
            yield {**json.loads(line), "n_bytes": len(line)}

    def close(self) -> None:
        """Ends the process, in the middle of a search too."""
        if not self.is_alive:
            return
        self.is_alive = False
        self.process.kill()
        # Reaps it without waiting here.
        threading.Thread(
            target=self.process.communicate, name="reap a decoder", daemon=True
        ).start()
