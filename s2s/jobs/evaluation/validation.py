"""The scores of a checkpoint on all validation pairs of its run: computed once, and kept as an evaluation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from s2s import settings
from s2s.config import UserError, asker
from s2s.decode import STRATEGIES
from s2s.files import stored
from s2s.jobs.evaluation import provenance, service, test_sets
from s2s.jobs.evaluation.provenance import Checkpoint
from s2s.jobs.evaluation.service import EvaluationRequest
from s2s.library import Library
from s2s.library.own import delete_evaluation, list_evaluations
from s2s.processes import queue, worker
from s2s.runs import (
    Evaluation,
    EvaluationFolder,
    RunFolder,
    Sentences,
    System,
    evaluations,
    runs_folder,
)
from s2s.scores import METRIC_NAMES, Scoring
from s2s.words import FRACTIONS

STRATEGY = "beam"  # what translating uses by default
SECONDS = 60.0  # a longer evaluation is not waited for
POLL = 0.2  # seconds
TOO_LONG = (
    "The card has the scores of training: scoring all validation pairs takes about {minutes:,} min, which Evaluate does"
    " as a job (with beam); write it again after that."
)
HEAD = ("metric", "value", "95 % interval", "unit", "signature")

Show = Callable[[int, int], object]  # sentences done, of how many


class ValidationScores(NamedTuple):
    """A finished evaluation of one checkpoint with one strategy."""

    evaluation: Evaluation
    scores: Mapping[str, Any]  # of its system, as scores.json has them
    settings: Mapping[str, Any]  # of the strategy

    @property
    def described(self) -> str:
        """What was scored, and how: `all 500 validation pairs, beam (num_beams 5, length_penalty 1.0)`."""
        test = self.evaluation.test
        which = (
            f"all {test.n:,} validation pairs"
            if test.n == test.n_all
            else f"{test.n:,} of {test.n_all:,} validation pairs, evenly spread"
        )
        usual = STRATEGIES[STRATEGY].config().to_json()
        named = {"num_beams", "length_penalty"} | {
            key for key, value in self.settings.items() if usual.get(key) not in (value, None)
        }
        how = ", ".join(f"{key} {value}" for key, value in self.settings.items() if key in named)
        return f"{which}, {STRATEGY} ({how})"


def run_reference(run: Checkpoint) -> str:
    """What names a run in an evaluation: its id; its folder where that is elsewhere."""
    path = run.folder.path.resolve()
    homes = (runs_folder().resolve(), settings.SHIPPED.resolve())
    return path.name if path.parent in homes else str(path)


def known(run: Checkpoint) -> ValidationScores | None:
    """What has been computed of this checkpoint; None where its weights or its validation pairs were others."""
    reference = run_reference(run)
    for evaluation in list_evaluations(asker.current(), reference):
        test = evaluation.test
        is_whole = test.n == min(test.n_all, test_sets.MAX_SENTENCES) and not test.is_grouped
        if test.run != reference or test.split != test_sets.HELD_OUT or not is_whole:
            continue
        if replace(evaluation.scoring, tokenize=Scoring().tokenize) != Scoring():
            continue
        if found := _of_checkpoint(evaluation, run):
            return found
    return None


def _of_checkpoint(evaluation: Evaluation, run: Checkpoint) -> ValidationScores | None:
    asked: tuple[object, ...] = (run_reference(run), run.step, STRATEGY, {}, "", "")
    for number, system in enumerate(evaluation.systems):
        own = (system.run, system.step, system.strategy, dict(system.settings))
        if (*own, system.src_lang, system.tgt_lang) != asked:
            continue
        folder = Library().evaluation(evaluation.id)
        try:
            scores, described = folder.scores(), folder.provenance()["systems"][number]
            is_same = is_of(described, run)
            is_usual = bool(scores.get("tokenizer_reason"))  # BLEU's tokenizer is the usual one
            is_whole = scores.get("is_final") and scores["n"] == evaluation.test.n
            if is_whole and is_usual and is_same and not evaluations.is_of_earlier_version(scores):
                return ValidationScores(
                    evaluation, scores["systems"][number], described["settings"]
                )
        except (UserError, KeyError, IndexError):  # damaged, or of an earlier version
            continue
    return None


def is_of(described: Mapping[str, Any], run: Checkpoint) -> bool:
    """Whether a system, as provenance.json describes it, has these weights and training pairs. Reads all weights."""
    made = provenance.of_run(run)
    return all(described.get(key) == made[key] for key in ("weights_sha256", "train_hash"))


def seconds(run: Checkpoint) -> float:
    """About how long the evaluation takes. Raises UserError where the run has no validation pairs that can be read."""
    request = _request(run)
    return service.forecast(request.systems, test_sets.expected_size(request.test))


def _request(run: Checkpoint) -> EvaluationRequest:
    reference = run_reference(run)
    if test_sets.HELD_OUT not in test_sets.splits_of_run(reference):
        raise UserError("Its validation pairs are not here.")
    test = Sentences(
        f"{run.folder.id}, all validation pairs",
        split=test_sets.HELD_OUT,
        run=reference,
        n=test_sets.MAX_SENTENCES,
    )
    request = EvaluationRequest(
        (System(STRATEGY, reference, run.step, STRATEGY),), test, run=reference
    )
    service.check(request)
    return request


def note(run: Checkpoint) -> str:
    """One sentence on which scores a model card would have that is written now."""
    try:
        if found := known(run):
            return f"The card has the scores of {found.described}."
        stored.require_room(asker.current())
        forecast = seconds(run)
    except UserError as error:
        return (
            f"The card has the scores of training: not all validation pairs can be scored. {error}"
        )
    if forecast > SECONDS:
        return TOO_LONG.format(minutes=max(1, round(forecast / 60)))
    return (
        f"All validation pairs are scored for the card, once: about {max(1, round(forecast))} s, if"
        " no job is ahead of it."
    )


def for_card(
    run: Checkpoint,
    compute: Callable[[Checkpoint], ValidationScores],
    tell: Callable[[str], object] = lambda sentence: None,
) -> ValidationScores | None:
    """The scores for a model card; None where they cannot be computed soon: `tell` gets the reason."""
    try:
        if found := known(run):
            return found
        if (forecast := seconds(run)) > SECONDS:
            tell(TOO_LONG.format(minutes=max(1, round(forecast / 60))))
            return None
        return compute(run)
    except UserError as error:
        tell(
            f"The card has the scores of training, since not all validation pairs are scored: {error}"
        )
        return None


def compute(run: Checkpoint, show: Show = lambda done, n: None) -> ValidationScores:
    """The scores, computed in this process where they are not known. Raises UserError where that cannot be."""
    if found := known(run):
        return found
    folder = service.store(_request(run))
    try:
        for is_turn in service.evaluate(folder):
            if is_turn:
                _show(folder, show)
        _show(folder, show)
    except BaseException:
        delete_evaluation(folder.id, asker.current())
        raise
    return _finished(run, folder)


def _show(folder: EvaluationFolder, show: Show) -> None:
    status = folder.status()
    show(int(status["done"]), int(status["n"]))


class BestCheckpoint(NamedTuple):
    """The checkpoint that is opened by default, of which nothing is in memory."""

    folder: RunFolder
    step: int


def wait_for_best(run_id: str) -> None:
    """Wait for the scores of a run's best checkpoint, which a download has, where its card can have them soon.

    Raises UserError for a run that this request may not download, or that has no checkpoint.
    """
    folder = Library().run(run_id, "download")
    for_card(BestCheckpoint(folder, folder.best_or_newest_step()), wait)


def stored_only(run: Checkpoint) -> ValidationScores:
    """A `compute` that computes nothing: raises UserError for scores that are not known."""
    raise UserError("They were not scored in time.")


def wait(run: Checkpoint) -> ValidationScores:
    """The scores, computed by a worker where they are not known. Raises UserError also after SECONDS."""
    if found := known(run):
        return found
    if not _will_be_done():
        raise UserError("No worker runs.")
    evaluation = _live(run) or service.submit(_request(run))
    worker.ensure()
    until = time.monotonic() + SECONDS
    while (progress := service.progress(evaluation)).is_live:
        if time.monotonic() > until:
            raise UserError("Scoring them has not ended yet; Evaluate shows how far it is.")
        time.sleep(POLL)
    if progress.state != "done":
        raise UserError(progress.error or "Scoring them was stopped.")
    return _finished(run, Library().evaluation(evaluation))


def _will_be_done() -> bool:
    """Whether somebody takes a job: a worker that runs, or one that is started for it."""
    if settings.has_engine() or not settings.worker_is_elsewhere():
        return True
    return any(seen.is_alive() for seen in queue.seen_workers())


def _live(run: Checkpoint) -> str:
    request = _request(run)
    return next(
        (
            each.id
            for each in list_evaluations(asker.current(), request.run)
            if (each.test.name, each.systems) == (request.test.name, request.systems)
            and service.progress(each.id).is_live
        ),
        "",
    )


def _finished(run: Checkpoint, folder: EvaluationFolder) -> ValidationScores:
    found = _of_checkpoint(folder.evaluation(), run)
    if found is None:
        raise UserError("Their scores cannot be read.")
    return found


def rows(own: Mapping[str, Any]) -> Iterable[list[str]]:
    """The rows of a table with the columns HEAD, of a system's entry in scores.json."""
    values: Mapping[str, Mapping[str, float]] = own.get("scores", {})
    signatures: Mapping[str, str] = own.get("signature", {})
    for key, entry in values.items():
        name = METRIC_NAMES.get(key)
        scale = 100.0 if key in FRACTIONS else 1.0
        low, high = entry.get("low"), entry.get("high")
        interval = (
            f"{scale * low:.4g} to {scale * high:.4g}"
            if low is not None and high is not None
            else "–"
        )
        yield [
            name.label if name else key,
            f"{scale * entry['value']:.4g}",
            interval,
            name.unit if name else "",
            str(signatures.get(key, "")),
        ]
