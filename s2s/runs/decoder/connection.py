"""The pool's end of one decoder process: lines of JSON there and back."""

from __future__ import annotations

import contextlib
import io
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from s2s import settings
from s2s.processes import environment

COMMAND = (sys.executable, "-P", "-m", "s2s.runs.decoder.process")
CHUNK = 1 << 20  # bytes


class Connection:
    """A process of its own; its input is open only here, so that it ends with this process, however this one ends.

    Raises OSError where it cannot be started.
    """

    def __init__(self, command: tuple[str, ...] = COMMAND) -> None:
        log = settings.make_home() / "log"
        log.mkdir(exist_ok=True)
        with (log / "decoder.log").open("ab") as errors:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                env=environment.for_reading({"OMP_NUM_THREADS": "1"}),
            )
        assert self.process.stdin is not None  # PIPE
        assert isinstance(self.process.stdout, io.BufferedReader)
        self._orders = self.process.stdin.fileno()
        self._answers = self.process.stdout
        self._arrived: queue.SimpleQueue[bytes] = queue.SimpleQueue()  # empty at its end
        self._reader = threading.Thread(target=self._read, name="decoder answers", daemon=True)
        self._reader.start()
        self._heard = bytearray()
        self.is_alive = True

    def _read(self) -> None:
        """In a thread: not every system can wait for a pipe with a time limit."""
        while data := self._answers.read1(CHUNK):
            self._arrived.put(data)
        self._arrived.put(b"")

    def send(self, order: Mapping[str, Any]) -> None:
        """One line, far less than a pipe holds. A process that is gone is noticed with its answers."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._orders, json.dumps(order).encode() + b"\n")

    def answers(self, seconds: float) -> Iterator[dict[str, Any]]:
        """What arrives within these seconds, each with its size as `n_bytes`."""
        if not self.is_alive:
            return
        try:
            data = self._arrived.get(timeout=seconds)
        except queue.Empty:
            return
        if not data:
            self.close()
            return
        self._heard += data
        if b"\n" not in data:
            return
        *lines, rest = self._heard.split(b"\n")
        self._heard = rest
        for line in lines:
            answer = json.loads(line)
            if answer.get("is_last"):
                self.close()
            yield {**answer, "n_bytes": len(line)}

    def close(self) -> None:
        """Ends the process, in the middle of a search too."""
        if not self.is_alive:
            return
        self.is_alive = False
        self.process.kill()
        # Without waiting here.
        threading.Thread(target=self._reap, name="reap a decoder", daemon=True).start()

    def _reap(self) -> None:
        self.process.wait()
        self._reader.join()
        self._answers.close()
        if self.process.stdin:
            self.process.stdin.close()
