"""An evaluation from its request to its last score: queued here, done by a worker, resumed where it stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from s2s import files
from s2s.config import UserError, asker, shortened
from s2s.decode import configure
from s2s.files import stored
from s2s.jobs.context import JobContext
from s2s.jobs.evaluation import test_sets
from s2s.jobs.evaluation.loop import FINISH, EvaluationLoop
from s2s.library import Library
from s2s.library.own import delete_evaluation
from s2s.model import saved_steps, weights_path
from s2s.processes import queue
from s2s.processes.queue import Job
from s2s.runs import (
    LONGEST_NAME,
    Evaluation,
    EvaluationFolder,
    Sentences,
    System,
    clean_name,
    evaluations,
)
from s2s.scores import (
    AUTO,
    DEFAULT_TOKENIZER,
    Scoring,
    is_here,
    missing_packages,
    require_tokenizer,
)

KIND = "evaluate"
MOST_SYSTEMS = 24
# Seconds per sentence and row (a beam or a sample), measured on one core; accurate within a factor of three.
SECONDS_PER_ROW = 2e-4
SECONDS_PER_PARAMETER = 8e-10
START = 3.0  # seconds before the first sentence
EXPRESS = 20.0  # seconds; a shorter evaluation need not wait for a long job
SHARED = 5e6  # parameters from which several threads decode faster than one


@dataclass(frozen=True)
class EvaluationRequest:
    """An evaluation as somebody requests it.

    `pairs` are the sentences where they were uploaded, `outputs` other systems' translations of them.
    """

    systems: tuple[System, ...]
    test: Sentences
    pairs: Sequence[tuple[str, str]] = ()
    outputs: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by the system's name
    name: str = ""
    owner: str = field(default_factory=asker.current)
    run: str = ""
    baseline: int = 0
    references: Sequence[
        Sequence[str]
    ] = ()  # all of each pair, where they were uploaded and any has several
    scoring: Scoring = field(default_factory=Scoring)


def submit(request: EvaluationRequest) -> str:
    """Queue an evaluation and return its id. Raises UserError for what can be known before any dataset is read."""
    folder = store(request)
    try:
        _queue(folder.evaluation())
    except UserError:
        delete_evaluation(folder.id, request.owner)
        raise
    return folder.id


def store(request: EvaluationRequest) -> EvaluationFolder:
    """Write the folder of an evaluation that nobody works on yet. Raises UserError as `submit` does."""
    check(request)
    stored.require_room(request.owner)
    folder = evaluations.new_folder()
    test = request.test
    if request.pairs:
        n_all = test.n_all or len(request.pairs)
        test = replace(
            test,
            n=len(request.pairs),
            n_all=n_all,
            hash=_hash(request.pairs, request.references),
        )
    named = (clean_name(request.name) or test.name)[:LONGEST_NAME]
    what = Evaluation(
        folder.id,
        named,
        request.owner,
        stored.now(),
        request.run,
        test,
        request.systems,
        request.baseline,
        request.scoring,
    )
    folder.create(what, request.pairs, request.references)
    for number, system in enumerate(request.systems):
        if system.uploaded:
            folder.add(
                number,
                ({"i": i, "text": text} for i, text in enumerate(request.outputs[system.name])),
            )
    return folder


def _hash(pairs: Sequence[tuple[str, str]], references: Sequence[Sequence[str]]) -> str:
    more = [list(each[1:]) for each in references]
    return test_sets.hash_of([*pairs, *([more] if any(more) else [])])


def resume(evaluation: str, owner: str = asker.LOCAL) -> None:
    """Queue an evaluation again that was stopped or interrupted; its finished sentences are kept, and all are scored as
    this version scores.

    Raises UserError where a worker has it.
    """
    folder = Library(owner).evaluation(evaluation, "change")
    if job := Library(owner).job(evaluation, "change", "evaluation"):
        queue.abandon(job.id)
    _queue(_by_rule(folder))


def score_again(evaluation: str, owner: str = asker.LOCAL) -> None:
    """Queue an evaluation whose sentences are all translated, to be scored as this version scores: in one form of the
    texts, and with BLEU's tokenizer by rule where an earlier version had its default.

    Its runs need not be there any more. Raises UserError where a worker has it, and where sentences are left to
    translate.
    """
    folder = Library(owner).evaluation(evaluation, "change")
    what = folder.evaluation()
    if any(len(folder.lines(number)) < what.test.n for number in range(len(what.systems))):
        raise UserError(
            f"`{shortened(what.name)}` has sentences that are not translated; resume it, which scores all of them."
        )
    if job := Library(owner).job(evaluation, "change", "evaluation"):
        if job.is_live():
            raise UserError(f"`{shortened(what.name)}` is being evaluated; wait until it is done.")
        queue.abandon(job.id)
    what = _by_rule(folder)
    seconds = START + FINISH * what.test.n * len(what.systems)
    spec = {"name": what.name, "threads": 1, queue.SECONDS: seconds}
    queue.submit(KIND, what.owner, what.id, spec, express=seconds < EXPRESS)


def _by_rule(folder: EvaluationFolder) -> Evaluation:
    """The evaluation, with BLEU's tokenizer by rule where an earlier version scored with its default."""
    what = folder.evaluation()
    if (
        evaluations.is_of_earlier_version(folder.scores())
        and what.scoring.tokenize == DEFAULT_TOKENIZER
    ):
        by_rule = replace(what.scoring, tokenize=AUTO)
        return folder.amend(lambda asked: replace(asked, scoring=by_rule))
    return what


