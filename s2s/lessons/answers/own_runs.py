"""What an exercise asks of the visitor's own runs and evaluations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from s2s.config import UserError, asker
from s2s.lessons.verdict import Context, Verdict
from s2s.library import Library, rights, sharing

RIGHT = 0.9  # of the tokens under teacher forcing: the model has learned its task
NONE_YET = "There is no such run of yours yet: press Train, and check again when it is trained."
Recipe = Mapping[str, Any]


def own_recipes() -> Iterator[tuple[Any, Recipe]]:
    """The visitor's trained runs, newest first: the row of each, and what recipe.json says."""
    from s2s.jobs import run_service

    for row in run_service.runs(asker.current()):
        thing = sharing.thing("run", row.id, row.owner)
        if not rights.is_own(thing) or row.imported or row.error:
            continue
        try:
            about = Library().run(row.id).about()
        except UserError:  # it waits, and has no folder yet
            continue
        yield row, about


def trained(fits: Callable[[Recipe], bool], what: str) -> Verdict:
    """The verdict on the visitor's runs: right where one of them fits and has learned its task."""
    best: Verdict | None = None
    for row, about in own_recipes():
        if not fits(about):
            continue
        accuracy = row.token_accuracy
        if accuracy is not None and accuracy >= RIGHT:
            return Verdict(
                "right", f"Right: {what}, and predicts {accuracy:.0%} of the tokens correctly."
            )
        if row.is_live:
            best = Verdict("nearly", "Nearly: it is still training; check again when it is done.")
        elif best is None:
            got = "nothing was validated yet" if accuracy is None else f"it has {accuracy:.0%}"
            best = Verdict(
                "nearly",
                f"Nearly: {what}, but a model that has learned it predicts {RIGHT:.0%} of the tokens correctly, and"
                f" {got}; train it for longer.",
            )
    return best or Verdict("wrong", NONE_YET)


def _task(about: Recipe) -> str:
    return str(about["recipe"]["data"]["task"])


def reverse_direction_run(context: Context) -> Verdict:
    """An own run with the task reverse_direction has learned it."""
    return trained(
        lambda about: _task(about) == "reverse_direction", "your run translates in reverse"
    )


def several_tasks_run(context: Context) -> Verdict:
    """An own run on builtin:tasks has learned its tasks."""
    return trained(
        lambda about: str(about.get("source", "")).partition("#")[0] == "builtin:tasks",
        "your run does every task of the dataset",
    )


def span_corruption_run(context: Context) -> Verdict:
    """An own run has trained on the task denoise."""
    for row, about in own_recipes():
        if _task(about) != "denoise":
            continue
        if row.is_live:
            return Verdict("nearly", "Nearly: it is still training; check again when it is done.")
        if row.checkpoints and row.best_loss is not None:
            return Verdict(
                "right",
                f"Right: a run of yours fills in masked spans, at {row.best_loss:.2f} nats per token.",
            )
    return Verdict("wrong", NONE_YET)


def shared_and_separate_runs(context: Context) -> Verdict:
    """Two own runs differ in nothing but the sharing of embeddings."""
    seen: dict[str, dict[bool, float]] = {}
    for row, about in own_recipes():
        if row.is_live or row.best_loss is None:
            continue
        flat = {**about["recipe"], "source": about.get("source")}
        is_shared, rest = _without_sharing(flat)
        losses = seen.setdefault(rest, {})
        losses.setdefault(is_shared, row.best_loss)
        if len(losses) == 2:
            better = "shared" if losses[True] < losses[False] else "separate"
            return Verdict(
                "right",
                f"Right: shared embeddings reach {losses[True]:.3f} nats per token, separate ones {losses[False]:.3f}:"
                f" here, {better} ones are better.",
            )
    if seen:
        return Verdict(
            "nearly",
            "Nearly: you have one of the two; train the other with the same dataset, seed and settings.",
        )
    return Verdict("wrong", NONE_YET)


def _without_sharing(content: Mapping[str, Any]) -> tuple[bool, str]:
    rest = json.loads(json.dumps(content))
    is_shared = bool(rest["model"]["embeddings"].pop("shared"))
    return is_shared, json.dumps(rest, sort_keys=True)


def beam_beats_greedy(context: Context) -> Verdict:
    """In an own evaluation, beam search has a higher BLEU than greedy search."""
    from s2s.library.own import list_evaluations

    closest: tuple[float, float] | None = None
    for found in list_evaluations(asker.current()):
        scores = Library().evaluation(found.id).scores()
        if not scores.get("is_final"):
            continue
        bleu = {"greedy": list[float](), "beam": list[float]()}
        for system, row in zip(found.systems, scores["systems"], strict=True):
            found_bleu = row["scores"].get("bleu")
            if found_bleu and system.strategy in bleu and system.run == context.run:
                bleu[system.strategy].append(float(found_bleu["value"]))
        if not all(bleu.values()):
            continue
        best = max(bleu["beam"]), max(bleu["greedy"])
        if best[0] > best[1]:
            return Verdict(
                "right", f"Right: BLEU {best[0]:.2f} with beam search, {best[1]:.2f} greedy."
            )
        closest = closest or best
    if closest:
        return Verdict(
            "nearly",
            f"Nearly: BLEU {closest[0]:.2f} with beam search is not above {closest[1]:.2f} greedy; take another test"
            " set, more sentences or more beams.",
        )
    return Verdict(
        "wrong",
        "There is no evaluation of yours yet that has greedy and beam search of this run: press Evaluate.",
    )
