"""The pictures of `AlignmentError`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from s2s.analysis import LINK_METHODS, REDUCTIONS, Floats
from s2s.plots.grids import NumberGrid, number_grids
from s2s.plots.picture import Picture
from s2s.questions import AlignmentError, HeadAlignment, Table

ERRORS = (
    "AER is 0 where a head's links are the gold links, 1 where none is; darker is better. Frame: the best head of its"
    " grid. Hover or tap for the 95 % interval over sentences, which does not count that the best was chosen among many"
    " cells."
)
AGREEMENT = (
    "1: two heads make the same links; 0: they share none. F1 is 1 − AER with either of the two as gold. Agreement does"
    " not show that links are correct; upload an alignment below to measure the error."
)


def pictures(question: AlignmentError, answer: HeadAlignment, model: str) -> list[Picture]:
    method = LINK_METHODS[question.links]
    links = f"links: {method.label.lower()}"
    where = f"{model}\n{answer.n:,} sentences: {answer.sample}"
    left_out = "; ".join(f"{n:,} {why}" for why, n in answer.left_out.items())
    about = f"{method.about} ({method.source})" + (f" Left out: {left_out}." if left_out else "")
    at = answer.methods.index(question.links)
    if not answer.gold:
        return [_agreement(question, answer, at, f"{links}\n{where}", about)]
    title = f"AER of every head, {links}\n{where}"
    figure = number_grids(
        [_error_grid(answer, number, at) for number in range(len(answer.reductions))],
        title=title,
        axes=("layer", "head"),
        scale="AER",
    )
    table = question.table(answer)
    best = Table(
        table.columns, [*{tuple(row[:2]): row for row in reversed(table.rows)}.values()][::-1]
    )
    return [
        Picture(
            "alignment error",
            title,
            figure,
            f"Grids of {title.replace(chr(10), ', ')}",
            table,
            question.finding(answer),
            f"{ERRORS} {about}",
        ),
        Picture(
            "best heads",
            f"Best head by reduction and links\n{where}",
            best,
            f"Best head by reduction and links, {where.replace(chr(10), ', ')}",
            best,
        ),
    ]


def _error_grid(answer: HeadAlignment, reduction: int, method: int) -> NumberGrid:
    error = answer.error[reduction, method]

    def said(layer: int, head: int) -> str:
        at = (reduction, method, layer, head)
        return (
            f"layer {layer + 1}, head {head + 1}: AER {answer.error[at]:.3f} ({answer.low[at]:.3f} to"
            f" {answer.high[at]:.3f}), precision {answer.precision[at]:.3f}, recall {answer.recall[at]:.3f}"
        )

    hovers = [
        [said(layer, head) for head in range(error.shape[1])] for layer in range(error.shape[0])
    ]
    layer, head = np.unravel_index(int(np.nanargmin(error)), error.shape)
    return NumberGrid(
        REDUCTIONS[answer.reductions[reduction]].label, error, hovers, (int(layer), int(head))
    )


def _agreement(
    question: AlignmentError, answer: HeadAlignment, at: int, where: str, about: str
) -> Picture:
    names = answer.head_names
    what = "each head with all others (mean F1)" if answer.f1 is None else "each two heads (F1)"
    title = f"Agreement of {what}, {where}"
    drawn = answer.with_others[:, at] if answer.f1 is None else answer.f1[:, at]
    figure = number_grids(
        [_f1_grid(slug, drawn[r], names) for r, slug in enumerate(answer.reductions)],
        title=title,
        axes=("layer", "head") if answer.f1 is None else ("layer.head", "layer.head"),
        scale="F1",
        ticks=() if answer.f1 is None else names,
    )
    return Picture(
        "agreement",
        title,
        figure,
        f"Grids of {title.replace(chr(10), ', ')}",
        question.table(answer),
        question.finding(answer),
        f"{AGREEMENT} {about}",
    )


def _f1_grid(slug: str, f1: Floats, names: Sequence[str]) -> NumberGrid:
    texts = [f"{name} with all others" for name in names]
    if f1.size > len(names):
        texts = [f"{one} and {other}" for one in names for other in names]
    hovers = [f"{text}: F1 {value:.3f}" for text, value in zip(texts, f1.ravel(), strict=True)]
    n_columns = f1.shape[1]
    rows = [hovers[start : start + n_columns] for start in range(0, len(hovers), n_columns)]
    return NumberGrid(REDUCTIONS[slug].label, f1, rows)
