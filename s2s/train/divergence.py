"""What is said of a training whose loss does not fall, or is no number any more."""

from __future__ import annotations

import math

from s2s.config import UserError
from s2s.train.events import Validation, Warned


def worse_than_guessing(validation: Validation, vocab_size: int) -> list[Warned]:
    """A warning of a loss twice that of a uniform distribution, which is more than noise; none at step 0."""
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


def error(step: int, saved_step: int, rank: int) -> UserError:
    """The end of a training that diverged; `saved_step` is the checkpoint that is kept, 0 for none."""
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
