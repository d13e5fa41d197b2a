"""Reading a dataset in the process of the test, where what a process of its own adds is not the point."""

import importlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from s2s.config import UserError
from s2s.data import reader
from s2s.data.repository import library_process
from s2s.processes.program import Program


class ProcessHere:
    """In place of `s2s.data.profile.Process`: at an order, everything is read."""

    def __init__(self, _: object) -> None:
        self.told: list[dict[str, Any]] = []
        self.error: Exception | None = None

    def order(self, content: Mapping[str, Any], **_: object) -> int:
        try:
            reader.carry_out(content, lambda **line: self.told.append(line))
        except UserError as error:
            self.error = error
        return 1

    def answers(
        self, _: int, __: float, told: Callable[[Mapping[str, Any]], None]
    ) -> Iterator[Any]:
        for line in self.told:
            told(line)
        if self.error:
            raise self.error
        yield from ()

    def close(self) -> None:
        """It has ended."""


def open_here(program: Program, order: Any, **_: object) -> Iterator[Any]:
    """In place of `s2s.data.opening.ask`."""
    module, _, name = program.work.partition(":")
    for answer in getattr(importlib.import_module(module), name)(order, None):
        yield json.loads(json.dumps(answer))


def answer_here(_: object, order: Mapping[str, Any], **__: object) -> Iterator[Any]:
    """In place of `s2s.data.repository.library.ask`."""
    for answer in library_process.answers(order):
        yield json.loads(json.dumps(answer))
