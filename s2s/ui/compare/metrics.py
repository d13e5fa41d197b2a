"""The metrics of a column of Compare, each with a sentence that explains how it was computed."""

from __future__ import annotations

import html
import io
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from s2s import scores
from s2s.decode import BeamConfig, explain_score, format_number, score_unit
from s2s.files import csv_writer
from s2s.scores import METRIC_NAMES, sentence_scores_of, sentence_signature
from s2s.ui.compare.column import ColumnChoice
from s2s.ui.kit import four_digits, percent
from s2s.ui.kit.cached import TimedDecoding

END = "</s>"
REFERENCE_METRICS = ("chrf", "bleu")
DIVERSITY = MappingProxyType(
    {"distinct-1": ("distinct_1", "words"), "distinct-2": ("distinct_2", "word pairs")}
)
TIME_HELP = (
    "Wall time on this server, measured once, when this translation was first requested: this sentence alone, one"
    " column after the other. Other load on the server may have slowed it."
)


class MetricValue(NamedTuple):
    """A metric as displayed and as a number; `value` is None where it is undefined."""

    name: str
    text: str
    value: float | None
    help: str
    unit: str = ""  # shown after the name


def of_column(choice: ColumnChoice, decoding: TimedDecoding, reference: str) -> list[MetricValue]:
    """All metrics of one column."""
    decoded = decoding.decoded
    seconds = MetricValue("seconds", f"{decoding.seconds:.3f}", decoding.seconds, TIME_HELP)
    return [
        *_model_metrics(choice, decoding),
        *(_reference_metrics(decoded.text, reference) if reference else []),
        *(_distinct(name, decoded.text) for name in DIVERSITY),
        seconds,
    ]


def _model_metrics(choice: ColumnChoice, decoding: TimedDecoding) -> list[MetricValue]:
    """What the model and the strategy say about the best hypothesis."""
    best = decoding.decoded.hypotheses[0]
    log_prob = best.log_prob
    length = len(best.tokens)
    n_predicted = choice.run.recipe.model.ids.n_predicted(best.ids)
    mean = log_prob / n_predicted
    is_ended = best.tokens[-1] == END
    ending = f"Includes {END}." if is_ended else f"No {END}: truncated at max_new_tokens."
    return [
        MetricValue(
            "log-probability",
            four_digits(log_prob),
            log_prob,
            _log_prob_help(log_prob, is_ended=is_ended),
            "nats",
        ),
        MetricValue(
            "per token", four_digits(mean), mean, _mean_help(log_prob, n_predicted), "nats"
        ),
        MetricValue(
            "score",
            four_digits(best.score),
            best.score,
            _score_help(choice, decoding),
            score_unit(choice.config) if choice.config else "",
        ),
        MetricValue(
            "tokens", str(length), length, ending, f"with {END}" if is_ended else f"no {END}"
        ),
    ]


def _log_prob_help(log_prob: float, *, is_ended: bool) -> str:
    included = f"{END} included" if is_ended else f"no {END}"
    of_what = "this output" if is_ended else "outputs that begin like this"
    return (
        f"{format_number(log_prob)} nats, {included}, without logits processors or temperature:"
        f" the model gives {of_what} a probability of {percent(math.exp(log_prob))}."
    )


def _mean_help(log_prob: float, n_predicted: int) -> str:
    mean = format_number(log_prob / n_predicted)
    quotient = f"{format_number(log_prob)} / {n_predicted} predicted tokens = {mean}"
    return f"{quotient}. Comparable between lengths and strategies."


def _score_help(choice: ColumnChoice, decoding: TimedDecoding) -> str:
    best = decoding.decoded.hypotheses[0]
    definition = choice.summary.partition("Score: ")[2]
    explained = ""
    if isinstance(choice.config, BeamConfig) and choice.config.length_formula == "gnmt":
        definition = "log-probability / ((5 + length) / 6)^length_penalty."
    if choice.config:
        explained = explain_score(choice.config, best.log_prob, best.score, len(best.tokens))
    return f"{explained}. What {choice.strategy} ranks by: {definition}"


def _reference_metrics(text: str, reference: str) -> list[MetricValue]:
    """chrF and BLEU of one sentence, with sacrebleu's signatures."""
    counted = scores.statistics([text], [reference], names=REFERENCE_METRICS)
    (values,) = sentence_scores_of(counted)
    return [
        MetricValue(
            METRIC_NAMES[name].label,
            f"{values[name]:.1f}",
            values[name],
            f"{METRIC_NAMES[name].help} For this sentence, by sacrebleu: {sentence_signature(name, counted.scoring)}",
        )
        for name in REFERENCE_METRICS
    ]


def _distinct(name: str, text: str) -> MetricValue:
    key, units = DIVERSITY[name]
    about = f"Distinct {units} as a percentage of all {units} of the text shown."
    if len(text.split()) < int(name[-1]):
        return MetricValue(name, "none", None, f"{about} There are none.")
    value = scores.MEASURES[key].compute([text], [text]).value
    return MetricValue(name, f"{value:.0f}%", value, about)


def draw(rows: Sequence[MetricValue]) -> None:
    """Metrics in a grid; a click or tap opens the explanation, a pointer shows it."""
    st.html(f'<div class="figures">{"".join(map(_metric, rows))}</div>')


def _metric(row: MetricValue) -> str:
    about = html.escape(row.help)
    name = f"{row.name} ({html.escape(row.unit)})" if row.unit else row.name
    summary = f"<summary><span>{name}</span> <b>{row.text}</b></summary>"
    return f'<details title="{about}">{summary}<p>{about}</p></details>'


def table(columns: Mapping[str, tuple[Sequence[str], Sequence[MetricValue]]]) -> str:
    """CSV, one line per column of Compare: run, checkpoint, strategy, settings, output text, metrics, units."""
    out = io.StringIO()
    lines = csv_writer(out)
    first = next(iter(columns.values()))[1]
    names = [row.name for row in first]
    units = [f"{row.name}_unit" for row in first if row.unit]
    lines.writerow(["column", "run", "checkpoint", "strategy", "settings", "text", *names, *units])
    for column, (texts, rows) in columns.items():
        values = [row.value for row in rows]
        lines.writerow([column, *texts, *values, *(row.unit for row in rows if row.unit)])
    return out.getvalue()
