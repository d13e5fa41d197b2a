"""The sentences of a test set in buckets, the score of each bucket, and how often something goes wrong.

After compare-mt (Neubig et al. 2019). Knows nothing of models or screens.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from types import MappingProxyType
from typing import NamedTuple

from s2s.analysis.quality_flags import RULES
from s2s.analysis.search_error import ROUNDING
from s2s.analysis.sentence_table import SentenceRow
from s2s.scores import (
    METRICS,
    PairedDifference,
    References,
    Scoring,
    Statistics,
    comparable,
    mean_differences,
    statistics,
)

NO_FLAG = "no quality flag"


class Bucketing(NamedTuple):
    """A way to sort sentences into buckets: by a number with the lower bounds of all buckets but the first."""

    label: str
    about: str
    value: Callable[[SentenceRow], float | None]
    bounds: tuple[float, ...]


def _ratio(row: SentenceRow) -> float | None:
    n_reference = len(row.reference.split())
    return row.n_hypothesis / n_reference if n_reference else None


NUMBERS: Mapping[str, Bucketing] = MappingProxyType(
    {
        "length": Bucketing(
            "Source length", "Words of the source.", lambda row: row.n_source, (6, 11, 16, 21, 31)
        ),
        "rarest": Bucketing(
            "Rarest word",
            "How often training saw the rarest word of the source.",
            lambda row: None if row.rarest is None else row.rarest.n,
            (1, 2, 5, 10, 100, 1000),
        ),
        "ratio": Bucketing(
            "Length ratio",
            "Words of the first system's output per word of the reference.",
            _ratio,
            (0.6, 0.9, 1.0, 1.1, 1.6),
        ),
    }
)
FLAGS = "flags"
BUCKETINGS: Mapping[str, str] = MappingProxyType(
    {**{key: row.label for key, row in NUMBERS.items()}, FLAGS: "Quality flag"}
)


def buckets(rows: Sequence[SentenceRow], by: str) -> dict[str, list[int]]:
    """The indices of the sentences in each bucket that has any, in order. With several flags, a sentence is in several.

    Sentences without the value, such as an unknown word count, are in none.
    """
    found: dict[str, list[int]] = {name: [] for name in _names(by)}
    for i, row in enumerate(rows):
        for name in _of_row(row, by):
            found[name].append(i)
    return {name: members for name, members in found.items() if members}


def _names(by: str) -> list[str]:
    if by == FLAGS:
        return [*(rule.label for rule in RULES.values()), NO_FLAG]
    bounds = NUMBERS[by].bounds
    return [
        _range(low, high)
        for low, high in zip((-math.inf, *bounds), (*bounds, math.inf), strict=True)
    ]


def _of_row(row: SentenceRow, by: str) -> list[str]:
    if by == FLAGS:
        return [RULES[flag.rule].label for flag in row.flags] or [NO_FLAG]
    value = NUMBERS[by].value(row)
    return [] if value is None else [_names(by)[bisect_right(NUMBERS[by].bounds, value)]]


def _range(low: float, high: float) -> str:
    if low == -math.inf:
        return f"below {high:,}"
    if high == math.inf:
        return f"{low:,} or more"
    if isinstance(low, int) and isinstance(high, int):
        return f"{low:,} to {high - 1:,}" if high - 1 > low else f"{low:,}"
    return f"{low} to < {high}"


class Compared(NamedTuple):
    """The score of one system; if there is a second, also its score and the difference (first minus second)."""

    score: float
    other: float | None = None
    difference: PairedDifference | None = None


@dataclass(frozen=True)
class BucketScore:
    """A bucket: its sentences, the score of one system, and of another with the difference (first minus second)."""

    name: str
    n: int
    score: float
    other: float | None = None
    difference: PairedDifference | None = None


def bucket_scores(
    rows: Sequence[SentenceRow],
    others: Sequence[SentenceRow] | None,
    references: References,
    *,
    by: str,
    metric: str,
    scoring: Scoring,
) -> list[BucketScore]:
    """The corpus score of each bucket; the mean of the sentences' scores for a metric that is not in METRICS. The first
    system's outputs decide the bucket.

    Raises ValueError where the numbers of sentences differ.
    """
    if len(rows) != len(references) or (others is not None and len(others) != len(rows)):
        raise ValueError(f"{len(rows)} rows do not match {len(references)} references")
    scores = []
    for name, members in buckets(rows, by).items():
        ours = [rows[i] for i in members]
        theirs = None if others is None else [others[i] for i in members]
        compared = (
            _corpus_scores(ours, theirs, [references[i] for i in members], metric, scoring)
            if metric in METRICS
            else _means(ours, theirs, metric)
        )
        scores.append(BucketScore(name, len(members), *compared))
    return scores


def _corpus_scores(
    ours: Sequence[SentenceRow],
    theirs: Sequence[SentenceRow] | None,
    references: References,
    metric: str,
    scoring: Scoring,
) -> Compared:
    def counted(rows: Sequence[SentenceRow]) -> Statistics:
        texts = [row.hypothesis for row in rows]
        return statistics(texts, references, names=[metric], scoring=scoring)

    first = counted(ours)
    score = first.scores()[metric].value
    if theirs is None:
        return Compared(score)
    second = counted(theirs)
    return Compared(score, second.scores()[metric].value, first.paired(second)[metric])


def _means(
    ours: Sequence[SentenceRow], theirs: Sequence[SentenceRow] | None, metric: str
) -> Compared:
    first = [row.scores[metric] for row in ours]
    if theirs is None:
        return Compared(fmean(first))
    second = [row.scores[metric] for row in theirs]
    difference = mean_differences({metric: first}, {metric: second})[metric]
    return Compared(fmean(first), fmean(second), difference)


@dataclass(frozen=True)
class ErrorCounts:
    """How many of the sentences of a whole test set have each kind of error.

    `search`: the model gives the reference a higher log-probability than its output; None where that is not known.
    """

    n: int
    search: int | None
    copies: int  # the output is the source, which is not the reference
    repetitions: int
    omissions: int
    flagged: int  # any quality flag


def count_errors(rows: Sequence[SentenceRow], forced: Sequence[float | None]) -> ErrorCounts:
    """The errors of each kind. `forced`: the log-probability of each reference under teacher forcing, in nats."""
    known = [
        (row, log_prob)
        for row, log_prob in zip(rows, forced, strict=True)
        if log_prob is not None and row.log_prob is not None
    ]
    missed = [
        row
        for row, log_prob in known
        if row.hypothesis != row.reference and log_prob > (row.log_prob or 0.0) + ROUNDING
    ]
    return ErrorCounts(
        n=len(rows),
        search=len(missed) if len(known) == len(rows) else None,
        copies=sum(_is_copy(row) for row in rows),
        repetitions=sum(any(flag.rule == "loops" for flag in row.flags) for row in rows),
        omissions=sum(_has_omission(row) for row in rows),
        flagged=sum(bool(row.flags) for row in rows),
    )


def _is_copy(row: SentenceRow) -> bool:
    written = row.hypothesis.split()
    source = comparable(row.source).split()
    return bool(written) and written == source and written != row.reference.split()


def _has_omission(row: SentenceRow) -> bool:
    return any(RULES[flag.rule].kind == "omission" for flag in row.flags)
