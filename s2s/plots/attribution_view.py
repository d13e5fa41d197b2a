"""The pictures of `Attribution` and of `ChangedWeights`."""

from __future__ import annotations

import math

import numpy as np

from s2s.analysis import heads
from s2s.plots.attention import heatmap_data, numbered
from s2s.plots.picture import Picture
from s2s.plots.tensor import signed_map
from s2s.questions import (
    MAPS,
    Attributed,
    Attribution,
    ChangedWeights,
    Shifted,
    Table,
    completeness,
    weights_table,
)

AGREEMENT = (
    "Rank correlation between attention and the absolute attribution, per target token, then averaged: 1 where both"
    " rank the source tokens alike, 0 where one says nothing about the other."
)
EXPLANATION = (
    "Columns are predicted tokens; cells are medians over the variants of a change. At one target position at a time,"
    " the weights of that row are replaced; values and everything before stay as they are. Total variation: half the"
    " sum of the absolute differences of the next token's probabilities; 0: the output does not move, 1: it is another"
    " one altogether. Where weights move far and the output does not, these weights are no explanation of this token"
    " (Jain and Wallace 2019). Where both move, they matter to this model, which does not make them the only possible"
    " explanation (Wiegreffe and Pinter 2019)."
)


def pictures(question: Attribution, answer: Attributed, model: str) -> list[Picture]:
    return [
        _attribution(question, answer, model),
        _attention(question, answer, model),
        _sums(question, answer),
        _agreement(question, answer),
    ]


def _attribution(question: Attribution, answer: Attributed, model: str) -> Picture:
    row = heads.ATTRIBUTIONS[question.method]
    baseline = heads.BASELINES["zero" if question.method == "gradient" else question.baseline]
    title = f"{model}\n{row.label.lower()}, nats of log-probability"
    rows, columns = numbered(answer.forced.tgt_tokens), numbered(answer.forced.src_tokens)
    finding = question.finding(answer)
    return Picture(
        "attribution",
        title,
        signed_map(answer.found.values, rows, columns, title=title),
        f"Heatmap: {title.replace(chr(10), ', ')}; {finding}",
        question.table(answer),
        finding,
        f"Rows are target tokens, columns source tokens. {row.about} ({row.source}) {row.completeness} Baseline:"
        f" {baseline.about}",
    )


def _attention(question: Attribution, answer: Attributed, model: str) -> Picture:
    shown = question.shown(answer)
    title = f"{model}\ncross-attention · {shown.name}"
    labels = (shown.weights, numbered(shown.keys), numbered(shown.rows))
    figure = heatmap_data(*labels, title=title, verb=shown.verb)
    alt = f"Heatmap of {title.replace(chr(10), ', ')}"
    return Picture("attention beside", title, figure, alt, weights_table(shown))


def _sums(question: Attribution, answer: Attributed) -> Picture:
    found = answer.found
    agreement = question.agreement(answer)
    rows = []
    for at, token in enumerate(numbered(answer.forced.tgt_tokens)):
        ranks = [
            float(each[at]) if at < len(each) else math.nan  # a map without a row for the last
            for each in (agreement.spearman, agreement.kendall)
        ]
        difference = found.own[at] - found.without[at]
        values = (found.own[at], found.without[at], difference, found.sums[at], found.residuals[at])
        rows.append([token, *map(float, values), *ranks])
    columns = ("target token", "log-probability", "with the baseline", "difference")
    table = Table((*columns, "sum of the row", "residual", "Spearman", "Kendall"), rows)
    title = f"Completeness, and agreement with {question.shown(answer).name}"
    return Picture("completeness", title, None, title, table, completeness(answer))


def _agreement(question: Attribution, answer: Attributed) -> Picture:
    rows = []
    for slug, label in MAPS.items():
        found = question.agreement(answer, slug)
        rows.append([label, float(found.mean_spearman), float(found.mean_kendall), found.n])
    table = Table(("attention", "Spearman", "Kendall", "target tokens"), rows)
    title = "Agreement of attribution with attention, by reduction"
    return Picture("agreement", title, None, title, table, "", AGREEMENT)


def changed(question: ChangedWeights, answer: Shifted, model: str) -> list[Picture]:
    """Pictures of how far the output moves by each change, per target token, then a row per change."""
    labels = [heads.WEIGHT_CHANGES[slug].label for slug in answer.shifts]
    medians = np.array([np.median(each.total_variation, 0) for each in answer.shifts.values()])
    columns = numbered(answer.forced.tgt_tokens)
    title = f"{model}\ntotal variation of the output, cross-attention of {answer.heads}"
    finding = question.finding(answer)
    refused = " ".join(
        f"{heads.WEIGHT_CHANGES[slug].label}: {why}" for slug, why in answer.refused.items()
    )
    rows = []
    for slug, shift in answer.shifts.items():
        row = heads.WEIGHT_CHANGES[slug]
        arrays = (shift.weights_moved, shift.total_variation, shift.jensen_shannon)
        middle = [float(np.median(each)) for each in arrays]
        share = float(shift.is_changed.mean())
        rows.append([row.label, len(shift.best), *middle, share, f"{row.about} ({row.source})"])
    names = ("weights moved", "total variation", "Jensen-Shannon (nats)", "other token")
    table = Table(("change", "variants", *names, "what is done"), rows, shares=names[3:])
    return [
        Picture(
            "changed weights",
            title,
            signed_map(medians, labels, columns, title=title),
            f"Heatmap: {title.replace(chr(10), ', ')}; {finding}",
            question.table(answer),
            finding,
            f"{EXPLANATION} {refused}".strip(),
        ),
        Picture("shifts", title, table, title.replace("\n", ", "), table),
    ]