def _queue(what: Evaluation) -> None:
    seconds = forecast(what.systems, test_sets.expected_size(what.test))
    threads = max(map(_threads, what.systems))
    spec = {"name": what.name, "threads": threads, queue.SECONDS: seconds}
    queue.submit(KIND, what.owner, what.id, spec, express=seconds < EXPRESS)


def check(request: EvaluationRequest) -> None:
    """Raises UserError, naming the entry, for a request that contradicts itself or exceeds a limit."""
    systems = request.systems
    if not 1 <= len(systems) <= MOST_SYSTEMS:
        raise UserError(
            f"{len(systems)} systems were given; an evaluation has 1 to {MOST_SYSTEMS}."
        )
    if not 1 <= request.test.n <= test_sets.MAX_SENTENCES:
        raise UserError(
            f"{request.test.n:,} sentences were requested; an evaluation has 1 to {test_sets.MAX_SENTENCES:,}."
        )
    names = [system.name for system in systems]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UserError(f"Two systems are called `{twice[0]}`; give one of them another name.")
    if not request.pairs and any(system.uploaded for system in systems):
        raise UserError("Another system's output needs the sentences that it belongs to.")
    if missing_packages(request.scoring.tokenize):
        require_tokenizer(request.scoring.tokenize)
    if asker.is_hosted() and not is_here(request.scoring.tokenize):
        raise UserError(
            f"BLEU's tokenizer `{request.scoring.tokenize}` is a file that this server has not; choose {AUTO}, char or"
            " zh, or score the bundle on your own computer."
        )
    test_sets.require(request.test)
    for system in systems:
        if system.run:
            Library().run(system.run)
            configure(system.strategy, system.settings)


def forecast(systems: Sequence[System], n: int) -> float:
    """The estimated seconds of an evaluation, within a factor of three."""
    each = [
        _width(system) * (SECONDS_PER_ROW + SECONDS_PER_PARAMETER * _parameters(system))
        for system in systems
        if system.run
    ]
    return START + n * sum(each)


