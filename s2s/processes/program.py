"""Work in a process of its own, as the process that asks sees it. One JSON object per line, orders there and answers
back.

The process (`s2s.processes.child`) has only the environment that it needs, and ends with this one, however this one
ends. Every way to open what a visitor brings, and to compute beside the dashboard, is one of these.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from s2s.config import UserError
from s2s.processes import environment
from s2s.processes.channel import MAX_LINE, Channel, launch


@dataclass(frozen=True)
class Program:
    """What a process runs: `work` (`module:function`) takes an order and `child.Here`, and yields the answers."""

    work: str
    # the file in the log folder, without `.log`, for what it prints; "": somebody at a terminal reads its errors
    log: str
    niceness: int = 0  # it comes after this process
    from_hub: bool = False  # it may read from the Hub
    variables: Mapping[str, str] = field(default_factory=dict)  # more of its environment
    max_line: int = MAX_LINE  # bytes of one answer


class TooLargeError(Exception):
    """The work needed more memory than its order allowed, or its answer is too long."""


class EndedError(Exception):
    """The process ended before it had answered; `code` is its exit status, negative for a signal."""

    def __init__(self, code: int) -> None:
        super().__init__(f"exit status {code}")
        self.code = code


class Process(Channel):
    """One process of a program, for one order after the other. Raises OSError where it cannot be started."""

    def __init__(self, program: Program) -> None:
        env = environment.for_reading(program.variables, from_hub=program.from_hub)
        module = ("s2s.processes.child", program.work)
        super().__init__(launch(module, program.log, env, is_heard=True))
        self._numbers = itertools.count(1)
        about = {"log": program.log, "niceness": program.niceness, "max_line": program.max_line}
        self.send(about)

    def order(
        self,
        content: Any,
        *,
        seconds: float | None = None,
        memory: int | None = None,
        more_memory: int | None = None,
    ) -> int:
        """Send an order; returns its number. After `seconds` the process ends itself; `memory` is in bytes of the whole
        process, `more_memory` beyond those that it had when it was ready.
        """
        number = next(self._numbers)
        limits = {"seconds": seconds, "memory": memory, "more_memory": more_memory}
        self.send({"id": number, "order": content, **limits})
        return number

    def stop(self, number: int) -> None:
        """Stop all orders up to this one; the answer to each is an error, unless it came before."""
        self.send({"stop": number})

    def answers(
        self,
        number: int,
        seconds: float = math.inf,
        told: Callable[[Mapping[str, Any]], None] = lambda line: None,
    ) -> Iterator[Any]:
        """The answers to an order, within these seconds in all; those to others are dropped. `told` gets reports of
        progress.

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


def ask(
    program: Program,
    content: Any,
    *,
    seconds: float = math.inf,
    memory: int | None = None,
    more_memory: int | None = None,
) -> Generator[Any]:
    """The answers of a process for one order. Raises as `Process` and `answers` do."""
    with contextlib.closing(Process(program)) as process:
        number = process.order(content, memory=memory, more_memory=more_memory)
        yield from process.answers(number, seconds)
