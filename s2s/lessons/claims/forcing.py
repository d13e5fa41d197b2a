"""Claim: teacher forcing trains better than a decoder that reads its own outputs, for the same updates and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from s2s.lessons.claims.claim import Claim, Finding, Picture, Proof, Results, Row, Series
from s2s.lessons.claims.measured import origin, saved
from s2s.lessons.lesson import View
from s2s.links import share

FORCED = "teacher forcing"
FREE = "free-running"
KEYS = ("split", "n", "steps", "runs")


def runs(results: Results, kind: str) -> dict[int, list[Mapping[str, Any]]]:
    """The points of each seed's curve."""
    return {row["seed"]: row["points"] for row in results["runs"] if row["kind"] == kind}


def same_time(points: list[Mapping[str, Any]], seconds: float) -> Mapping[str, Any]:
    """The last point of a curve that took at most so many seconds; the first where all took longer."""
    return ([point for point in points if point["seconds"] <= seconds] or points[:1])[-1]


def judge(results: Results) -> Finding:
    """From BLEU after the same updates and after the same seconds, in every seed."""
    forced, free = runs(results, FORCED), runs(results, FREE)
    updates = [forced[seed][-1]["bleu"] - free[seed][-1]["bleu"] for seed in forced]
    seconds = [
        forced[seed][-1]["bleu"] - same_time(free[seed], forced[seed][-1]["seconds"])["bleu"]
        for seed in forced
    ]
    slower = [free[seed][-1]["seconds"] / forced[seed][-1]["seconds"] for seed in forced]
    sentence = (
        f"Teacher forcing is ahead by {_over_seeds(updates)} BLEU after {results['steps']} updates, and by"
        f" {_over_seeds(seconds)} after the same CPU time: a free-running update takes"
        f" {sum(slower) / len(slower):.1f} times as long."
    )
    ahead = min(updates) > 0, min(seconds) > 0
    return Finding("holds" if all(ahead) else "partly" if any(ahead) else "fails", sentence)


def _over_seeds(values: Sequence[float]) -> str:
    """`28.3 (23.0 to 33.6)`: the mean, the smallest and the largest."""
    numbers = sum(values) / len(values), min(values), max(values)
    mean, low, high = (f"{number:.1f}".replace("-", "−") for number in numbers)
    return f"{mean} ({low} to {high} over {len(values)} seeds)"


def picture(results: Results) -> Picture:
    """BLEU by update, mean and range over seeds."""
    series = []
    for kind in (FORCED, FREE):
        curves = list(runs(results, kind).values())
        scores = [[point["bleu"] for point in points] for points in curves]
        by_point = list(zip(*scores, strict=True))
        series.append(
            Series(
                kind,
                tuple(float(point["updates"]) for point in curves[0]),
                tuple(sum(one) / len(one) for one in by_point),
                tuple(map(min, by_point)),
                tuple(map(max, by_point)),
            )
        )
    return Picture(
        "BLEU while training",
        "updates",
        "BLEU, decoded greedily",
        tuple(series),
        "Each line is the mean over seeds; its shade reaches from the worst to the best. Both decode in the same way:"
        " only training differs.",
    )


def rows(results: Results) -> list[Row]:
    """A row per kind of training and seed, at its end."""
    return [
        {
            "training": row["kind"],
            "seed": row["seed"],
            "updates": point["updates"],
            "CPU seconds": round(point["seconds"], 1),
            "BLEU": point["bleu"],
            "loss (nats per token)": point["loss"],
            "correct tokens, reference's prefix (%)": _percent(row["positions"], "forced"),
            "correct tokens, own prefix (%)": _percent(row["positions"], "free"),
        }
        for row in results["runs"]
        for point in row["points"][-1:]
    ]


def _percent(positions: Mapping[str, list[float]], key: str) -> float:
    """Over all positions."""
    pairs = zip(positions[key], positions["n"], strict=True)
    return round(100 * sum(share * n for share, n in pairs) / sum(positions["n"]), 1)


def method(results: Results) -> str:
    """How free-running training works here."""
    seeds = ", ".join(sorted({str(row["seed"]) for row in results["runs"]}))
    width = results["changes"]["model.d_model"]
    return (
        f"{origin(results)} A model of the preset {results['preset']} with d_model {width} learns {results['source']};"
        f" seeds {seeds}; scored on {results['n']} pairs of the split {results['split']}. Free-running: the decoder"
        " first writes a sentence greedily, reads it in place of the reference, and is to predict the reference at each"
        " position; no gradient passes through the choice of a token. CPU seconds are those of the updates; the two"
        " took turns."
    )


CLAIM = Claim(
    id="forcing",
    title="Teacher forcing",
    statement="Teacher forcing trains better than free-running, for the same number of updates and for the same time.",
    source="Williams & Zipser 1989; Lamb et al. 2016",
    criterion="It holds where teacher forcing has the higher BLEU in every seed, both after the same updates and after"
    " the same CPU seconds; partly where in one of the two; otherwise it fails.",
    proofs=(
        Proof(
            "Teacher forcing, step by step",
            View("walkthrough", {"run": "demo-en-fr", "set": share.pack({"step": "forcing"})}),
        ),
        Proof(
            "A reference, forced",
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
    results=lambda: saved("forcing", *KEYS),
    judge=judge,
    picture=picture,
    rows=rows,
    method=method,
)
