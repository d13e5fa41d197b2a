"""Whether `exact` and `fast` learn alike: their loss curves, beside how far another seed takes one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from s2s.config import Recipe, override
from s2s.train import Trainer, TrainingData

WINDOW = 20  # updates that are taken together: single ones show the batch more than the model
SLOTS = 512  # of a batch: enough for a curve
SHOWN = 6  # points of each curve


def curve(recipe: Recipe, data: TrainingData, steps: int) -> npt.NDArray[np.float64]:
    """Mean loss in nats of each window of updates."""
    trainer = Trainer(recipe, data, None)
    losses = [trainer.update().loss for _ in range(steps)]
    windows: npt.NDArray[np.float64] = np.array(losses).reshape(-1, WINDOW).mean(axis=1)
    return windows


def compare(recipe: Recipe, data: TrainingData, steps: int) -> dict[str, Any]:
    """The largest difference of any window, between `exact` and `fast` and between two seeds of `exact`."""
    steps = max(1, steps // WINDOW) * WINDOW
    recipe = override(
        recipe,
        {
            "train.batch_tokens": SLOTS,
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
    """Some points of each curve, for people."""
    places = np.linspace(0, found["steps"] // WINDOW - 1, SHOWN).round().astype(int)
    return [
        {
            "loss of": name,
            **{f"step {WINDOW * (place + 1)}": losses[place] for place in places.tolist()},
        }
        for name, losses in found["curves"].items()
    ]
