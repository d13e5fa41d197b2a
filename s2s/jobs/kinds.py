"""What a job can be: a row a kind. Imports nothing heavy before a job starts."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from s2s.jobs.queue import Job, Wishes


class Desk(Protocol):
    """Where a job that works hears of people and is heard."""

    @property
    def wishes(self) -> Wishes:
        """What its owner wishes, at most half a second old."""
        ...

    def tell(self, sentence: str) -> None:
        """Say what it does now."""
        ...

    def progressed(self) -> None:
        """A checkpoint was saved: whoever takes the job up again goes on from there."""
        ...


# Between two values the job may be stopped, by closing the generator.
Work = Callable[[Job, Desk], Generator[object, None, None]]


@dataclass(frozen=True)
class Kind:
    """The work and one sentence."""

    work: Work
    summary: str


def _train(job: Job, desk: Desk) -> Generator[object, None, None]:
    from s2s.jobs import training

    return training.work(job, desk)


def _evaluate(job: Job, desk: Desk) -> Generator[object, None, None]:
    from s2s.jobs import evaluating

    return evaluating.work(job, desk)


JOBS = MappingProxyType(
    {
        "train": Kind(_train, "Train a model, or go on with one."),
        "evaluate": Kind(_evaluate, "Translate a test set by several systems, and score them."),
    }
)
