"""Starts every process of this program, and speaks with those that answer: one JSON object per line, there and back."""

from __future__ import annotations

import contextlib
import io
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from s2s import settings

CHUNK = 1 << 20  # bytes
MOST_AHEAD = 16  # chunks that have arrived and nobody has read: the process waits
MAX_LINE = 64_000_000  # bytes of one answer
GRACE = 1.0  # seconds in which a process that has closed its output ends by itself, so that its status is known


def log_path(name: str) -> Path:
    """The path `log/NAME.log` in this machine's `S2S_HOME`; NAME is a job's id for its output. Creates the folder."""
    folder = settings.make_home() / "log"
    folder.mkdir(exist_ok=True)
    return folder / f"{name}.log"


def launch(
    module: Sequence[str], log: str, env: Mapping[str, str], *, is_heard: bool = False
) -> subprocess.Popen[bytes]:
    """Start `python -m MODULE ...` in a session of its own, which appends what it prints to the log; without a log, its
    errors go where those of this process go.

    `is_heard`: its standard input and output are pipes. Raises OSError where it cannot be started.
    """
    with log_path(log).open("ab") if log else contextlib.nullcontext() as file:
        return subprocess.Popen(
            # -P: nothing is imported from the folder of a visitor's files
            [sys.executable, "-P", "-m", *module],
            stdin=subprocess.PIPE if is_heard else subprocess.DEVNULL,
            stdout=subprocess.PIPE if is_heard else file,
            stderr=file,
            start_new_session=True,
            env={**env, "S2S_HOME": str(settings.home().absolute())},  # wherever it goes
        )


class Channel:
    """This end of a process that was launched `is_heard`; it is told by its closed input when this end is gone."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        assert process.stdin is not None  # PIPE
        assert isinstance(process.stdout, io.BufferedReader)
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._arrived: queue.Queue[bytes] = queue.Queue(MOST_AHEAD)  # empty at its end
        self._reader = threading.Thread(target=self._read, name="answers", daemon=True)
        self._reader.start()
        self._heard = bytearray()
        self.is_alive = True

    def _read(self) -> None:
        """Read in a thread: not every system can wait for a pipe with a time limit."""
        with self._stdout:
            while data := self._stdout.read1(CHUNK):
                self._arrived.put(data)
        self._arrived.put(b"")

    def send(self, line: Mapping[str, Any]) -> bool:
        """Send a line; whether it was written. That a process is gone is noticed with its answers, too."""
        try:
            self._stdin.write(json.dumps(line).encode() + b"\n")
            self._stdin.flush()
        except (OSError, ValueError):  # closed at that end, or at this
            return False
        return True

    def lines(self, seconds: float) -> Iterator[dict[str, Any]]:
        """The lines that arrive within these seconds, each with its size as `n_bytes`."""
        if not self.is_alive:
            return
        try:
            seconds = max(0.0, min(seconds, threading.TIMEOUT_MAX))
            data = self._arrived.get(seconds > 0, seconds)
        except queue.Empty:
            return
        self._heard += data
        if not data:  # at its end
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(GRACE)
        if not data or (len(self._heard) > MAX_LINE + CHUNK and b"\n" not in self._heard):
            self.close()
            return
        if b"\n" not in data:
            return
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            try:
                answer = {**json.loads(line), "n_bytes": len(line)}
            except (ValueError, TypeError, RecursionError):  # what it opened has taken it over
                self.close()
                return
            yield answer

    def hang_up(self) -> None:
        """Sends no more: the process ends by itself."""
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()

    def close(self) -> None:
        """Ends the process, whatever it does."""
        if not self.is_alive:
            return
        self.is_alive = False
        self.process.kill()
        # Without waiting here.
        threading.Thread(target=self._reap, name="reap a process", daemon=True).start()

    def _reap(self) -> None:
        self.process.wait()
        while self._reader.is_alive():  # it may wait for somebody who reads
            with contextlib.suppress(queue.Empty):
                self._arrived.get(timeout=0.01)
        with contextlib.suppress(queue.Full):  # its end, for another thread that waits for it
            self._arrived.put_nowait(b"")
        self.hang_up()
