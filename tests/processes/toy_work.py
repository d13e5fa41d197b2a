"""Work for tests/processes/test_program.py, in a process of its own."""

import os
import time
from collections.abc import Iterator
from typing import Any

from s2s.config import UserError
from s2s.processes.child import Here


def work(order: Any, here: Here) -> Iterator[Any]:
    """What its name says."""
    name, given = order
    print("what a library prints", flush=True)
    if name == "refuse":
        raise UserError(given)
    if name == "break":
        raise RuntimeError(given)
    if name == "grow":
        yield len(bytearray(int(given)))
    if name == "forge":
        here.answers.flush()
        os.write(here.answers._file.fileno(), given.encode() + b"\n")
        time.sleep(60)
    if name == "die":
        os._exit(int(given))
    if name == "rows":
        for number in range(int(given)):
            yield "x" * 1000 + str(number)
    if name == "go on":
        for done in range(10**9):
            here.tell(done=done)
            time.sleep(0.01)
    yield given
