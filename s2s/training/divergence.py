"""What is said of a training whose loss does not fall or is no longer a number."""

from __future__ import annotations

import math

from s2s.config import UserError
from s2s.training.events import Validation, Warned
from s2s.training.progress import Progress


def worse_than_guessing(validation: Validation, vocab_size: int) -> list[Warned]:
    """A warning where the loss is twice that of a uniform distribution, which is more than noise; none at step 0."""
    guessing = math.log(vocab_size)
    if not validation.step or validation.loss <= 2 * guessing:
        return []
    return [
        Warned(
            validation.step,
            f"At step {validation.step:,} the validation loss was {validation.loss:.3g}, and guessing gives"
            f" {guessing:.3g}: the learning rate is too high; lower train.lr, also while it runs.",
        )
    ]


def last_sound(progress: Progress, *, is_validation: bool) -> int | None:
    """The newest step whose validation was better than guessing; None before there was any after step 0, when nothing
    is known against the checkpoints. `is_validation`: one has diverged.
    """
    last = max(progress.best_step, progress.sound_step)
    return last if is_validation or last or progress.stale else None


def error(step: int, saved_step: int, rank: int) -> UserError:
    """The error that ends a training that diverged; `saved_step` is the checkpoint that is kept, 0 for none."""
    if rank:
        return UserError(
            f"Training diverged at step {step:,}; the first process says what is kept."
        )
    kept = "no good checkpoint was written yet: start again"
    if saved_step:
        kept = f"the checkpoint of step {saved_step:,} is kept: resume from it"
    return UserError(
        f"Training diverged at step {step:,}: its loss or its gradient is not finite; lower train.lr or raise"
        f" train.warmup_steps ({kept})."
    )
