"""The same training with and without label smoothing: loss, BLEU and exact match on pairs that it never saw."""

from __future__ import annotations

from typing import Any

from benchmarks.claims import training
from s2s import scores
from s2s.data import load
from s2s.runs import Run

STEPS = 800
SEEDS = (1, 2, 3, 4)
SMOOTHING = 0.1  # Vaswani et al. 2017, section 5.4
SPLITS = ("random", "agreement")
EACH = 500  # pairs of each split


def measure() -> dict[str, Any]:
    """A row per smoothing and seed."""
    rows = [_trained(smoothing, seed) for seed in SEEDS for smoothing in (0.0, SMOOTHING)]
    pairs = {"splits": list(SPLITS), "each": EACH}
    return {**training.described(STEPS), **pairs, "strategy": "beam, num_beams=5", "runs": rows}


def _trained(smoothing: float, seed: int) -> dict[str, Any]:
    made = training.start(STEPS, seed, {"train.label_smoothing": smoothing})
    made.advance(STEPS)
    found = {
        "smoothing": smoothing,
        "seed": seed,
        **scored(made.run),
        "cpu_seconds": round(made.seconds, 1),
    }
    print(found, flush=True)
    return found


def scored(run: Run) -> dict[str, float]:
    """Loss in nats per token without smoothing, BLEU and exact match of beam search, over all splits together."""
    pairs = [pair for split in SPLITS for pair in load("builtin:en-fr", split).pairs[:EACH]]
    sources = [pair.src for pair in pairs]
    targets = [pair.tgt for pair in pairs]
    forced = run.force(sources, targets)
    texts = [one.text for one in run.translate(sources, "beam", num_beams=5)]
    n_tokens = sum(one.n_tokens for one in forced)
    return {
        "loss": round(-sum(one.log_prob for one in forced) / n_tokens, 4),
        "token_accuracy": round(sum(one.n_correct for one in forced) / n_tokens, 4),
        "bleu": round(scores.METRICS["bleu"].compute(texts, targets).value, 2),
        "exact_match": round(scores.METRICS["exact_match"].compute(texts, targets).value, 2),
    }
