"""An evaluation from what was asked to its last number: queued here, done by a worker, gone on with where it was cut."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from s2s.config import UserError
from s2s.decode import configure
from s2s.jobs import queue
from s2s.jobs.evaluation import test_sets
from s2s.jobs.evaluation.loop import EvaluationLoop
from s2s.jobs.queue.context import JobContext
from s2s.jobs.queue.table import Job
from s2s.model import saved_steps, weights_path
from s2s.runs import (
    LONGEST_NAME,
    Evaluation,
    EvaluationFolder,
    RunFolder,
    Sentences,
    System,
    clean_name,
    evaluations,
    now,
)
from s2s.settings import OWNER, run_folder

KIND = "evaluate"
MOST_SYSTEMS = 24
# Of one sentence and one row (a beam or a sample), measured on one core; with the parameters it is right within a
# factor of three.
A_ROW = 2e-4
A_PARAMETER = 8e-10
# seconds
START = 3.0
EXPRESS = 20.0
SHARED = 5e6  # parameters from which on several threads decode faster than one


@dataclass(frozen=True)
class EvaluationRequest:
    """An evaluation as it was asked for.

    `pairs` are the sentences where they were brought, `outputs` what other systems made of them.
    """

    systems: tuple[System, ...]
    test: Sentences
    pairs: Sequence[tuple[str, str]] = ()
    outputs: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by the system's name
    name: str = ""
    owner: str = OWNER
    run: str = ""
    baseline: int = 0


def submit(asked: EvaluationRequest) -> str:
    """Queue an evaluation and return its id. Raises UserError for what can be known before any text is read."""
    check(asked)
    place = evaluations.new_folder()
    test = asked.test
    if asked.pairs:
        n_all = test.n_all or len(asked.pairs)
        test = replace(test, n=len(asked.pairs), n_all=n_all, hash=test_sets.hash_of(asked.pairs))
    named = (clean_name(asked.name) or test.name)[:LONGEST_NAME]
    what = Evaluation(
        place.id, named, asked.owner, now(), asked.run, test, asked.systems, asked.baseline
    )
    place.create(what, asked.pairs)
    for number, system in enumerate(asked.systems):
        if system.uploaded:
            place.add(
                number,
                ({"i": i, "text": text} for i, text in enumerate(asked.outputs[system.name])),
            )
    try:
        _queue(what)
    except UserError:
        evaluations.delete(place.id, asked.owner)
        raise
    return place.id


def resume(evaluation: str, owner: str = OWNER) -> None:
    """Queue one again that was stopped or cut; what it has done is kept.

    Raises UserError where it is being worked on.
    """
    what = evaluations.folder(evaluation).evaluation()
    if what.owner != owner:
        raise UserError(f"There is no evaluation `{evaluation}` of yours; make another.")
    if job := queue.latest(evaluation):
        queue.abandon(job.id)
    _queue(what)


def _queue(what: Evaluation) -> None:
    spec = {"name": what.name, "threads": max(map(_threads, what.systems))}
    queue.submit(
        KIND, what.owner, what.id, spec, express=forecast(what.systems, what.test.n) < EXPRESS
    )


def check(asked: EvaluationRequest) -> None:
    """Raises UserError for what contradicts itself, and names it."""
    systems = asked.systems
    if not 1 <= len(systems) <= MOST_SYSTEMS:
        raise UserError(
            f"{len(systems)} systems were given; an evaluation has 1 to {MOST_SYSTEMS}."
        )
    if not 1 <= asked.test.n <= test_sets.MAX_SENTENCES:
        raise UserError(
            f"{asked.test.n:,} sentences were asked for; an evaluation has 1 to {test_sets.MAX_SENTENCES:,}."
        )
    names = [system.name for system in systems]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UserError(f"Two systems are called `{twice[0]}`; give one of them another name.")
    if not asked.pairs and any(system.uploaded for system in systems):
        raise UserError("Another system's output needs the sentences that it belongs to.")
    for system in systems:
        if system.run:
            run_folder(system.run)
            configure(system.strategy, system.settings)


def forecast(systems: Sequence[System], n: int) -> float:
    """Seconds, within a factor of three."""
    each = [
        _width(system) * (A_ROW + A_PARAMETER * _parameters(system))
        for system in systems
        if system.run
    ]
    return START + n * sum(each)


def _threads(system: System) -> int:
    """As its run was trained with; a small model's products are too short to be shared."""
    return (
        RunFolder(run_folder(system.run)).recipe().train.threads or 1
        if system.run and _parameters(system) >= SHARED
        else 1
    )


