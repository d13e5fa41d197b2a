"""Why a training has ended before its plan, in a sentence for people."""

from __future__ import annotations

from s2s.config import TrainConfig
from s2s.training.budget import Budget
from s2s.training.progress import Progress

EARLY = 1 / 3  # of the steps that were planned at first: a time budget for fewer has ended early


def ended_early(train: TrainConfig, progress: Progress, budget: Budget) -> str:
    """Why a training has ended by itself before its plan; empty where it did what was planned."""
    patience = train.watch.patience
    if 0 < patience <= progress.stale and progress.step < train.steps:
        times = f"{patience} validations" if patience > 1 else "1 validation"
        return (
            f"Early stopping ended it at step {progress.step:,} of {train.steps:,}: {times} in a row did not lower the"
            " loss."
        )
    planned = budget.plan[0].steps if budget.plan else 0
    if progress.step >= EARLY * planned:
        return ""
    minutes = train.minutes or 0.0
    why = "updates took longer than expected"
    if budget.prepared:
        why = f"preparing took {budget.prepared:.0f} seconds, so half as much time was added"
    return (
        f"Its time budget of {minutes:g} minute{'s' * (minutes != 1)} ended it at step {progress.step:,}, of about"
        f" {planned:,} that were planned: {why}. It has learned little so far; continue it."
    )
