"""The pictures of `Evaluate` and of `ScoreBuckets`."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

from s2s.analysis import (
    BUCKETINGS,
    NUMBERS,
    RULES,
    SORTS,
    SentenceRow,
    Sort,
    score_gains,
    sort_rows,
    worst_first,
)
from s2s.config import nfc
from s2s.plots import evaluation_scores as scores
from s2s.plots.evaluation_charts import POINTS, place, scatter_picture, system_pictures, title_of
from s2s.plots.evaluation_files import score_files, sentence_file
from s2s.plots.picture import Picture
from s2s.questions import Buckets, Evaluate, Evaluated, ScoreBuckets, Table
from s2s.scores import METRIC_NAMES
from s2s.words import MetricName

SCORES, TESTS, ERRORS = "scores", "differences", "errors"
SENTENCES, BUCKETS, SYSTEMS = "sentences", "buckets", "systems"
GAP = "gap"
OF_SENTENCES = ("chrf", "bleu", "ter", "rouge_l")
GAP_LABEL = "Difference from another system"
FIRST_DECIDES = " The first reference of a sentence decides its bucket; the score counts all."


def pictures(question: Evaluate, answer: Evaluated, model: str) -> list[Picture]:
    return [one for name in PICTURES for one in named(name, question, answer)]


def named(name: str, question: Evaluate, answer: Evaluated) -> list[Picture]:
    is_early = name == SCORES and bool(answer.systems)
    if not answer.n or not (answer.is_final or is_early):
        return []
    if name in OF_ALL_SENTENCES and not answer.sentences:
        return []
    return PICTURES[name](question, answer)


def _scores(question: Evaluate, answer: Evaluated) -> list[Picture]:
    picture = Picture(
        SCORES,
        title_of(answer, "scores"),
        scores.score_cells(answer, every=question.metrics),
        f"Scores of {len(answer.names)} systems",
        question.table(answer),
        question.finding(answer),
        scores.reading(answer),
        files=score_files(answer) if answer.is_final else (),
    )
    return [picture]


def _tests(question: Evaluate, answer: Evaluated) -> list[Picture]:
    if not any(own.get("paired") for own in answer.systems):
        return []
    baseline = answer.names[answer.evaluation.baseline]
    picture = Picture(
        TESTS,
        title_of(answer, f"differences from {baseline}"),
        None,
        f"Differences from {baseline}",
        scores.difference_cells(answer),
        caption=scores.ABOUT_TESTS.format(baseline=baseline),
    )
    return [picture]


def _errors(question: Evaluate, answer: Evaluated) -> list[Picture]:
    first = scores.FIRST_REFERENCE if answer.has_several else ""
    picture = Picture(
        ERRORS,
        title_of(answer, "errors"),
        None,
        "How often each kind of error occurs in all sentences",
        scores.error_cells(answer),
        caption=scores.ABOUT_ERRORS.format(n=answer.n) + first,
    )
    return [picture]


def sorts(answer: Evaluated, number: int) -> dict[str, Sort]:
    """The orders in which a system's sentences can be listed."""
    rows = answer.sentences[number]
    given = {
        name.key: worst_first(name)
        for name in answer.given
        if any(name.key in row.scores for row in rows[:1])
    }
    return {**SORTS, **given}


def shown_scores(answer: Evaluated) -> list[MetricName]:
    """The scores that a list of sentences shows."""
    return [*(METRIC_NAMES[key] for key in OF_SENTENCES), *answer.given]


class Order(NamedTuple):
    """The sentences of a system as they are listed: their indices, from 0, and what the order means."""

    system: int
    places: Sequence[int]
    gaps: Sequence[float]  # of every sentence; empty where no other system is compared
    about: str


