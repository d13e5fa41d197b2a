"""The pictures of `DatasetProfile`: pairs, faults, what a task makes of them, words, tokenizers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import zip_longest
from types import MappingProxyType
from typing import Any

from s2s.config import shortened
from s2s.data import (
    LINT_RULES,
    LONGEST_CELL,
    TASKS,
    LintReport,
    Preview,
    Statistics,
    Vocabulary,
    ratio_edges,
)
from s2s.plots import PLOTS
from s2s.plots.dataset_charts import (
    coverage,
    length_ratio,
    sentence_lengths,
    vocabulary_growth,
    vocabulary_size,
    word_frequencies,
)
from s2s.plots.picture import Picture
from s2s.questions import DatasetProfile, ProfiledDataset, Table, TaskExamples
from s2s.tokenizers import TokenizerComparison

MAX_NAME = 40  # characters of a dataset's name in a title
MAX_PAIRS = 100  # of a preview
TOKENS = (
    "Words are separated by spaces. Unknown: share of the held-out tokens that are <unk>. Lengths in tokens, without"
    " </s>."
)


def pictures(question: DatasetProfile, answer: ProfiledDataset, model: str) -> list[Picture]:
    name = shortened(answer.name, MAX_NAME)
    drawn = PICTURES[type(answer.found)](name, answer.found, question)
    finding = question.finding(answer)
    return [replace(drawn[0], finding=finding), *drawn[1:]] if drawn else []


def _pairs(name: str, preview: Preview, question: DatasetProfile) -> list[Picture]:
    numbers = preview.lines or range(1, len(preview.rows) + 1)
    rows = [[line, *pair] for line, pair in zip(numbers, preview.rows[:MAX_PAIRS], strict=False)]
    first = Picture(
        "pairs",
        f"{name}\nPairs",
        None,
        f"The first {len(rows)} pairs: source and target side by side",
        Table(("line", "source", "target"), rows),
        caption=" ".join(
            [*preview.notes, f"The first {len(rows):,} of {preview.n_pairs:,} pairs."]
        ).replace("`", ""),
    )
    counts = question.table(ProfiledDataset(name, preview))
    about = "Words and characters of both sides"
    return [
        first,
        Picture("counts", f"{name}\nCounts", None, about, counts),
        _lengths(name, preview),
    ]


def _lengths(name: str, preview: Preview) -> Picture:
    title = f"{name}\nlengths of {preview.n_pairs:,} pairs"
    counts = zip_longest(preview.src_counts, preview.tgt_counts, fillvalue=0)
    return Picture(
        "sentence_lengths",
        title,
        sentence_lengths(preview.src_counts, preview.tgt_counts, title=title),
        f"Median length in words: sources {preview.src_median:g}, targets {preview.tgt_median:g}",
        Table(("words", "source", "target"), [[n, *both] for n, both in enumerate(counts)]),
        caption=PLOTS["sentence_lengths"].caption,
    )


def _faults(name: str, report: LintReport, question: DatasetProfile) -> list[Picture]:
    table = Picture(
        "faults",
        f"{name}\nPairs that look wrong",
        None,
        "Rules, and how many pairs each matches",
        question.table(ProfiledDataset(name, report)),
        caption="A pair may match several rules.",
    )
    if not (rule := question.shown_rule(report)):
        return [table]
    n, examples = report.found[rule]
    label = LINT_RULES[rule].label
    rows = [[each.row, each.reason, each.src, each.tgt] for each in examples]
    found = Picture(
        "examples",
        f"{name}\n{label}: examples",
        None,
        f"{len(rows)} pairs matched by the rule {label}, and why",
        Table(("line", "what is wrong", "source", "target"), rows),
        caption=f"{len(rows):,} of {n:,}, spread over the dataset. Lines are those of the file, counted from 1.",
    )
    return [table, found]


def _task(name: str, found: TaskExamples, question: DatasetProfile) -> list[Picture]:
    row = TASKS[found.task]
    caption = [
        row.summary.replace("`", ""),
        f"Source: {row.source}." if row.source else "",
        "Input and output of the model for the first pairs, after cleaning.",
        f"Long texts are truncated to {LONGEST_CELL} characters here."
        if found.is_truncated
        else "",
    ]
    picture = Picture(
        "task",
        f"{name}\n{row.label}",
        None,
        f"Input and output of the model for the first {len(found.pairs)} pairs",
        question.table(ProfiledDataset(name, found)),
        caption=" ".join(filter(None, caption)),
    )
    return [picture]


def _words(name: str, words: Statistics, question: DatasetProfile) -> list[Picture]:
    sides = {"source": words.src, "target": words.tgt}
    frequent = [_frequent(name, side, found) for side, found in sides.items()]
    return [_coverage(name, words), _ratio(name, words), _growth(name, sides), *frequent]


def _ratio(name: str, words: Statistics) -> Picture:
    bounds = ratio_edges()
    title = f"{name}\nlength ratio"
    rows = zip((0.0, *bounds[1:-1]), (*bounds[1:-1], math.inf), words.ratio_counts, strict=True)
    return Picture(
        "length_ratio",
        title,
        length_ratio(words.ratio_counts, bounds, words.ratio_median, title=title),
        f"Target words per source word: median {words.ratio_median:.2f}",
        Table(("from", "to", "pairs"), [*rows]),
        caption=PLOTS["length_ratio"].caption,
    )


def _growth(name: str, sides: Mapping[str, Vocabulary]) -> Picture:
    title = f"{name}\nvocabulary growth"
    powers = [f"{one.heaps:.2f} in the {side}s" for side, one in sides.items() if one.heaps]
    law = f" Heaps' law: it grows as the number of words to the power of {' and '.join(powers)}."
    counts = (
        f"{side}: {one.n_distinct:,} distinct words of {one.n_running:,}"
        for side, one in sides.items()
    )
    rows = [[side, *point] for side, one in sides.items() for point in one.growth]
    return Picture(
        "vocabulary_growth",
        title,
        vocabulary_growth(*(one.growth for one in sides.values()), title=title),
        ", ".join(counts),
        Table(("side", "words", "distinct"), rows),
        caption=f"{PLOTS['vocabulary_growth'].caption}{law if powers else ''}",
    )


def _coverage(name: str, words: Statistics) -> Picture:
    sides = {"source": words.src.covered, "target": words.tgt.covered}
    title = f"{name}\nwords of {words.n_valid:,} validation pairs"
    known = ", ".join(
        f"{side}s {covered[0].running:.1%}" if covered else f"{side}s none"
        for side, covered in sides.items()
    )
    rows = [[side, *row] for side, covered in sides.items() for row in covered]
    return Picture(
        "coverage",
        title,
        coverage(*sides.values(), title=title),
        f"Words of the validation split that the training split contains: {known}",
        Table(("side", "at least", "word tokens", "distinct words"), rows),
        caption=PLOTS["coverage"].caption,
    )


def _frequent(name: str, side: str, found: Vocabulary) -> Picture:
    title = f"{name}\nfrequent words of the {side}s"
    some = f" Some of them: {' · '.join(found.once)}" if found.once else ""
    rare = f"{found.n_once:,} of {found.n_distinct:,} distinct words occur only once.{some}"
    return Picture(
        f"word_frequencies_{side}",
        title,
        word_frequencies(found.frequent, title=title),
        f"The {len(found.frequent)} most frequent words of the {side}s",
        Table(("word", "count"), found.frequent),
        caption=f"{PLOTS['word_frequencies'].caption} {rare}",
    )


def _tokenizers(name: str, found: TokenizerComparison, question: DatasetProfile) -> list[Picture]:
    table = Picture(
        "tokenizers",
        f"{name}\nTokenizers",
        None,
        "Comparison of tokenizers: one row each, with measurements of both sides",
        question.table(ProfiledDataset(name, found)),
        caption=f"{found.scope} {TOKENS}",
    )
    return [table, _sizes(name, found)] if found.rows else []


def _sizes(name: str, found: TokenizerComparison) -> Picture:
    kinds: dict[str, list[tuple[int, float]]] = {}
    for row in found.named.values():
        kinds.setdefault(row.kind, []).append((row.tgt.vocab_size, row.tgt.median))
    title = f"{name}\nLength of the targets by tokenizer"
    lengths = "; ".join(
        f"{kind} {points[-1][1]:g} tokens with a vocabulary of {points[-1][0]:,}"
        for kind, points in kinds.items()
    )
    rows = [[kind, *point] for kind, points in kinds.items() for point in points]
    return Picture(
        "vocabulary_size",
        title,
        vocabulary_size(kinds, title=title),
        f"Median length of the targets: {lengths}",
        Table(("tokenizer", "vocabulary size", "tokens per sentence"), rows),
        caption=PLOTS["vocabulary_size"].caption,
    )


PICTURES: Mapping[type, Callable[[str, Any, DatasetProfile], list[Picture]]] = MappingProxyType(
    {
        Preview: _pairs,
        LintReport: _faults,
        TaskExamples: _task,
        Statistics: _words,
        TokenizerComparison: _tokenizers,
    }
)
