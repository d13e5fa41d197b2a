"""`python -m s2s.processes.child MODULE:FUNCTION`: the process that a `Program` runs in, and what its work may use."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from s2s import settings
from s2s.config import UserError
from s2s.processes import bounds
from s2s.processes.program import TooLargeError

REPORT = 0.25  # seconds between two lines about progress
TOO_LARGE = MappingProxyType({"too_large": True})
Work = Callable[[Any, "Here"], Iterator[Any]]


class StoppedError(Exception):
    """Nobody waits for the answer any more."""


class Orders:
    """What has arrived on standard input: orders to carry out one after the other, and which ones to stop."""

    def __init__(self) -> None:
        self.about: dict[str, Any] = json.loads(sys.stdin.buffer.readline() or b"{}")
        self.waiting: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.stopped = 0  # all up to this number
        threading.Thread(target=self._read, name="orders", daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin.buffer:
            order = json.loads(line)
            if "stop" in order:
                self.stopped = int(order["stop"])
            else:
                self.waiting.put(order)
        os._exit(0)


class Answers:
    """Writes the answers as lines to the former standard output; whatever else is printed joins the errors."""

    def __init__(self) -> None:
        self.max_line = 0  # bytes; until `main` knows
        self._file = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)

    def write(self, **answer: Any) -> None:
        """Write an answer as one line. Where nobody reads it, the closed input says so too."""
        content = json.dumps(answer).encode()
        if len(content) > self.max_line:
            raise TooLargeError
        self._file.write(content + b"\n")

    def flush(self) -> None:
        """Sends what was written."""
        self._file.flush()


class Here:
    """What work on an order reports its progress to, and asks whether anybody still waits."""

    def __init__(self, number: int, orders: Orders, answers: Answers) -> None:
        self.number = number
        self._orders = orders
        self.answers = answers
        self._next_report = time.monotonic() + REPORT

    def check(self) -> None:
        """Raises StoppedError where nobody waits any more."""
        if self._orders.stopped >= self.number:
            raise StoppedError

    def tell(self, *, at_once: bool = False, **progress: Any) -> None:
        """Report progress, as JSON, a few times per second at most."""
        self.check()
        if at_once or time.monotonic() >= self._next_report:
            self.answers.write(id=self.number, **progress)
            self.answers.flush()
            self._next_report = time.monotonic() + REPORT


def main(name: str) -> None:
    """Serves until the input closes."""
    answers = Answers()
    orders = Orders()
    answers.max_line = int(orders.about["max_line"])
    niceness, log = int(orders.about["niceness"]), str(orders.about["log"])
    module, _, function = name.partition(":")
    work: Work = getattr(importlib.import_module(module), function)
    if niceness:  # from here on: somebody waits for the start
        bounds.nice(niceness)
        settings.lower_priority(niceness)
    n_bytes = bounds.memory()
    answers.write(ready=os.getpid())
    answers.flush()
    while True:
        order = orders.waiting.get()
        here = Here(int(order["id"]), orders, answers)
        if order["seconds"]:
            bounds.end_after(order["seconds"])
        memory = order["memory"]
        if order["more_memory"]:
            memory = n_bytes + order["more_memory"]
        answers.write(id=here.number, **_carry_out(work, order["order"], here, memory, log))
        answers.flush()


def _carry_out(
    work: Work, content: Any, here: Here, memory: int | None, log: str
) -> Mapping[str, Any]:
    def exceeded() -> None:
        here.answers.write(id=here.number, **TOO_LARGE, is_last=True)
        here.answers.flush()

    limits = bounds.limited_memory(memory, exceeded) if memory else contextlib.nullcontext()
    try:
        with limits:
            for answer in work(content, here):
                here.answers.write(id=here.number, answer=answer)
    except StoppedError:
        return {"error": "Stopped."}
    except UserError as error:
        return {"error": str(error)}
    except Exception as error:
        if bounds.is_out_of_memory(error) or isinstance(error, TooLargeError):
            return TOO_LARGE
        if not log:
            raise
        # Log where, not what: an exception's message may quote a visitor's text.
        frames = traceback.format_tb(error.__traceback__)
        with contextlib.suppress(OSError):  # a full disk: the process goes on
            print(type(error).__name__, *frames, sep="\n", file=sys.stderr, flush=True)
        return {"error": settings.internal_error(error, f"{log}.log")}
    return {"over": True}


if __name__ == "__main__":
    # as the module that work may import, so that `StoppedError` is one class
    importlib.import_module("s2s.processes.child").main(sys.argv[1])
