"""A measurement from its request to its numbers: queued here, done by a worker, kept for whoever asks the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from s2s import files
from s2s.config import UserError, choose, override
from s2s.data import Gold, Link, Numbering, Pair, opening
from s2s.files import stored
from s2s.jobs.context import JobContext
from s2s.jobs.evaluation import test_sets
from s2s.jobs.heads import samples
from s2s.jobs.heads.experiments import EXPERIMENTS, Measuring
from s2s.library import Library, rights
from s2s.library.checkpoints import load
from s2s.model import weights_path
from s2s.processes import queue
from s2s.processes.queue import Job
from s2s.runs import Measurement, MeasurementFolder, Run, RunFolder, measurements

KIND = "heads"
MOST_SENTENCES = 2_000
START = 3.0  # seconds before the first sentence: the dataset and the model are read
# Seconds per sentence and forward pass, measured on one core; accurate within a factor of three.
SECONDS_PER_PASS = 4e-4
SECONDS_PER_PARAMETER = 1e-9
EXPRESS = 20.0  # seconds; a shorter measurement need not wait for a long job
WRITTEN = 0.4  # seconds between two writes of the progress


def check(request: Measurement) -> None:
    """Raises UserError for a request that names something unknown, or that this workspace may not make."""
    experiment = choose("experiment of heads", request.experiment, EXPERIMENTS)
    override(experiment.settings(), request.settings)
    _require(request)
    if not samples.FEWEST <= request.sentences.n <= MOST_SENTENCES:
        raise UserError(
            f"{request.sentences.n:,} sentences were requested; a measurement of heads has {samples.FEWEST} to"
            f" {MOST_SENTENCES:,}."
        )


def _require(request: Measurement) -> None:
    """Raises UserError unless this workspace may explore the run and read the sentences, their own being uploaded."""
    Library().run(request.run)
    test_sets.require(request.sentences)


def result(request: Measurement) -> dict[str, Any] | None:
    """The numbers of a measurement, None before there are any.

    Whoever may see the run sees numbers; whoever may read the sentences, too, what quotes them. Raises UserError for
    others.
    """
    Library().run(request.run)
    if EXPERIMENTS[request.experiment].has_texts:
        test_sets.require(request.sentences)
    return measurements.result(request)


def aligned_pairs(contents: Sequence[tuple[str, bytes]], numbering: Numbering) -> list[Pair]:
    """Uploaded pairs with their gold links, evenly spread, at most as many as can be measured.

    `contents`: names and bytes of sources, targets and alignment. Raises UserError for files that do not match.
    """
    (pairs,) = opening.opened(opening.alignment, contents, **numbering._asdict())
    rows = test_sets.even_indices(len(pairs), min(len(pairs), MOST_SENTENCES))
    return [_aligned(*pairs[row]) for row in rows]


def _aligned(src: str, tgt: str, sure: list[list[int]], possible: list[list[int]]) -> Pair:
    links, more = (tuple(Link(*link) for link in each) for each in (sure, possible))
    return Pair(src, tgt, Gold(links, possible=more))


def measure(
    request: Measurement,
    uploaded: Sequence[Pair] = (),
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Numbers of a measurement, made in this process, not kept; `uploaded`: sentences that are no dataset's. `progress`
    is told the percent that is done, and 100.

    Raises UserError as `check`.
    """
    check(request)
    experiment = EXPERIMENTS[request.experiment]
    settings = override(experiment.settings(), request.settings)
    pairs = samples.read(request.sentences, [*map(samples.to_json, uploaded)])
    steps = experiment.measure(_opened(request), pairs, settings)
    while True:
        try:
            share = next(steps)
        except StopIteration as end:
            found: dict[str, Any] = end.value
            return found
        if progress:
            progress(round(100 * share), 100)


def _opened(request: Measurement) -> Run:
    return load(request.run, request.step).in_languages(*request.languages)


def submit(request: Measurement, pairs: Sequence[Pair] = ()) -> None:
    """Queue a measurement, unless it is done or under way. `pairs`: sentences that were uploaded.

    Raises UserError where it is refused.
    """
    check(request)
    if result(request) is not None or progress(request).is_live:
        return
    stored.require_room(request.owner)
    if before := Library().job(request.id, of="measurement"):
        if before.state == "running" and before.owner != request.owner:
            return  # the next worker takes up what somebody else requested
        queue.abandon(before.id)
    folder = MeasurementFolder(request.id)
    folder.create(request, map(samples.to_json, pairs))
    seconds = forecast(request)
    spec = {
        "name": EXPERIMENTS[request.experiment].label,
        "threads": threads(request),
        queue.SECONDS: seconds,
    }
    try:
        queue.submit(KIND, request.owner, request.id, spec, express=seconds < EXPRESS)
    except UserError:
        if not progress(request).is_live:  # else somebody has asked the same at the same moment
            folder.delete()
            raise


