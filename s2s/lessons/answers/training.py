"""What can be asked of a training: its logged curves, its schedule, its targets, and the visitor's own runs."""

from __future__ import annotations

import numpy as np

from s2s.config import UserError, asker
from s2s.lessons.answers.own_runs import own_recipes
from s2s.lessons.verdict import Context, Verdict
from s2s.library import Library
from s2s.runs import Curves, Metrics, RunFolder, first_difference
from s2s.training import learning_rate

GOOD = 0.1  # nats per token
RISE = 0.1  # nats per token, from the lowest validation loss to the last: more than noise
CLEAR = 0.5  # the training loss of a model that memorizes is less than this share of the validation loss


def first_good_step(context: Context) -> int:
    """The first validation of the log with a loss below 0.1."""
    curves = _curves(context)
    below = np.flatnonzero(curves.valid_loss < GOOD)
    if not len(below):
        raise UserError(
            f"The validation loss of this run was never below {GOOD}; choose demo-en-fr again."
        )
    return int(curves.valid_steps[below[0]])


def highest_rate_step(context: Context) -> int:
    """The maximum of the schedule of the run's recipe.

    The first step at which the learning rate is highest.
    """
    train = context.opened().recipe.train
    return max(range(1, train.steps + 1), key=lambda step: learning_rate(step, train))


def first_differing_position(context: Context) -> int:
    """Compares the ids of both, token by token.

    Where what the model reads under teacher forcing first differs from what it reads when running freely, from 1.
    Position 1 reads the start token in both.
    """
    run = context.opened()
    target = context.values.get("tgt", "").strip()
    if not context.source or not target:
        raise UserError("The sentence or its target is missing; open the step's view again.")
    own = run.translate([context.source], "greedy")[0].hypotheses[0].ids
    at = first_difference(own, run.target_ids(target))
    if at is None:
        raise UserError("The target is the model's own translation; open the step's view again.")
    return at + 2


def smoothed_target_percent(context: Context) -> float:
    """1 - smoothing + smoothing / vocabulary size.

    The probability that label smoothing wants for the correct token, in percent.
    """
    run = context.opened()
    smoothing = run.recipe.train.label_smoothing
    return 100 * (1 - smoothing + smoothing / run.tgt_tokenizer.vocab_size)


def bleu_peaks_where_loss_is_lowest(context: Context) -> int:
    """Compares both curves of the log.

    0 where the checkpoint with the lowest validation loss has the highest BLEU, 1 where another one has.
    """
    curves = _curves(context)
    if not np.isfinite(curves.valid_bleu).any():
        raise UserError("BLEU was not measured while this run trained; choose demo-tasks again.")
    of_best = curves.valid_bleu[np.argmin(curves.valid_loss)]
    return int(of_best < np.nanmax(curves.valid_bleu))


def overfitted_run(context: Context) -> Verdict:
    """The validation loss rose again while the training loss fell."""
    found = _none_yet()
    for row, _ in own_recipes():
        curves = _read(Library().run(row.id))
        if row.is_live or len(curves.valid_loss) < 2 or not len(curves.loss):
            continue
        lowest, last, training = (
            float(value)
            for value in (curves.valid_loss.min(), curves.valid_loss[-1], curves.loss[-1])
        )
        losses = (
            f"validation {last:.2f}, at best {lowest:.2f}, training {training:.2f} nats per token"
        )
        if last < lowest + RISE or training > CLEAR * last:
            if found.level == "wrong":
                found = Verdict("nearly", f"Nearly: `{row.name}` does not overfit yet: {losses}.")
            continue
        return Verdict("right", f"Right: `{row.name}` memorizes: {losses}.")
    return found


def fine_tuned_run(context: Context) -> Verdict:
    """It began with the weights of another run."""
    found = _none_yet()
    for row, _ in own_recipes():
        if not row.init_from:
            continue
        curves = _read(Library().run(row.id))
        if not len(curves.valid_loss):
            found = Verdict(
                "nearly", "Nearly: it has not been validated yet; check again in a while."
            )
            continue
        return Verdict(
            "right",
            f"Right: at step 0 its validation loss is {float(curves.valid_loss[0]):.2f} nats per token. Compare this"
            " with the start of a run from scratch.",
        )
    return found


def _none_yet() -> Verdict:
    from s2s.jobs import run_service

    if any(row.is_live for row in run_service.runs(asker.current())):
        return Verdict("nearly", "Nearly: your run is not done yet; check again when it is.")
    return Verdict(
        "wrong", "There is no such run of yours yet: press Train, and check again when it is done."
    )


def _curves(context: Context) -> Curves:
    curves = _read(context.opened().folder)
    if not len(curves.valid_loss):
        raise UserError("This run has no validation loss; open the step's view again.")
    return curves


def _read(folder: RunFolder) -> Curves:
    return Metrics(folder.path / "metrics.jsonl").read()
