"""The numbers of a column of Compare, each with the sentence that explains it. Every one opens to say how it was computed."""

from __future__ import annotations

import csv
import html
import io
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from s2s import plots, scores
from s2s.decode import explain_score, format_number
from s2s.scores import sentence_scores_of
from s2s.ui.compare.column import Chosen
from s2s.ui.kit.cached import TimedDecoding
from s2s.ui.kit.captions import nats, percent
from s2s.words import METRIC_NAMES

END = "</s>"
VARIETY = {
    "distinct-1": ("distinct_1", "words"),
    "distinct-2": ("distinct_2", "pairs of neighbouring words"),
}
NAMES = {"chrf": "chrF", "bleu": "BLEU"}
CLOCK = (
    "Wall time on this server, measured once, when this translation was first asked for: this sentence alone, one column after the"
    " other. What others did meanwhile may have slowed it."
)


class Figure(NamedTuple):
    """One number, as it is read and as it is computed with; `value` is empty where there is none."""

    name: str
    shown: str
    value: float | None
    about: str


def figures(chosen: Chosen, timed: TimedDecoding, reference: str) -> list[Figure]:
    """All of one column."""
    beside = _beside(timed.decoded.text, reference) if reference else []
    varied = [_distinct(name, [one.text for one in timed.decoded.hypotheses]) for name in VARIETY]
    seconds = Figure("seconds", f"{timed.seconds:.3f}", timed.seconds, CLOCK)
    return [*_own(chosen, timed), *beside, *varied, seconds]


def _own(chosen: Chosen, timed: TimedDecoding) -> list[Figure]:
    """What the model and the strategy say of the best hypothesis."""
    best = timed.decoded.hypotheses[0]
    length = len(best.tokens)
    log_prob = best.log_prob
    score = best.score
    share = f"of all that it could write, the model puts {percent(math.exp(log_prob))} on this"
    whole = (
        f"{format_number(log_prob)} nats, {END} included, without rules or temperature: {share}."
    )
    mean = (
        f"{format_number(log_prob)} / {length} tokens = {format_number(log_prob / length)}."
        " It can be compared between lengths and strategies."
    )
    summary = chosen.summary.partition("Score: ")[2]
    sum_of = explain_score(chosen.config, log_prob, score, length) if chosen.config else ""
    end = (
        f"{END} included."
        if best.tokens[-1] == END
        else f"Without {END}: it was cut by the limit, max_new_tokens."
    )
    return [
        Figure("log-probability", nats(log_prob), log_prob, whole),
        Figure("per token", _short(log_prob / length), log_prob / length, mean),
        Figure(
            "score", _short(score), score, f"{sum_of}. What {chosen.strategy} ranks by: {summary}"
        ),
        Figure("tokens", str(length), length, end),
    ]


def _beside(text: str, reference: str) -> list[Figure]:
    """chrF and BLEU of one sentence, with sacrebleu's own signatures."""
    (values,) = sentence_scores_of(scores.statistics([text], [reference], names=tuple(NAMES)))
    signed = {name: scores.METRICS[name].compute([text], [reference]).signature for name in NAMES}
    signed["bleu"] = signed["bleu"].replace(
        "eff:no", "eff:yes"
    )  # a short sentence lacks the longer orders; they are left out
    about = {
        name: f"{METRIC_NAMES[name].help} Of this sentence, by sacrebleu: {signed[name]}"
        for name in NAMES
    }
    return [
        Figure(label, f"{values[name]:.1f}", values[name], about[name])
        for name, label in NAMES.items()
    ]


def _distinct(name: str, texts: Sequence[str]) -> Figure:
    key, what = VARIETY[name]
    whose = "its text" if len(texts) == 1 else f"its {len(texts)} hypotheses together"
    about = f"Different {what} in percent of all {what} of {whose}."
    if not any(len(text.split()) >= int(name[-1]) for text in texts):
        return Figure(name, "none", None, f"{about} There are none.")
    value = scores.MEASURES[key].compute(texts, texts).value
    return Figure(name, f"{value:.0f}%", value, about)


def _short(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def draw(rows: Sequence[Figure]) -> None:
    """Side by side; a click or tap opens how each was computed, a pointer shows it."""
    st.html(f'<div class="figures">{"".join(map(_figure, rows))}</div>')


def _figure(row: Figure) -> str:
    about = html.escape(row.about)
    return f'<details title="{about}"><summary><span>{row.name}</span> <b>{row.shown}</b></summary><p>{about}</p></details>'


def table(columns: Mapping[str, tuple[Sequence[str], Sequence[Figure]]]) -> str:
    """A line a column of Compare: what it is, what it wrote, its numbers."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    names = [row.name for row in next(iter(columns.values()))[1]]
    rows.writerow(["column", "run", "checkpoint", "strategy", "settings", "text", *names])
    for column, (told, numbers) in columns.items():
        values = ["" if row.value is None else f"{row.value:.6g}" for row in numbers]
        rows.writerow([column, *map(plots.csv_cell, told), *values])
    return out.getvalue()
