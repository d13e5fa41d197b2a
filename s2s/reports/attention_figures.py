"""The attention of a run on one of its samples, for its report."""

from __future__ import annotations

from collections.abc import Iterable

from s2s.analysis import ROLES, HeadSelection, reduced, summarize_heads
from s2s.config import UserError
from s2s.plots import svg, svg_heads
from s2s.reports import document
from s2s.runs import Run

LONGEST = 40  # tokens of a side that a sheet shows legibly


def figures(run: Run) -> Iterable[str]:
    """Figures of cross-attention in all heads and as the mean of the last layer, for the run's own translation."""
    source = _sample(run)
    if not source:
        yield document.paragraph("There is no sample sentence to show attention for.")
        return
    (found,) = run.translate([source], "greedy")
    try:
        attention = run.attention(source, found.text)
    except UserError as error:
        # an output without end is longer than the positions that the model has learned
        yield document.paragraph(str(error).replace("`", ""))
        return
    longest = max(attention.cross.shape[-2:])
    if longest > LONGEST:
        yield document.paragraph(
            f"The sample has {longest:,} tokens on one side, more than the {LONGEST} that fit on paper; Attention"
            " shows it."
        )
        return
    words = f"{source} → {found.text}"
    labels = [
        [ROLES[slug].label for slug in row] for row in summarize_heads(attention, "cross").role
    ]
    yield document.figure(
        svg_heads.heads(attention.cross, labels, title="Cross-attention of all heads"),
        f"{words}. In each square, a row predicts one token; columns are the source tokens. Below a square: the head's"
        " role by a rule of thumb.",
    )
    last = reduced(attention, HeadSelection("cross", attention.cross.shape[0] - 1, None))
    yield document.figure(
        svg.heatmap(
            last.weights,
            last.keys,
            last.rows,
            title=f"Cross-attention, {last.name}",
            verb=last.verb,
        ),
        "Each row is one predicted token; its weights, which sum to 1, show how much attention goes to each source"
        " token.",
    )


def _sample(run: Run) -> str:
    lines = reversed(run.folder.lines("samples"))
    return next(
        (str(line["source"]) for line in lines if str(line.get("source") or "").strip()), ""
    )
