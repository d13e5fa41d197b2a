"""Claim: post-norm without warmup fails, and pre-norm needs none."""

from __future__ import annotations

from typing import Any

from s2s.lessons.claims.claim import Claim, Finding, Picture, Proof, Results, Row, Series
from s2s.lessons.claims.measured import origin, saved
from s2s.lessons.lesson import View
from s2s.links import share

FAILS = 0.5  # nats per token by which the loss stays higher
KEYS = ("steps", "every", "changes", "runs")
LABELS = {
    ("post", False): "post-norm, no warmup",
    ("post", True): "post-norm, warmup",
    ("pre", False): "pre-norm, no warmup",
    ("pre", True): "pre-norm, warmup",
}


def final(row: dict[str, Any]) -> float:
    """The last mean loss; infinite where the training diverged."""
    return float("inf") if row["diverged_at"] else float(row["losses"][-1])


def gaps(results: Results, place: str) -> list[float]:
    """The final loss without warmup minus that with it, by seed."""
    seeds = sorted({row["seed"] for row in results["runs"]})
    found = {
        (row["seed"], bool(row["warmup"])): final(row)
        for row in results["runs"]
        if row["place"] == place
    }
    return [found[seed, False] - found[seed, True] for seed in seeds]


def _mean_final(results: Results, place: str) -> float:
    """With warmup, over seeds."""
    found = [final(row) for row in results["runs"] if row["place"] == place and row["warmup"]]
    return sum(found) / len(found)


def judge(results: Results) -> Finding:
    """From the final losses of every seed."""
    post, pre = gaps(results, "post"), gaps(results, "pre")
    by_seed = [" and ".join(f"{gap:.2f}".replace("-", "−") for gap in one) for one in (post, pre)]
    sentence = (
        f"Without warmup, post-norm's loss after {results['steps']} updates is higher by {by_seed[0]} nats per token (a"
        f" number per seed), and pre-norm's by {by_seed[1]}. With warmup, post-norm ends at"
        f" {_mean_final(results, 'post'):.2f} and pre-norm at {_mean_final(results, 'pre'):.2f}."
    )
    if min(post) >= FAILS and max(pre) < FAILS:
        return Finding("holds", sentence)
    return Finding("partly" if min(post) > 0 and min(post) > max(pre) else "fails", sentence)


def picture(results: Results) -> Picture:
    """The training loss by update, mean over seeds."""
    series = []
    for (place, has_warmup), label in LABELS.items():
        curves = [
            row["losses"]
            for row in results["runs"]
            if (row["place"], bool(row["warmup"])) == (place, has_warmup)
        ]
        by_point = list(zip(*curves, strict=False))
        series.append(
            Series(
                label,
                tuple(float(results["every"] * (at + 1)) for at in range(len(by_point))),
                tuple(sum(one) / len(one) for one in by_point),
                tuple(map(min, by_point)),
                tuple(map(max, by_point)),
            )
        )
    return Picture(
        "Training loss with and without warmup",
        "updates",
        "nats per token",
        tuple(series),
        "Lower is better. Each line is the mean over seeds; its shade reaches from the lowest to the highest.",
    )


def rows(results: Results) -> list[Row]:
    """A row per training."""
    return [
        {
            "norm": LABELS[row["place"], bool(row["warmup"])],
            "seed": row["seed"],
            "warmup (updates)": row["warmup"],
            "final loss (nats per token)": row["losses"][-1] if row["losses"] else "",
            "diverged at update": row["diverged_at"] or "no",
            "CPU seconds": row["cpu_seconds"],
        }
        for row in results["runs"]
    ]


def method(results: Results) -> str:
    """The recipe."""
    seeds = sorted({row["seed"] for row in results["runs"]})
    changes = results["changes"]
    return (
        f"{origin(results)} {changes['model.n_layers']} layers per stack, d_model {changes['model.d_model']}, learning"
        f" rate {changes['train.lr']} (constant after warmup), no gradient clipping, {results['source']}; seeds"
        f" {', '.join(map(str, seeds))}. Each point is the mean loss of {results['every']} training batches."
    )


def _train(place: str, warmup: int) -> View:
    settings = {
        "source": "builtin:en-fr",
        "preset": "small",
        "model.d_model": "64",
        "model.n_layers": "6",
        "model.d_ff": "256",
        "model.norm.place": place,
        "train.steps": "400",
        "train.schedule": "constant",
        "train.warmup_steps": str(warmup),
        "train.batch_tokens": "512",
        "train.optimizer.clip_norm": "0.0",
    }
    return View("train", {"set": share.pack(settings)})


CLAIM = Claim(
    id="norms",
    title="Post-norm and warmup",
    statement="A deep post-norm model trained without warmup fails to learn; a pre-norm model needs no warmup.",
    source="Xiong et al. 2020, sections 3 and 4",
    criterion=f"It holds where, in every seed, post-norm without warmup ends at least {FAILS} nats per token above"
    " post-norm with it (or diverges), and pre-norm does not. Partly: above by less, and by more than pre-norm."
    " Otherwise it fails.",
    proofs=(
        Proof("Train post-norm without warmup", _train("post", 0)),
        Proof("Train it with warmup", _train("post", 100)),
        Proof(
            "Gradients by layer",
            View("walkthrough", {"run": "demo-en-fr", "set": share.pack({"step": "gradients"})}),
        ),
    ),
    results=lambda: saved("norms", *KEYS),
    judge=judge,
    picture=picture,
    rows=rows,
    method=method,
)
