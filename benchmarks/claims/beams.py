"""Beam search of many widths: BLEU, length, log-probability and search errors, of a trained and of a hasty model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import s2s
from benchmarks.claims import training
from benchmarks.claims.intervals import signed
from s2s import scores
from s2s.data import load
from s2s.lessons.claims import Measured, Picture, Series
from s2s.runs import Decoded, Run

BEAMS = (1, 2, 5, 10, 20, 50, 100)
WIDE, NARROW = 100, 5  # which are compared
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
    about = {"split": SPLIT, "n": N, "compared": [WIDE, NARROW], **training.described(HASTY)}
    return {**about, "runs": rows}


COLUMNS = {
    "model": "model",
    "length_penalty": "length_penalty",
    "num_beams": "num_beams",
    "BLEU": "bleu",
    "length ratio": "length_ratio",
    "empty outputs": "empty",
    "log-probability per sentence (nats)": "log_prob",
    "search errors": "search_errors",
}


def report(results: Mapping[str, Any]) -> Measured:
    """BLEU by width; the level, from its paired bootstrap without length normalization and with it."""
    split = results["split"]
    searches: dict[tuple[str, float], list[Mapping[str, Any]]] = {}  # from the narrowest beam on
    for row in results["runs"]:
        searches.setdefault((row["model"], row["length_penalty"]), []).append(row)
    worse = [rows[-1]["difference"][-1] < 0 for rows in searches.values()]
    return Measured(
        "holds" if all(worse) else "partly" if any(worse) else "fails",
        f"With a beam of {WIDE} instead of {NARROW}, on {results['n']} sentences: "
        + "; ".join(
            f"{model}, {'with' if penalty else 'without'} length normalization: {_changed(rows)}"
            for (model, penalty), rows in searches.items()
        )
        + ".",
        f"{results['n']} sentences of the split {split}. The smaller model is of the preset {results['preset']} with"
        f" d_model {results['changes']['model.d_model']}, stopped early, seed 1. Search errors: sentences for which"
        " another width found a more probable output, or the reference is more probable. Intervals: paired bootstrap.",
        Picture(
            f"BLEU by the width of the beam, split {split}",
            "num_beams",
            f"BLEU, split {split}",
            tuple(
                Series(
                    f"{model}, {'length-normalized' if penalty else 'not normalized'}",
                    tuple(float(row["num_beams"]) for row in rows),
                    tuple(row["bleu"] for row in rows),
                )
                for (model, penalty), rows in searches.items()
            ),
            "A line that falls to the right is the beam search curse: the search finds more probable outputs, which are"
            f" worse. The split {split} is harder than training; on the split random, BLEU is higher.",
            is_log=True,
        ),
        {name: tuple(row[key] for row in results["runs"]) for name, key in COLUMNS.items()},
    )


def _changed(rows: Sequence[Mapping[str, Any]]) -> str:
    (narrow,) = [row for row in rows if row["num_beams"] == NARROW]
    if rows[-1]["log_prob"] == narrow["log_prob"]:
        return "the same translations"
    difference, low, high = map(signed, rows[-1]["difference"])
    return f"BLEU changes by {difference} [{low}, {high}]"


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
        versus = counts[WIDE].paired(counts[NARROW])["bleu"]
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
