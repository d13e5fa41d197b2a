"""A desk whose wishes a test changes: they come at once, not after half a second."""

from dataclasses import dataclass, field, replace
from typing import Any

from s2s.jobs.queue import Wishes


@dataclass
class Desk:
    """As a job sees it."""

    said: list[str] = field(default_factory=list)
    wishes: Wishes = field(default_factory=Wishes)
    saved: int = 0

    def tell(self, note: str) -> None:
        self.said.append(note)

    def progressed(self) -> None:
        self.saved += 1

    def wish(self, **changes: Any) -> None:
        self.wishes = replace(self.wishes, **changes)
