"""Pre-norm and post-norm, each with and without warmup: the loss by update."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from benchmarks.claims import training

STEPS = 400
SEEDS = (1, 2)
EVERY = 20  # updates that a point of the curve is the mean of
WARMUP = 100  # updates
# As in Vaswani et al. 2017: no clipping, which would hide how large the first gradients are.
CHANGES = MappingProxyType(
    {
        "model.n_layers": 6,
        "train.lr": 0.003,
        "train.batch_tokens": 512,
        "train.schedule": "constant",
        "train.optimizer.clip_norm": 0.0,
    }
)


def measure() -> dict[str, Any]:
    """A row per placement of the norm, warmup and seed."""
    rows = [
        _trained(place, warmup, seed)
        for seed in SEEDS
        for place in ("post", "pre")
        for warmup in (0, WARMUP)
    ]
    return {**training.described(STEPS, CHANGES), "every": EVERY, "runs": rows}


def _trained(place: str, warmup: int, seed: int) -> dict[str, Any]:
    has_final_norm = place == "pre"  # post-norm ends every layer with one already
    changes = {
        **CHANGES,
        "model.norm.place": place,
        "model.encoder.final_norm": has_final_norm,
        "model.decoder.final_norm": has_final_norm,
        "train.warmup_steps": warmup,
    }
    made = training.start(STEPS, seed, changes)
    made.advance(STEPS)
    means = [
        sum(made.losses[start : start + EVERY]) / EVERY
        for start in range(0, len(made.losses) - EVERY + 1, EVERY)
    ]
    found = {
        "place": place,
        "warmup": warmup,
        "seed": seed,
        "diverged_at": made.diverged_at,
        "losses": [round(loss, 4) for loss in means],
        "cpu_seconds": round(made.seconds, 1),
    }
    print(found, flush=True)
    return found