def order(question: Evaluate, answer: Evaluated) -> Order:
    """The system's sentences that have the text of the search, in the chosen order."""
    ours = place(question.system, answer, 0)
    rows = answer.sentences[ours]
    if question.sort == GAP and len(answer.names) > 1:
        others = [i for i in range(len(answer.names)) if i != ours]
        theirs = place(question.other, answer, others[-1])
        theirs = theirs if theirs != ours else others[-1]
        known = {name.key: name for name in shown_scores(answer)}
        metric = known.get(question.by, METRIC_NAMES["chrf"])
        gaps = score_gains(rows, answer.sentences[theirs], metric)
        every = sorted(range(len(rows)), key=lambda i: -abs(gaps[i]))
        about = f"Largest differences in {metric.label} first. Above 0, the first system is better."
        return Order(ours, _found(question.find, answer, every), gaps, about)
    known_sorts = sorts(answer, ours)
    sort = known_sorts.get(question.sort, known_sorts["chrf"])
    every = [row.number - 1 for row in sort_rows(rows, sort, is_reversed=question.is_reversed)]
    return Order(ours, _found(question.find, answer, every), (), sort.about)


def _found(text: str, answer: Evaluated, places: Sequence[int]) -> list[int]:
    wanted = nfc(" ".join(text.split())).casefold()
    if not wanted:
        return [*places]
    return [i for i in places if any(wanted in nfc(each).casefold() for each in _texts(answer, i))]


def _texts(answer: Evaluated, i: int) -> list[str]:
    translations = [rows[i].hypothesis for rows in answer.sentences]
    return [answer.sentences[0][i].source, *answer.references[i], *translations]


def _sentences(question: Evaluate, answer: Evaluated) -> list[Picture]:
    listed = order(question, answer)
    rows = answer.sentences[listed.system]
    names = shown_scores(answer)
    first = next((name for name in names if name.key in (question.by, question.sort)), names[0])
    if question.sort != GAP:
        first = next((name for name in names if name.key == question.sort), names[0])
    others = [name for name in names if name is not first]
    head = ["no.", *([GAP] if listed.gaps else []), first.label, "source", "translation"]
    head += [*(name.label for name in others), "hints", "reference", "rarest word", "repeats"]
    cells = [_cells(rows[i], listed.gaps[i : i + 1], [first, *others]) for i in listed.places]
    name = answer.names[listed.system]
    n = f"{len(listed.places):,} of {answer.n:,} sentences" if question.find.strip() else ""
    picture = Picture(
        SENTENCES,
        title_of(answer, f"sentences of {name}"),
        None,
        f"{len(cells)} sentences with their scores",
        Table(head, cells),
        caption=" ".join(filter(None, (f"{n} have this text." if n else "", listed.about))),
        files=(sentence_file(answer),),
    )
    return [picture]


def _cells(row: SentenceRow, gap: Sequence[float], names: Sequence[MetricName]) -> list[object]:
    first, *others = names
    rarest = f"{row.rarest.word} ({row.rarest.n:,}×)" if row.rarest else ""
    return [
        row.number,
        *gap,
        row.scores.get(first.key),
        row.source,
        row.hypothesis,
        *(row.scores.get(name.key) for name in others),
        ", ".join(RULES[flag.rule].label for flag in row.flags),
        row.reference,
        rarest,
        row.repeated,
    ]


PICTURES = MappingProxyType(
    {
        SCORES: _scores,
        TESTS: _tests,
        SYSTEMS: system_pictures,
        ERRORS: _errors,
        POINTS: lambda question, answer: [scatter_picture(question, answer)],
        SENTENCES: _sentences,
    }
)
OF_ALL_SENTENCES = (ERRORS, POINTS, SENTENCES)


def bucket_pictures(question: ScoreBuckets, answer: Buckets, model: str) -> list[Picture]:
    by = question.bucket
    title = f"{' and '.join(answer.names)}\n{answer.metric} by {BUCKETINGS[by].lower()} · {answer.n:,} sentences"
    about = NUMBERS[by].about if by in NUMBERS else "A sentence may have several flags."
    first = FIRST_DECIDES if answer.has_several and by in ("ratio", "flags") else ""
    caption = (
        f"{about} {answer.metric} of the sentences of each bucket together; difference: {answer.names[0]} minus the"
        f" other, with its 95 % paired bootstrap interval. In a small bucket the interval is wide.{first}"
    )
    if not answer.found:
        caption = "No sentence has this value: the training data was not read."
    return [
        Picture(
            BUCKETS,
            title,
            None,
            f"{answer.metric} by {BUCKETINGS[by].lower()}",
            question.table(answer),
            caption=caption,
        )
    ]
