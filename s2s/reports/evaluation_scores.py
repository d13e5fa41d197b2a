"""The evaluations of a run, for its report: every score with its unit, interval and signature."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from s2s import access
from s2s.config import UserError
from s2s.reports import document
from s2s.runs import Evaluation, guests
from s2s.runs import evaluations as stored
from s2s.scores import METRIC_NAMES

MOST = 10  # evaluations, the newest
FRACTIONS = frozenset({"token_accuracy"})  # stored as 0 to 1, shown as a percentage
EARLIER = (
    "An earlier version computed these scores, on texts as they were written; Evaluate can score them again. Do not"
    " compare them with newer ones."
)
HEAD = ("system", "metric", "value", "95 % interval", "unit", "signature")


def evaluations(run_id: str) -> Iterable[str]:
    """A table for each finished evaluation of the run that this workspace has, newest first."""
    found = stored.list_evaluations(access.current(), run_id)
    tables = [table for table in map(_table, found[:MOST]) if table]
    if not tables:
        yield document.paragraph(
            "No test set has been evaluated with this run; Evaluate does that."
        )
    if len(found) > MOST:
        yield document.paragraph(f"The newest {MOST} of {len(found):,} evaluations.")
    yield from tables


def _table(evaluation: Evaluation) -> str:
    """Empty for an evaluation without scores yet."""
    try:
        scores = stored.folder(evaluation.id).scores()
    except UserError as error:
        return document.paragraph(str(error).replace("`", ""))
    shown = guests.evaluation(evaluation)
    systems = scores.get("systems") or []
    rows = [
        row
        for system, own in zip(shown.systems, systems, strict=False)
        for row in _rows(system.name, own)
    ]
    if not rows:
        return ""
    state = "" if scores.get("is_final") else ", not finished"
    caption = f"{shown.name}: {scores.get('n', 0):,} sentences{state}, {evaluation.created[:10]}"
    earlier = document.paragraph(EARLIER) if stored.is_of_earlier_version(scores) else ""
    return document.table(HEAD, rows, caption) + earlier


def _rows(system: str, own: Mapping[str, Any]) -> Iterable[list[str]]:
    values: Mapping[str, Mapping[str, float]] = own.get("scores", {})
    signatures: Mapping[str, str] = own.get("signature", {})
    for key, entry in values.items():
        name = METRIC_NAMES.get(key)
        scale = 100.0 if key in FRACTIONS else 1.0
        low, high = entry.get("low"), entry.get("high")
        interval = (
            f"{scale * low:.4g} to {scale * high:.4g}"
            if low is not None and high is not None
            else "–"
        )
        yield [
            system,
            name.label if name else key,
            f"{scale * entry['value']:.4g}",
            interval,
            name.unit if name else "",
            str(signatures.get(key, "")),
        ]