def most_within(systems: Sequence[System], seconds: float) -> int:
    """The most sentences that `forecast` estimates to take so long, in two digits, at least 1; as many as are allowed
    where no model translates.
    """
    each = forecast(systems, 1) - START
    if not each:
        return test_sets.MAX_SENTENCES
    n = max(1, int((seconds - START) / each))
    unit: int = 10 ** max(0, len(str(n)) - 2)
    return min(test_sets.MAX_SENTENCES, n // unit * unit)


def _threads(system: System) -> int:
    """The threads its run was trained with; one for a small model, whose matrix products are too short to share."""
    return (
        Library().run(system.run).recipe().train.threads or 1
        if system.run and _parameters(system) >= SHARED
        else 1
    )


def _width(system: System) -> int:
    return configure(system.strategy, system.settings)[1].width


def _parameters(system: System) -> float:
    folder = Library().run(system.run)
    step = system.step or max(saved_steps(folder.checkpoints), default=0)
    path = weights_path(folder.checkpoints, step)
    return files.size(path) / 4


@dataclass(frozen=True)
class EvaluationProgress:
    """How far an evaluation is: its state as the queue names it, and a sentence where there is one."""

    state: str  # queued, running, done, stopped, failed, interrupted
    done: int
    n: int
    left: float | None = None  # seconds
    note: str = ""
    error: str = ""
    job: str = ""
    wait: queue.Wait = queue.Wait()  # while it is queued

    @property
    def is_live(self) -> bool:
        """Whether the evaluation waits or runs, so that this changes by itself."""
        return self.state in ("queued", "running")


def progress(evaluation: str) -> EvaluationProgress:
    """The progress of an evaluation, from its folder and the queue; without the queue while that is unreachable."""
    folder = Library().evaluation(evaluation)
    status = folder.status()
    test = folder.evaluation().test
    done = int(status.get("done") or 0)
    n = int(status.get("n") or test.n)
    try:
        job = Library().job(evaluation, of="evaluation")
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
        return replace(known, wait=queue.wait(job.id))
    return replace(known, left=_left(status) if state == "running" else None)


def _left(status: Mapping[str, Any]) -> float | None:
    """Remaining seconds, less the time since they were written, which happens only once per turn."""
    if status.get("left") is None:
        return None
    return max(0.0, float(status["left"]) - max(0.0, time.time() - float(status.get("at", 0.0))))


def stop(evaluation: str, owner: str = asker.LOCAL) -> None:
    """Stop an evaluation; finished sentences are kept. Raises UserError where it neither waits nor runs."""
    Library(owner).evaluation(evaluation, "change")
    job = Library(owner).job(evaluation, "change", "evaluation")
    if job is None or not job.is_live():
        raise UserError(
            f"The evaluation `{evaluation}` is neither waiting nor running; there is nothing to stop."
        )
    queue.ask_to_stop(job.id, job.owner)


def delete(evaluation: str, owner: str = asker.LOCAL) -> None:
    """Delete an evaluation with its files and its jobs. Raises UserError while it runs."""
    Library(owner).evaluation(evaluation, "delete")
    job = Library(owner).job(evaluation, "delete", "evaluation")
    if job and job.state == "queued":
        queue.ask_to_stop(job.id, job.owner)
        job = Library(owner).job(evaluation, "delete", "evaluation")
    if job and job.state == "running" and job.is_live():
        raise UserError(f"The evaluation `{evaluation}` is running; stop it first, then delete it.")
    delete_evaluation(evaluation, owner)
    queue.delete_jobs(evaluation)


def work(job: Job, context: JobContext) -> Generator[None, None, None]:
    """Translate and score, all systems side by side, so that partial results can be compared at any time."""
    for is_turn in evaluate(Library().evaluation(job.run), context.tell):
        if is_turn:
            context.progressed()
        yield


def evaluate(
    folder: EvaluationFolder, tell: Callable[[str], object] = lambda sentence: None
) -> Generator[bool, None, None]:
    """Evaluate in this process; yields True after a turn, which is stored."""
    tell("Reading the dataset.")
    yield False
    pairs, train = _read(folder)
    tell("Loading the models.")
    yield False
    loop = EvaluationLoop(folder, pairs, train)
    tell("")
    try:
        yield from loop.turns()
        loop.finish("done")
    except GeneratorExit:
        loop.finish("stopped")
        raise


def _read(folder: EvaluationFolder) -> tuple[list[tuple[str, str]], test_sets.SentencePairs | None]:
    """The sentences, and the training pairs where they were read too; uploaded or earlier ones are in the folder."""
    if pairs := folder.test():
        return pairs, None
    test = folder.evaluation().test
    found = test_sets.read(test)
    every, references = found.pairs, found.references
    if test.is_grouped:
        every, references = test_sets.grouped_references(every, found.every_reference)
    rows = test_sets.chosen_indices(len(every), min(test.n, len(every)), test.seed)
    pairs = [every[i] for i in rows]
    chosen = [references[i] for i in rows] if references else []
    folder.set_test(pairs, chosen)
    hash = _hash(pairs, chosen)
    notes = (*test.notes, *found.notes)
    folder.amend(
        lambda evaluation: replace(
            evaluation,
            test=replace(test, n=len(pairs), n_all=len(every), hash=hash, notes=notes),
        )
    )
    return pairs, found.train or None