def _width(system: System) -> int:
    return configure(system.strategy, system.settings)[1].width


def _parameters(system: System) -> float:
    """By the size of the file that holds them, 4 bytes each."""
    folder = RunFolder(run_folder(system.run))
    step = system.step or max(saved_steps(folder.checkpoints), default=0)
    path = weights_path(folder.checkpoints, step)
    return path.stat().st_size / 4 if path.exists() else 0.0


@dataclass(frozen=True)
class EvaluationProgress:
    """How an evaluation stands: its state in the queue's words, and a sentence where there is one."""

    state: str  # queued, running, done, stopped, failed, interrupted
    done: int
    n: int
    left: float | None = None  # seconds
    note: str = ""
    error: str = ""
    job: str = ""
    before: int = 0  # jobs that start first

    @property
    def is_live(self) -> bool:
        """Whether it changes by itself."""
        return self.state in ("queued", "running")


def progress(evaluation: str) -> EvaluationProgress:
    """What its folder says and what the queue says; of its folder alone while the queue is out of reach."""
    place = evaluations.folder(evaluation)
    status = place.status()
    test = place.evaluation().test
    done = int(status.get("done") or 0)
    n = int(status.get("n") or test.n)
    try:
        job = queue.latest(evaluation)
    except UserError:
        job = None
    if job is None:
        state = str(status.get("state", "interrupted"))
        return EvaluationProgress(
            "interrupted" if state in ("waiting", "running") else state, done, n
        )
    state = "interrupted" if job.state == "running" and not job.is_live() else job.state
    known = EvaluationProgress(state, done, n, note=job.note, error=job.error, job=job.id)
    if state == "queued":
        return replace(known, before=queue.position(job.id))
    return replace(known, left=_left(status) if state == "running" else None)


def _left(status: Mapping[str, Any]) -> float | None:
    """Seconds, less those that have gone by since it was written, which is but once a turn."""
    if status.get("left") is None:
        return None
    return max(0.0, float(status["left"]) - max(0.0, time.time() - float(status.get("at", 0.0))))


def stop(evaluation: str, owner: str = OWNER) -> None:
    """What is done is kept. Raises UserError where nobody works on it."""
    job = queue.latest(evaluation)
    if job is None or not job.is_live():
        raise UserError(
            f"The evaluation `{evaluation}` is neither waiting nor at work; there is nothing to stop."
        )
    queue.ask_to_stop(job.id, owner)


def delete(evaluation: str, owner: str = OWNER) -> None:
    """With its files and its jobs. Raises UserError while somebody works on it."""
    job = queue.latest(evaluation)
    if job and job.state == "queued":
        queue.ask_to_stop(job.id, owner)
        job = queue.find(job.id)
    if job and job.state == "running" and job.is_live():
        raise UserError(
            f"The evaluation `{evaluation}` is being worked on; stop it first, then delete it."
        )
    evaluations.delete(evaluation, owner)
    queue.delete_jobs(evaluation)


def work(job: Job, desk: JobContext) -> Generator[None, None, None]:
    """Translate and score, all systems sentence beside sentence, so that what is there at any time can be compared."""
    place = evaluations.folder(job.run)
    desk.tell("Reading the text.")
    yield
    pairs, train = _read(place)
    desk.tell("Opening the models.")
    yield
    bench = EvaluationLoop(place, pairs, train)
    desk.tell("")
    try:
        for is_turn in bench.turns():
            if is_turn:
                desk.progressed()
            yield
        bench.finish("done")
    except GeneratorExit:
        bench.finish("stopped")
        raise


def _read(place: EvaluationFolder) -> tuple[list[tuple[str, str]], test_sets.SentencePairs | None]:
    """The sentences, and the training pairs where they came along; brought or read before, they lie in the folder."""
    if pairs := place.test():
        return pairs, None
    test = place.evaluation().test
    found = test_sets.read(test)
    pairs = list(test_sets.evenly_spread(found.pairs, test.n))
    place.set_test(pairs)
    hash = test_sets.hash_of(pairs)
    notes = (*test.notes, *found.notes)
    place.amend(
        lambda asked: replace(
            asked, test=replace(test, n=len(pairs), n_all=len(found.pairs), hash=hash, notes=notes)
        )
    )
    return pairs, found.train
