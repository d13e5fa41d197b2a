"""The evaluations of a run, for its report: every score with its unit, interval and signature."""

from __future__ import annotations

from collections.abc import Iterable

from s2s.config import UserError, asker
from s2s.jobs import validation
from s2s.library import Library, guests
from s2s.library.own import list_evaluations
from s2s.reports import document
from s2s.runs import Evaluation
from s2s.runs import evaluations as stored

MOST = 10  # evaluations, the newest
EARLIER = (
    "An earlier version computed these scores, on texts as they were written; Evaluate can score them again. Do not"
    " compare them with newer ones."
)
HEAD = ("system", *validation.HEAD)


def evaluations(run_ids: Iterable[str]) -> Iterable[str]:
    """A table for each finished evaluation that this workspace has of a run with these ids, newest first."""
    found = {
        each.id: each for run_id in run_ids for each in list_evaluations(asker.current(), run_id)
    }
    newest = sorted(found.values(), key=lambda each: (each.created, each.id), reverse=True)
    tables = [table for table in map(_table, newest[:MOST]) if table]
    if not tables:
        yield document.paragraph(
            "No test set has been evaluated with this run; Evaluate does that."
        )
    if len(found) > MOST:
        yield document.paragraph(f"The newest {MOST} of {len(found):,} evaluations.")
    yield from tables


def _table(evaluation: Evaluation) -> str:
    try:
        scores = Library().evaluation(evaluation.id).scores()
    except UserError as error:
        return document.paragraph(str(error).replace("`", ""))
    shown = guests.evaluation(evaluation)
    systems = scores.get("systems") or []
    rows = [
        [system.name, *row]
        for system, own in zip(shown.systems, systems, strict=False)
        for row in validation.rows(own)
    ]
    if not rows:
        return ""
    state = "" if scores.get("is_final") else ", not finished"
    caption = f"{shown.name}: {scores.get('n', 0):,} sentences{state}, {evaluation.created[:10]}"
    earlier = document.paragraph(EARLIER) if stored.is_of_earlier_version(scores) else ""
    return document.table(HEAD, rows, caption) + earlier
