"""What a job can be: a row a kind. Imports nothing heavy before a job starts."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from types import MappingProxyType

from s2s.jobs.queue import Job

# Between two values the job may be stopped, by closing the generator; the callable takes a sentence on what it does now.
Work = Callable[[Job, Callable[[str], None]], Generator[object, None, None]]


@dataclass(frozen=True)
class Kind:
    """The work and one sentence."""

    work: Work
    summary: str


def _train(job: Job, tell: Callable[[str], None]) -> Generator[object, None, None]:
    from s2s.jobs import training

    return training.work(job, tell)


JOBS = MappingProxyType({"train": Kind(_train, "Train a model, or go on with one.")})
