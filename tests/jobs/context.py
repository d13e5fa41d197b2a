"""A JobContext whose control requests a test changes: they arrive at once, not after half a second."""

from dataclasses import dataclass, field, replace
from typing import Any

from s2s.processes.queue.table import ControlRequests


@dataclass
class FakeContext:
    said: list[str] = field(default_factory=list)
    controls: ControlRequests = field(default_factory=ControlRequests)
    saved: int = 0
    is_handed_back: bool = False

    def tell(self, note: str) -> None:
        self.said.append(note)

    def progressed(self) -> None:
        self.saved += 1

    def request(self, **changes: Any) -> None:
        self.controls = replace(self.controls, **changes)
