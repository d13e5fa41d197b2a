"""The sentences of an evaluation in buckets, two systems beside each other, and how often something goes wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from s2s import plots, settings
from s2s.analysis import (
    BUCKETINGS,
    NUMBERS,
    BucketScore,
    ErrorCounts,
    SentenceRow,
    bucket_scores,
    count_errors,
)
from s2s.runs import Evaluation, evaluations
from s2s.scores import METRIC_NAMES
from s2s.ui.evaluate import references
from s2s.ui.evaluate.sentences import scored_at
from s2s.ui.evaluate.view_state import STATE, numbered
from s2s.ui.kit import cached, file_name, plain, shortened
from s2s.words import MetricName

SCORES = ("bleu", "chrf", "ter", "rouge_l", "exact_match")
NOTHING = "no other system"
NONE = "none"  # stands in links
UNKNOWN = "–"
FLAGS = "flags"
FIRST_DECIDES = "The first reference of a sentence decides its bucket; the score counts all."
HEADS = {"difference": "difference", "low": "95 % from", "high": "to"}


class Choice(NamedTuple):
    """What is compared: two systems, or one, by buckets and a metric; `n` sentences are done.

    `values` tells apart files of one metric that were added after each other.
    """

    ours: int
    theirs: int | None
    by: str
    metric: str
    n: int
    values: int


def panel(
    evaluation: Evaluation,
    every: Sequence[Sequence[SentenceRow]],
    more: Sequence[MetricName] = (),
) -> None:
    """How often each error occurs, and the scores by bucket. `more`: the metrics of files."""
    st.subheader("Errors and buckets", anchor=False)
    _errors(evaluation, every)
    _buckets(evaluation, every, more)


def _errors(evaluation: Evaluation, every: Sequence[Sequence[SentenceRow]]) -> None:
    rows = [
        {"System": system.name, **cells(count_errors(own, forced(evaluation.id, number, len(own))))}
        for number, (system, own) in enumerate(zip(evaluation.systems, every, strict=True))
        if own
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        placeholder="",
        alt="How often each kind of error occurs in all sentences",
        key="eval errors",
    )
    st.caption(
        f"Of all {len(every[0]):,} sentences. Search error: the model gives the reference a higher log-probability than"
        " its output. Copy: the output is the source. The others are quality flags, which are reasons to look, not"
        " verdicts."
        + references.note(
            evaluation.id,
            "Where a sentence has several references, the first is the reference here: an output that equals another"
            " one may count as an error.",
        )
    )


def cells(counts: ErrorCounts) -> dict[str, str]:
    """`12 (6.0%)` for each kind of error."""
    named = {
        "Search errors": counts.search,
        "Copies": counts.copies,
        "Repetitions": counts.repetitions,
        "Omissions": counts.omissions,
        "Any quality flag": counts.flagged,
    }
    return {
        name: UNKNOWN if n is None else f"{n:,} ({n / counts.n:.1%})" for name, n in named.items()
    }


def forced(evaluation: str, number: int, n: int) -> list[float | None]:
    """The log-probability of each reference under teacher forcing, where it was computed."""
    lines = evaluations.folder(evaluation).lines(number)
    found = (lines.get(i, {}).get("forced") for i in range(n))
    return [float(each[0]) if each else None for each in found]


def _buckets(
    evaluation: Evaluation,
    every: Sequence[Sequence[SentenceRow]],
    more: Sequence[MetricName],
) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ours, other = _systems(evaluation)
        by = STATE.choice("bucket", "Buckets", BUCKETINGS, width=180)
        chosen = [every[i] for i in (ours, other) if i is not None]
        labels = _labels(chosen, more)
        metric = STATE.choice("bucket_score", "Score", labels, width=150)
    choice = Choice(ours, other, by, metric, len(every[0]), _values(chosen, metric))
    first = evaluation.systems[ours].name
    second = NOTHING if other is None else evaluation.systems[other].name
    scored = scored_at(evaluations.folder(evaluation.id))
    found = _scores(str(settings.home()), evaluation.id, choice, scored, every)
    if not found:
        st.caption("No sentence has this value: the training data was not read.")
        return
    st.dataframe(
        pd.DataFrame(table(found)),
        hide_index=True,
        placeholder="",
        column_config={
            name: st.column_config.NumberColumn(label, format=_format(metric))
            for name, label in HEADS.items()
        }
        | {"score": _head(first, metric), "other_score": _head(second, metric)},
        alt=f"{labels[metric]} by {BUCKETINGS[by].lower()}",
        key="eval buckets",
    )
    about = NUMBERS[by].about if by in NUMBERS else "A sentence may have several flags."
    st.caption(
        f"{about} {plain(labels[metric])} of the sentences of each bucket together; difference: {plain(first)} minus"
        " the other, with its 95 % paired bootstrap interval. In a small bucket the interval is wide."
        + (references.note(evaluation.id, FIRST_DECIDES) if by in ("ratio", FLAGS) else "")
    )
    st.download_button(
        "Buckets (CSV)",
        plots.columns_csv(table(found)),
        f"{file_name(evaluation.name)}-buckets.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="eval buckets csv",
    )


def _systems(evaluation: Evaluation) -> tuple[int, int | None]:
    """The system, and the one that it is compared with if there is one."""
    names = numbered(evaluation.systems)
    ours = STATE.choice("bucket_of", "System", names, default=str(len(names)), width=220)
    if STATE.now.bucket_other == ours:
        STATE.show(bucket_other="")
    left = {NONE: NOTHING} | {number: name for number, name in names.items() if number != ours}
    baseline = str(evaluation.baseline + 1)
    usual = baseline if baseline in left else NONE
    theirs = STATE.choice("bucket_other", "Compared with", left, default=usual, width=220)
    return int(ours) - 1, None if theirs == NONE else int(theirs) - 1


@cached.shared(max_entries=32, show_spinner="Scoring the buckets …")
def _scores(
    home: str,
    evaluation: str,
    choice: Choice,
    scored: float,
    _every: Sequence[Sequence[SentenceRow]],
) -> list[BucketScore]:
    """The scores by bucket of one system, or of two."""
    place = evaluations.folder(evaluation)
    return bucket_scores(
        _every[choice.ours],
        None if choice.theirs is None else _every[choice.theirs],
        place.references()[: len(_every[choice.ours])],
        by=choice.by,
        metric=choice.metric,
        scoring=place.evaluation().scoring,
    )


def _labels(chosen: Sequence[Sequence[SentenceRow]], more: Sequence[MetricName]) -> dict[str, str]:
    """The scores on offer: a metric of a file only where all these systems have it."""
    given = [name for name in more if all(name.key in rows[0].scores for rows in chosen)]
    return {name.key: name.label for name in (*(METRIC_NAMES[key] for key in SCORES), *given)}


def _values(chosen: Sequence[Sequence[SentenceRow]], metric: str) -> int:
    """The hash of a file's scores; 0 for a metric that is computed here."""
    if metric in SCORES:
        return 0
    return hash(tuple(row.scores[metric] for rows in chosen for row in rows))


def _format(metric: str) -> str:
    """Of its numbers; a metric of a file may have any scale."""
    return "%.1f" if metric in SCORES else "%.4g"


def _head(system: str, metric: str) -> Any:
    """The column of a system's scores."""
    return st.column_config.NumberColumn(shortened(system, 30), format=_format(metric))


def table(found: Sequence[BucketScore]) -> dict[str, list[object]]:
    """Columns: bucket, number of sentences, scores, difference with its interval."""
    columns: dict[str, list[object]] = {
        "bucket": [one.name for one in found],
        "sentences": [one.n for one in found],
        "score": [one.score for one in found],
    }
    pairs = [(one.other, one.difference) for one in found if one.difference]
    if pairs:
        columns |= {
            "other_score": [other for other, _ in pairs],
            "difference": [pair.difference for _, pair in pairs],
            "low": [pair.low for _, pair in pairs],
            "high": [pair.high for _, pair in pairs],
        }
    return columns
