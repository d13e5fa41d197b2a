"""Beam search of many widths: BLEU, length, log-probability and search errors, of a trained and of a hasty model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import s2s
from benchmarks.claims import training
from s2s import scores
from s2s.data import load
from s2s.runs import Decoded, Run

BEAMS = (1, 2, 5, 10, 20, 50, 100)
PENALTIES = (0.0, 1.0)  # without length normalization, and the default
N = 200  # sentences
SPLIT = "deep"  # clauses within clauses: the split that the demo translates worst
HASTY = 250  # updates
ROUNDING = 1e-3  # nats


def measure() -> dict[str, Any]:
    """A row per model, length penalty and width."""
    hasty = training.start(800, 1)
    hasty.advance(HASTY)
    rows = [
        *_searched("demo-en-fr", s2s.load("demo-en-fr")),
        *_searched(f"a smaller model after {HASTY} updates", hasty.run),
    ]
    about = {"split": SPLIT, "n": N, "compared": [100, 5], **training.described(HASTY)}
    return {**about, "runs": rows}


def _searched(name: str, run: Run) -> list[dict[str, Any]]:
    pairs = load("builtin:en-fr", SPLIT).pairs[:N]
    sources = [pair.src for pair in pairs]
    targets = [pair.tgt for pair in pairs]
    reference = [forced.log_prob for forced in run.force(sources, targets)]
    rows = []
    for penalty in PENALTIES:
        found = {
            width: run.translate(sources, "beam", num_beams=width, length_penalty=penalty)
            for width in BEAMS
        }
        best = [max(float(one[i].log_prob) for one in found.values()) for i in range(len(sources))]
        counts = {
            width: scores.statistics([one.text for one in texts], targets, names=("bleu",))
            for width, texts in found.items()
        }
        versus = counts[100].paired(counts[5])["bleu"]
        for width, texts in found.items():
            row = {
                "model": name,
                "length_penalty": penalty,
                "num_beams": width,
                "bleu": round(counts[width].scores()["bleu"].value, 2),
                **_lengths(texts, targets),
                **_errors(texts, best, reference),
            }
            rows.append(row)
            print(row, flush=True)
        rows[-1]["difference"] = [round(x, 2) for x in (versus.difference, versus.low, versus.high)]
    return rows


def _lengths(texts: Sequence[Decoded], targets: Sequence[str]) -> dict[str, float]:
    """Words written per word of the references, and how many outputs are empty."""
    written = sum(len(one.text.split()) for one in texts)
    expected = sum(len(target.split()) for target in targets)
    n_empty = sum(not one.text for one in texts)
    return {"length_ratio": round(written / expected, 4), "empty": n_empty}


def _errors(
    texts: Sequence[Decoded], best: Sequence[float], reference: Sequence[float]
) -> dict[str, float]:
    """`search_errors`: another width found a more probable target, or the reference is more probable. `log_prob`: nats
    per sentence, on average.
    """
    known = [max(pair) for pair in zip(best, reference, strict=True)]
    missed = sum(top > one.log_prob + ROUNDING for one, top in zip(texts, known, strict=True))
    mean = sum(one.log_prob for one in texts) / len(texts)
    return {"log_prob": round(mean, 4), "search_errors": missed}
