"""Pre-norm and post-norm, each with and without warmup: the loss by update."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from benchmarks.claims import training
from benchmarks.claims.intervals import signed, spread
from s2s.lessons.claims import Level, Measured, Picture

STEPS = 400
SEEDS = (1, 2)
EVERY = 20  # updates that a point of the curve is the mean of
WARMUP = 100  # updates
FAILS = 0.5  # nats per token by which the loss stays higher
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


def report(results: Mapping[str, Any]) -> Measured:
    """The loss by update; the level, from the final losses of every seed."""
    runs, every, changes = results["runs"], results["every"], results["changes"]
    final = {(row["place"], bool(row["warmup"]), row["seed"]): _final(row) for row in runs}
    seeds = sorted({row["seed"] for row in runs})
    gaps, ends = {}, {}
    for place in ("post", "pre"):
        gaps[place] = [final[place, False, seed] - final[place, True, seed] for seed in seeds]
        ends[place] = sum(final[place, True, seed] for seed in seeds) / len(seeds)
    higher = {place: " and ".join(signed(gap, 2) for gap in found) for place, found in gaps.items()}
    curves: dict[str, list[list[float]]] = {}
    for row in sorted(runs, key=lambda row: (row["place"], bool(row["warmup"]))):
        curves.setdefault(_label(row), []).append(row["losses"])
    return Measured(
        _level(gaps["post"], gaps["pre"]),
        f"Without warmup, post-norm's loss after {results['steps']} updates is higher by {higher['post']} nats per"
        f" token (a number per seed), and pre-norm's by {higher['pre']}. With warmup, post-norm ends at"
        f" {ends['post']:.2f} and pre-norm at {ends['pre']:.2f}.",
        f"{changes['model.n_layers']} layers per stack, d_model {changes['model.d_model']}, learning rate"
        f" {changes['train.lr']} (constant after warmup), no gradient clipping, {results['source']}; seeds"
        f" {training.seeds(results)}. Each point is the mean loss of {every} training batches.",
        Picture(
            "Training loss with and without warmup",
            "updates",
            "nats per token",
            tuple(
                spread(label, [float(every * (at + 1)) for at in range(len(found[0]))], found)
                for label, found in curves.items()
            ),
            "Lower is better. Each line is the mean over seeds; its shade reaches from the lowest to the highest.",
        ),
        {
            "norm": tuple(map(_label, runs)),
            "seed": tuple(row["seed"] for row in runs),
            "warmup (updates)": tuple(row["warmup"] for row in runs),
            "final loss (nats per token)": tuple((row["losses"] or [""])[-1] for row in runs),
            "diverged at update": tuple(row["diverged_at"] or "no" for row in runs),
            "CPU seconds": tuple(row["cpu_seconds"] for row in runs),
        },
    )


def _final(row: Mapping[str, Any]) -> float:
    return float("inf") if row["diverged_at"] else float(row["losses"][-1])


def _label(row: Mapping[str, Any]) -> str:
    return f"{row['place']}-norm, {'warmup' if row['warmup'] else 'no warmup'}"


def _level(post: list[float], pre: list[float]) -> Level:
    if min(post) >= FAILS and max(pre) < FAILS:
        return "holds"
    return "partly" if min(post) > 0 and min(post) > max(pre) else "fails"
