"""Work in a process of its own: this end. One JSON object per line, orders there and answers back.

The process (`s2s.processes.child`) has only the environment that it needs, and ends with this one, however this one
ends. Every way to open what a visitor brings, and to compute beside the dashboard, is one of these.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from s2s import settings
from s2s.config import UserError
from s2s.processes import environment

CHUNK = 1 << 20  # bytes
MOST_AHEAD = 16  # chunks that have arrived and nobody has read: the process waits
MAX_LINE = 64_000_000  # bytes of one answer, unless a program says otherwise
FOREVER = 1e9  # seconds
GRACE = 1.0  # seconds in which a process that has closed its output ends by itself, so that its status is known


@dataclass(frozen=True)
class Program:
    """`work` is a `module:function`, called with an order and `child.Here`; what it yields are the answers."""

    work: str
    log: str  # the file in the log folder, without `.log`, for what it prints
    niceness: int = 0  # it comes after this process
    from_hub: bool = False  # it may read from the Hub
    variables: Mapping[str, str] = field(default_factory=dict)  # more of its environment
    max_line: int = MAX_LINE


class TooLargeError(Exception):
    """The work needed more memory than its order allowed, or its answer is too long."""


class EndedError(Exception):
    """The process ended before it had answered; `code` is its exit status, negative for a signal."""

    def __init__(self, code: int) -> None:
        super().__init__(f"exit status {code}")
        self.code = code


class Process:
    """One process of a program, for one order after the other. Raises OSError where it cannot be started."""

    def __init__(self, program: Program, command: tuple[str, ...] = ()) -> None:
        self.program = program
        log = settings.make_home() / "log"
        log.mkdir(exist_ok=True)
        with (log / f"{program.log}.log").open("ab") as errors:
            self.process = subprocess.Popen(
                # -P: nothing is imported from the folder of a visitor's files
                command or (sys.executable, "-P", "-m", "s2s.processes.child", program.work),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                cwd=environment.ROOT,
                env=environment.for_reading(program.variables, from_hub=program.from_hub),
            )
        assert self.process.stdin is not None  # PIPE
        assert isinstance(self.process.stdout, io.BufferedReader)
        self._stdin = self.process.stdin
        self._stdout = self.process.stdout
        self._arrived: queue.Queue[bytes] = queue.Queue(MOST_AHEAD)  # empty at its end
        self._reader = threading.Thread(target=self._read, name="answers", daemon=True)
        self._reader.start()
        self._heard = bytearray()
        self._numbers = itertools.count(1)
        self.is_alive = True
        about = {"log": program.log, "niceness": program.niceness, "max_line": program.max_line}
        self.send(about)

    def _read(self) -> None:
        """In a thread: not every system can wait for a pipe with a time limit."""
        while data := self._stdout.read1(CHUNK):
            self._arrived.put(data)
        self._arrived.put(b"")

    def send(self, line: Mapping[str, Any]) -> None:
        """A process that is gone is noticed with its answers."""
        with contextlib.suppress(BrokenPipeError, ValueError):  # closed at that end, or at this
            self._stdin.write(json.dumps(line).encode() + b"\n")
            self._stdin.flush()

    def order(
        self,
        content: Any,
        *,
        seconds: float | None = None,
        memory: int | None = None,
        more_memory: int | None = None,
    ) -> int:
        """Its number. After `seconds` the process ends itself; `memory` is in bytes of the whole process, `more_memory`
        beyond those that it had when it was ready.
        """
        number = next(self._numbers)
        limits = {"seconds": seconds, "memory": memory, "more_memory": more_memory}
        self.send({"id": number, "order": content, **limits})
        return number

    def stop(self, number: int) -> None:
        """All orders up to this one; the answer to each is an error, unless it came before."""
        self.send({"stop": number})

    def lines(self, seconds: float) -> Iterator[dict[str, Any]]:
        """What arrives within these seconds, each with its size as `n_bytes`."""
        if not self.is_alive:
            return
        try:
            data = (
                self._arrived.get(timeout=max(0.0, seconds))
                if seconds > 0
                else self._arrived.get_nowait()
            )
        except queue.Empty:
            return
        self._heard += data
        if not data or (
            len(self._heard) > self.program.max_line + CHUNK and b"\n" not in self._heard
        ):
            self.close()
            return
        if b"\n" not in data:
            return
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            answer = json.loads(line)
            if answer.get("is_last"):
                self.close()
            yield {**answer, "n_bytes": len(line)}

    def answers(
        self,
        number: int,
        seconds: float = FOREVER,
        told: Callable[[Mapping[str, Any]], None] = lambda line: None,
    ) -> Iterator[Any]:
        """Those to an order, within these seconds in all; `told` gets what it says of its progress.

        Raises UserError as the work did, TooLargeError, EndedError where the process ended, and TimeoutError.
        """
        until = time.monotonic() + seconds
        while True:
            for line in self.lines(until - time.monotonic()):
                if line.get("id") != number:
                    continue
                if "too_large" in line:
                    raise TooLargeError
                if "error" in line:
                    raise UserError(line["error"])
                if "answer" in line:
                    yield line["answer"]
                elif "over" in line:
                    return
                else:
                    told(line)
            if not self.is_alive:
                raise EndedError(self.process.wait())
            if time.monotonic() > until:
                raise TimeoutError

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
        self._stdout.close()
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()


def ask(
    program: Program, content: Any, *, seconds: float = FOREVER, memory: int | None = None
) -> Generator[Any]:
    """The answers of a process for one order. Raises as `Process` and `answers` do."""
    with contextlib.closing(Process(program)) as process:
        yield from process.answers(process.order(content, memory=memory), seconds)
