"""Claim: label smoothing costs likelihood and buys BLEU."""

from __future__ import annotations

from s2s.lessons.claims import intervals
from s2s.lessons.claims.claim import Claim, Finding, Picture, Proof, Results, Row, Series
from s2s.lessons.claims.intervals import Interval
from s2s.lessons.claims.measured import origin, saved
from s2s.lessons.lesson import View
from s2s.links import share

KEYS = ("steps", "splits", "each", "strategy", "runs")


def gains(results: Results, key: str) -> Interval:
    """With smoothing minus without, over seeds: mean and 95 % interval."""
    without = {row["seed"]: row[key] for row in results["runs"] if not row["smoothing"]}
    return intervals.mean(
        [row[key] - without[row["seed"]] for row in results["runs"] if row["smoothing"]]
    )


def judge(results: Results) -> Finding:
    """From the paired differences of the seeds."""
    loss, bleu = gains(results, "loss"), gains(results, "bleu")
    costs, buys = loss.low > 0, bleu.low > 0
    sentence = (
        f"Label smoothing changes the loss by {loss.text(3, ' nats per token')} and BLEU by {bleu.text(2)}: it"
        f" {'costs likelihood' if costs else 'does not clearly cost likelihood'}, and"
        f" {'buys BLEU' if buys else 'costs BLEU' if bleu.high < 0 else 'neither buys nor costs BLEU, up to chance'}."
    )
    return Finding("holds" if costs and buys else "partly" if costs or buys else "fails", sentence)


def picture(results: Results) -> Picture:
    """BLEU by seed; the loss has another scale, and stands in the table."""
    seeds = sorted({row["seed"] for row in results["runs"]})
    by_kind = {
        f"label smoothing {smoothing:g}": {
            row["seed"]: row["bleu"] for row in results["runs"] if row["smoothing"] == smoothing
        }
        for smoothing in sorted({row["smoothing"] for row in results["runs"]})
    }
    return Picture(
        "BLEU with and without label smoothing",
        "BLEU",
        "",
        tuple(
            Series(name, (), tuple(found[seed] for seed in seeds))
            for name, found in by_kind.items()
        ),
        "Two bars per seed: the same initial weights and the same batches, with and without label smoothing. The loss"
        " is in the table.",
        tuple(f"seed {seed}" for seed in seeds),
    )


def rows(results: Results) -> list[Row]:
    """A row per training."""
    return [
        {
            "label smoothing": row["smoothing"],
            "seed": row["seed"],
            "loss (nats per token)": row["loss"],
            "BLEU": row["bleu"],
            "exact match (%)": row["exact_match"],
            "token accuracy": row["token_accuracy"],
            "CPU seconds": row["cpu_seconds"],
        }
        for row in results["runs"]
    ]


def method(results: Results) -> str:
    """The recipe and the test set."""
    seeds = ", ".join(sorted({str(row["seed"]) for row in results["runs"]}))
    width = results["changes"]["model.d_model"]
    return (
        f"{origin(results)} A model of the preset {results['preset']} with d_model {width} learns {results['source']}"
        f" in {results['steps']} updates, with seeds {seeds}; tested on {results['each']} pairs each of the splits"
        f" {' and '.join(results['splits'])} ({results['strategy']}). The loss is of the reference, without smoothing."
        " Intervals: Student's t over seeds."
    )


def _train(smoothing: float) -> View:
    settings = {
        "source": "builtin:en-fr",
        "preset": "small",
        "train.label_smoothing": f"{smoothing}",
    }
    return View("train", {"set": share.pack(settings)})


CLAIM = Claim(
    id="smoothing",
    title="Label smoothing",
    statement="Label smoothing costs likelihood and buys BLEU.",
    source="Vaswani et al. 2017, section 5.4; Müller et al. 2019",
    criterion="It holds where the intervals of both differences are above 0; partly where one is; otherwise it fails.",
    proofs=(
        Proof("Train without it", _train(0.0)),
        Proof("Train with 0.1", _train(0.1)),
        Proof(
            "The loss of each token",
            View(
                "steps",
                {
                    "run": "demo-en-fr",
                    "src": "the cat sits on the mat",
                    "set": share.pack({"view": "reference"}),
                },
            ),
        ),
    ),
    results=lambda: saved("smoothing", *KEYS),
    judge=judge,
    picture=picture,
    rows=rows,
    method=method,
)
