"""Every kind of job, one row each. Imports nothing heavy before a job starts."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from types import MappingProxyType

from s2s.jobs.context import JobContext
from s2s.processes.queue import Job

# The job may be stopped between two values, by closing the generator.
Work = Callable[[Job, JobContext], Generator[object, None, None]]


@dataclass(frozen=True)
class JobKind:
    """One kind of job: the function that does its work, and a sentence for people."""

    work: Work
    summary: str


def _train(job: Job, context: JobContext) -> Generator[object, None, None]:
    from s2s.jobs.training.loop import work

    return work(job, context)


def _evaluate(job: Job, context: JobContext) -> Generator[object, None, None]:
    from s2s.jobs.evaluation.service import work

    return work(job, context)


def _import(job: Job, context: JobContext) -> Generator[object, None, None]:
    from s2s.jobs.imports.service import work

    return work(job, context)


def _heads(job: Job, context: JobContext) -> Generator[object, None, None]:
    from s2s.jobs.heads.service import work

    return work(job, context)


JOBS = MappingProxyType(
    {
        "train": JobKind(_train, "Train a model, or continue to train one."),
        "evaluate": JobKind(
            _evaluate, "Translate a test set with several systems, and score them."
        ),
        "heads": JobKind(_heads, "Measure what heads do over many sentences."),
        "import": JobKind(_import, "Fetch a published model, and make a run of it."),
    }
)
