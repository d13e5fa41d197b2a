"""What a job is given while it works: control requests come in, sentences about its progress go out."""

from __future__ import annotations

from typing import Protocol

from s2s.processes.queue import ControlRequests


class JobContext(Protocol):
    """A job's connection to its owner and to the queue."""

    @property
    def controls(self) -> ControlRequests:
        """The control requests of the job's owner, at most half a second old."""
        ...

    @property
    def is_handed_back(self) -> bool:
        """Whether the job ends because its worker does, so that the next worker begins it again."""
        ...

    def tell(self, sentence: str) -> None:
        """Say what the job does now."""
        ...

    def progressed(self) -> None:
        """Report that a checkpoint was saved, from which the next worker would resume."""
        ...
