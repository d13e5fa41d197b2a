"""Whether a run's loss rose instead of falling. Knows nothing of screens."""

from __future__ import annotations

import numpy as np

from s2s.runs.metrics import Curves

RISEN = 1.5  # times the loss before training: more than the noise of a loss that does not fall
RECENT = 10  # points of the training curve that a validation is compared with


def diverged_at(curves: Curves) -> int | None:
    """The step of the first validation whose loss is far above that before training, as the training loss is.

    None where there is none: a run that overfits has a low training loss.
    """
    return next((int(step) for step in curves.valid_steps if _is_diverged(curves, int(step))), None)


def has_diverged(curves: Curves) -> bool:
    """Whether the newest validation's loss is far above that before training, as `diverged_at` judges."""
    return len(curves.valid_steps) > 0 and _is_diverged(curves, int(curves.valid_steps[-1]))


def _is_diverged(curves: Curves, step: int) -> bool:
    if curves.valid_steps[0] != 0 or not step:
        return False
    start = float(curves.valid_loss[0])
    loss = float(curves.valid_loss[curves.valid_steps == step][-1])
    trained = curves.loss[curves.steps <= step][-RECENT:]
    return loss > RISEN * start and len(trained) > 0 and float(np.nanmean(trained)) > start
