"""Reading a dataset for a profile in the process of the test, where what a process of its own adds is not the point."""

from collections.abc import Mapping
from typing import Any

from s2s.data import reader


class Ended:
    """A process that has done its work."""

    def poll(self) -> int:
        return 0


def read_here(order: Mapping[str, Any]) -> Ended:
    """In place of `s2s.data.profile._spawn`."""
    reader.carry_out(order)
    return Ended()
