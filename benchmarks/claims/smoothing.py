"""The same training with and without label smoothing: loss, BLEU and exact match on pairs that it never saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.claims import intervals, training
from s2s import scores
from s2s.data import load
from s2s.lessons.claims import Measured, Picture, Series
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


COLUMNS = {
    "label smoothing": "smoothing",
    "seed": "seed",
    "loss (nats per token)": "loss",
    "BLEU": "bleu",
    "exact match (%)": "exact_match",
    "token accuracy": "token_accuracy",
    "CPU seconds": "cpu_seconds",
}


def report(results: Mapping[str, Any]) -> Measured:
    """BLEU by seed, the loss in the table; the level, from the paired differences of the seeds."""
    runs = results["runs"]
    values = {(row["smoothing"], row["seed"]): row for row in runs}
    without, smoothed = sorted({row["smoothing"] for row in runs})
    seeds = sorted({row["seed"] for row in runs})
    loss, bleu = (
        intervals.mean([values[smoothed, seed][key] - values[without, seed][key] for seed in seeds])
        for key in ("loss", "bleu")
    )
    costs, buys = loss.low > 0, bleu.low > 0
    buys_or_not = "neither buys nor costs BLEU, up to chance"
    if buys or bleu.high < 0:
        buys_or_not = "buys BLEU" if buys else "costs BLEU"
    return Measured(
        "holds" if costs and buys else "partly" if costs or buys else "fails",
        f"Label smoothing changes the loss by {loss.text(3, ' nats per token')} and BLEU by {bleu.text(2)}: it"
        f" {'costs likelihood' if costs else 'does not clearly cost likelihood'}, and {buys_or_not}.",
        f"{training.learner(results)} in {results['steps']} updates, with seeds {training.seeds(results)}; tested on"
        f" {results['each']} pairs each of the splits {' and '.join(results['splits'])} ({results['strategy']}). The"
        " loss is of the reference, without smoothing. Intervals: Student's t over seeds.",
        Picture(
            "BLEU with and without label smoothing",
            "BLEU",
            "",
            tuple(
                Series(
                    f"label smoothing {smoothing:g}",
                    (),
                    tuple(values[smoothing, seed]["bleu"] for seed in seeds),
                )
                for smoothing in (without, smoothed)
            ),
            "Two bars per seed: the same initial weights and the same batches, with and without label smoothing. The"
            " loss is in the table.",
            tuple(f"seed {seed}" for seed in seeds),
        ),
        {name: tuple(row[key] for row in runs) for name, key in COLUMNS.items()},
    )
