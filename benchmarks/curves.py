"""The loss curves of `exact` and `fast`, and their distance compared with that of two seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from s2s.config import Recipe, override
from s2s.training import Trainer, TrainingData

WINDOW = 20  # updates that are averaged: a single loss depends more on its batch than on the model
BATCH_TOKENS = 512  # enough for a curve
N_POINTS = 6  # of each curve in the table


def curve(recipe: Recipe, data: TrainingData, steps: int) -> npt.NDArray[np.float64]:
    """Mean loss of each window of updates, in nats."""
    trainer = Trainer(recipe, data, None)
    losses = [trainer.update().loss for _ in range(steps)]
    windows: npt.NDArray[np.float64] = np.array(losses).reshape(-1, WINDOW).mean(axis=1)
    return windows


def compare(recipe: Recipe, data: TrainingData, steps: int) -> dict[str, Any]:
    """The largest difference in any window, between `exact` and `fast` and between two seeds of `exact`."""
    steps = max(1, steps // WINDOW) * WINDOW
    recipe = override(
        recipe,
        {
            "train.batch_tokens": BATCH_TOKENS,
            "train.steps": steps,
            "train.warmup_steps": steps // 4,
            "train.lr": 2e-3,
        },
    )
    runs = {
        "exact": curve(recipe, data, steps),
        "fast": curve(override(recipe, {"train.precision": "fast"}), data, steps),
        "exact, another seed": curve(
            override(recipe, {"train.seed": recipe.train.seed + 1}), data, steps
        ),
    }
    exact, fast, other = runs.values()
    apart = float(np.abs(exact - fast).max())
    seeds = float(np.abs(exact - other).max())
    lines = {name: [round(float(loss), 4) for loss in losses] for name, losses in runs.items()}
    return {
        "steps": steps,
        "exact from fast": apart,
        "seed from seed": seeds,
        "share": apart / seeds,
        "curves": lines,
    }


def rows(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Some points of each curve, for the table."""
    windows = np.linspace(0, found["steps"] // WINDOW - 1, N_POINTS).round().astype(int)
    return [
        {
            "loss of": name,
            **{f"step {WINDOW * (window + 1)}": losses[window] for window in windows.tolist()},
        }
        for name, losses in found["curves"].items()
    ]
