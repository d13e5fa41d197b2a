"""The picture of `Patching`."""

from __future__ import annotations

from s2s.analysis import heads
from s2s.plots.attention import numbered
from s2s.plots.picture import Picture
from s2s.plots.signed_map import signed_map
from s2s.questions import Patched, Patching
from s2s.words import nats

SOURCES = "Vig et al. 2020; Meng et al. 2022; the metric: Zhang and Nanda 2024"
CAVEAT = (
    "Where the sources differ, a column names the token of A and that of B. A small effect of one head may mean that"
    " others do the same. Effects of different cells need not sum to 1, and some exceed 1 or fall below 0."
)


def pictures(question: Patching, answer: Patched, model: str) -> list[Picture]:
    row = heads.PATCHES[question.patch]
    a, b = answer.token_a, answer.token_b
    title = f"{model} · {row.label.lower()}\neffect on {a} − {b}, by layer and {answer.axis}"
    is_state = row.is_state
    columns = numbered(answer.columns) if is_state else answer.columns
    result = answer.result
    metric = (
        f"A: {answer.sources.first}. B: {answer.sources.second}. Metric: m = logit of {a} minus logit of {b} after"
        f" {answer.prefix}, also the difference of their log-probabilities. Run on A: {nats(result.own_a)} nats; run on"
        f" B: {nats(result.own_b)}. Effect = (m of B with the patch − m of B) / (m of A − m of B)."
    )
    figure = (
        signed_map(answer.effects, answer.rows, columns, title=title)
        if result.is_measurable
        else None
    )
    finding = question.finding(answer)
    return [
        Picture(
            "patching",
            title,
            figure,
            f"Heatmap: {title.replace(chr(10), ', ')}; {finding}",
            question.table(answer),
            finding,
            f"{metric} {row.about} {CAVEAT} ({SOURCES})",
        )
    ]
