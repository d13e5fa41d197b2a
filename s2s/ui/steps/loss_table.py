"""The loss of every token of a reference and of the model's own translation, side by side."""

from __future__ import annotations

import io
import math

from s2s.files import csv_writer
from s2s.runs import DecodedHypothesis, Reference, first_difference

Cells = tuple[object, ...]
FORCED = ("reference", "loss (nats)", "probability", "rank", "the model would write")
FREE = ("its own", "its own loss (nats)")
COLUMNS = ("position", *FORCED, *FREE, "differs")


def rows(own: DecodedHypothesis, reference: Reference) -> list[dict[str, object]]:
    """One row per position; where one of the two has ended, its cells are empty."""
    first = first_difference(reference.ids, own.ids)
    found = []
    for position in range(max(len(reference.ids), len(own.ids))):
        differs = "≠" if first is not None and position >= first else ""
        cells = (position + 1, *_forced(reference, position), *_free(own, position), differs)
        found.append(dict(zip(COLUMNS, cells, strict=True)))
    return found


def csv_text(own: DecodedHypothesis, reference: Reference) -> str:
    """The table as CSV."""
    out = io.StringIO()
    lines = csv_writer(out)
    lines.writerow(COLUMNS)
    for row in rows(own, reference):
        cells = row.values()
        lines.writerow(cells)
    return out.getvalue()


def _forced(reference: Reference, position: int) -> Cells:
    """The cells of FORCED."""
    if position >= len(reference.ids):
        return ("", None, None, None, "")
    log_prob = reference.log_probs[position]
    return (
        reference.tokens[position],
        -log_prob,
        math.exp(log_prob),
        reference.ranks[position],
        reference.predicted[position],
    )


def _free(own: DecodedHypothesis, position: int) -> Cells:
    """The cells of FREE."""
    if position >= len(own.ids):
        return ("", None)
    return (own.tokens[position], -own.token_log_probs[position])