def forecast(request: Measurement) -> float:
    """The estimated seconds of a measurement, within a factor of three."""
    experiment = EXPERIMENTS[request.experiment]
    folder = Library().run(request.run)
    settings = override(experiment.settings(), request.settings)
    recipe = folder.recipe()
    per_pass = SECONDS_PER_PASS + SECONDS_PER_PARAMETER * _parameters(folder, request.step)
    per_sentence = experiment.passes(recipe, settings) * per_pass + experiment.seconds(recipe)
    return START + request.sentences.n * per_sentence


def _parameters(folder: RunFolder, step: int) -> float:
    path = weights_path(folder.checkpoints, step)
    return files.size(path) / 4


def threads(request: Measurement) -> int:
    """How many threads a measurement has: one if it is short, because where cores are busy, threads that wait for each
    other in a small model take ten times the processor's time. A longer one has those of its run's training.
    """
    if forecast(request) < EXPRESS:
        return 1
    return Library().run(request.run).recipe().train.threads or 1


@dataclass(frozen=True)
class MeasurementProgress:
    """How far a measurement is: its state as the queue names it, "" where it was never requested."""

    state: str = ""  # queued, running, done, stopped, failed, interrupted
    share: float = 0.0
    left: float | None = None  # seconds
    note: str = ""
    error: str = ""
    wait: queue.Wait = queue.Wait()  # while it is queued

    @property
    def is_live(self) -> bool:
        """Whether the measurement waits or runs, so that this changes by itself."""
        return self.state in ("queued", "running")


def progress(request: Measurement) -> MeasurementProgress:
    """The progress of a measurement. Raises UserError where this workspace may not measure it."""
    _require(request)
    job = Library().job(request.id, of="measurement")
    if job is None:
        return MeasurementProgress()
    state = "interrupted" if job.state == "running" and not job.is_live() else job.state
    if state == "queued":
        return MeasurementProgress(state, wait=queue.wait(job.id))
    if state != "running":
        return MeasurementProgress(state, error=job.error)
    status = MeasurementFolder(request.id).status()
    share = status.get("share", 0.0)
    left = None
    if share:
        total = status["seconds"] / share
        left = max(0.0, total - status["seconds"] - max(0.0, time.time() - status["at"]))
    return MeasurementProgress(state, share, left, job.note)


def stop(request: Measurement) -> None:
    """Stop a measurement, keep nothing. Raises UserError where it neither waits nor runs, or is somebody else's."""
    _require(request)
    job = Library().job(request.id, of="measurement")
    if job is None or not job.is_live():
        raise UserError("This measurement neither waits nor runs; there is nothing to stop.")
    if (job := Library().job(request.id, "change", "measurement")) is None:
        raise rights.unknown("measurement", request.id)
    queue.ask_to_stop(job.id, job.owner)
    job = Library().job(request.id, "change", "measurement")
    if job is None or job.state == "stopped":  # no worker had it
        MeasurementFolder(request.id).delete()


def work(job: Job, context: JobContext) -> Generator[None, None, None]:
    """Measure, as a job. Nothing stays of what is stopped or fails; what is handed back keeps its request."""
    folder = MeasurementFolder(job.run)
    request = folder.request()
    experiment = EXPERIMENTS[request.experiment]
    is_needed = False
    try:
        context.tell("Reading the sentences.")
        yield
        pairs = samples.read(request.sentences, folder.pairs())
        context.tell("Opening the model.")
        yield
        run = _opened(request)
        context.tell("")
        settings = override(experiment.settings(), request.settings)
        content = yield from _measured(experiment.measure(run, pairs, settings), folder)
        folder.require()
        folder.set_result(content)
        folder.forget_pairs()
        is_needed = True
    except GeneratorExit:
        is_needed = context.is_handed_back
        raise
    finally:
        if not is_needed:
            folder.delete()


def _measured(
    measuring: Measuring, folder: MeasurementFolder
) -> Generator[None, None, Mapping[str, Any]]:
    began = time.monotonic()
    written = 0.0
    while True:
        try:
            share = next(measuring)
        except StopIteration as end:
            found: Mapping[str, Any] = end.value
            return found
        if time.monotonic() - written > WRITTEN:
            written = time.monotonic()
            folder.require()
            folder.set_status(share, time.time(), written - began)
        yield
