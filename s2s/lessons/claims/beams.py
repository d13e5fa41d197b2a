"""Claim: a beam of 100 is worse than a beam of 5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from s2s.lessons.claims.claim import Claim, Finding, Picture, Proof, Results, Row, Series
from s2s.lessons.claims.measured import origin, saved
from s2s.lessons.lesson import View
from s2s.links import share

KEYS = ("split", "n", "runs")
WIDE = 100
NARROW = 5


def searches(results: Results) -> dict[tuple[str, float], list[Mapping[str, Any]]]:
    """By model and length penalty, from the narrowest beam to the widest."""
    found: dict[tuple[str, float], list[Mapping[str, Any]]] = {}
    for row in results["runs"]:
        found.setdefault((row["model"], row["length_penalty"]), []).append(row)
    return found


def judge(results: Results) -> Finding:
    """From the paired bootstrap of BLEU, without length normalization and with it."""
    parts = []
    worse = []
    for (model, penalty), rows in searches(results).items():
        difference, low, high = rows[-1]["difference"]
        worse.append(high < 0)
        numbers = [f"{number:.1f}".replace("-", "−") for number in (difference, low, high)]
        how = "with" if penalty else "without"
        (narrow,) = [row for row in rows if row["num_beams"] == NARROW]
        change = f"BLEU changes by {numbers[0]} [{numbers[1]}, {numbers[2]}]"
        if rows[-1]["log_prob"] == narrow["log_prob"]:
            change = "the same translations"
        parts.append(f"- {model}, {how} length normalization: {change}.")
    title = f"With a beam of {WIDE} instead of {NARROW}, on {results['n']} sentences:\n"
    sentence = "\n".join((title, *parts))
    return Finding("holds" if all(worse) else "partly" if any(worse) else "fails", sentence)


def picture(results: Results) -> Picture:
    """BLEU by the width of the beam."""
    return Picture(
        f"BLEU by the width of the beam, split {results['split']}",
        "num_beams",
        f"BLEU, split {results['split']}",
        tuple(
            Series(
                f"{model}, {'length-normalized' if penalty else 'not normalized'}",
                tuple(float(row["num_beams"]) for row in rows),
                tuple(row["bleu"] for row in rows),
            )
            for (model, penalty), rows in searches(results).items()
        ),
        "A line that falls to the right is the beam search curse: the search finds more probable outputs, which are"
        f" worse. The split {results['split']} is harder than training; on the split random, BLEU is higher.",
        is_log=True,
    )


def rows(results: Results) -> list[Row]:
    """A row per search."""
    return [
        {
            "model": row["model"],
            "length_penalty": row["length_penalty"],
            "num_beams": row["num_beams"],
            "BLEU": row["bleu"],
            "length ratio": row["length_ratio"],
            "empty outputs": row["empty"],
            "log-probability per sentence (nats)": row["log_prob"],
            "search errors": row["search_errors"],
        }
        for row in results["runs"]
    ]


def method(results: Results) -> str:
    """The models, the test set, and what counts as an error."""
    return (
        f"{origin(results)} {results['n']} sentences of the split {results['split']}. The smaller model is of the"
        f" preset {results['preset']} with d_model {results['changes']['model.d_model']}, stopped early, seed 1. Search"
        " errors: sentences for which another width found a more probable output, or the reference is more probable."
        " Intervals: paired bootstrap."
    )


CLAIM = Claim(
    id="beams",
    title="Wide beams",
    statement="A beam of 100 translates worse than a beam of 5, although it finds more probable outputs.",
    source="Stahlberg & Byrne 2019; Koehn & Knowles 2017, section 3.6",
    criterion=f"It holds where BLEU with {WIDE} beams is below that with {NARROW} for both models, with and without"
    " length normalization, each interval below 0; partly where for some; otherwise it fails.",
    proofs=(
        Proof(
            "Both beams, side by side",
            View(
                "compare",
                {
                    "run": "demo-en-fr",
                    "src": "the friend who knows the easy story that the kings know ran",
                    **{
                        f"c{column}": str(
                            share.Column("demo-en-fr", "", "beam", {"num_beams": str(width)})
                        )
                        for column, width in enumerate((NARROW, WIDE), 1)
                    },
                },
            ),
        ),
        Proof(
            "Sweep the width",
            View(
                "evaluate",
                {
                    "run": "demo-en-fr",
                    "set": share.pack(
                        {
                            "test": "deep",
                            "n": "100",
                            "strategies": "beam",
                            "sweep": "num_beams of beam",
                            "values": "1 5 20 100",
                        }
                    ),
                },
            ),
        ),
    ),
    results=lambda: saved("beams", *KEYS),
    judge=judge,
    picture=picture,
    rows=rows,
    method=method,
)
