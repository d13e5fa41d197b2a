"""The pictures of `DatasetProfile`: pairs, faults, what a task makes of them, words, tokenizers."""

from __future__ import annotations

import math
from dataclasses import replace
from types import MappingProxyType

from s2s.config import shortened
from s2s.data import (
    LINT_RULES,
    LONGEST_CELL,
    TASKS,
    LintReport,
    Statistics,
    Vocabulary,
    ratio_edges,
)
from s2s.plots import PLOTS
from s2s.plots.coverage import coverage
from s2s.plots.length_ratio import length_ratio
from s2s.plots.picture import Picture
from s2s.plots.sentence_lengths import sentence_lengths
from s2s.plots.vocabulary_growth import vocabulary_growth
from s2s.plots.vocabulary_size import vocabulary_size
from s2s.plots.word_frequencies import word_frequencies
from s2s.questions import DatasetProfile, ProfiledDataset, Table
from s2s.tokenizers import TOKENIZERS, TokenizerComparison

MAX_NAME = 40  # characters of a dataset's name in a title
MAX_PAIRS = 100  # of a preview
TOKENS = (
    "Words are separated by spaces. Unknown: share of the held-out tokens that are <unk>. Lengths in tokens, without"
    " </s>."
)


def pictures(question: DatasetProfile, answer: ProfiledDataset, model: str) -> list[Picture]:
    """Those of the part that is asked for; the first one has the finding. A dataset is no model's."""
    return PICTURES[question.part](question, answer)


def _title(answer: ProfiledDataset, what: str) -> str:
    return f"{shortened(answer.name, MAX_NAME)}\n{what}"


def _pairs(question: DatasetProfile, answer: ProfiledDataset) -> list[Picture]:
    preview = answer.preview
    shown = preview.rows[:MAX_PAIRS]
    numbers = preview.lines or range(1, len(preview.rows) + 1)
    rows = [[line, *pair] for line, pair in zip(numbers, shown, strict=False)]
    notes = " ".join(preview.notes).replace("`", "")
    n = f"The first {len(rows):,} of {preview.n_pairs:,} pairs." if rows else ""
    first = Picture(
        "pairs",
        _title(answer, "Pairs"),
        None,
        f"The first {len(rows)} pairs: source and target side by side",
        Table(("line", "source", "target"), rows),
        question.finding(answer),
        " ".join(filter(None, (notes, n))),
    )
    counts = Picture(
        "counts",
        _title(answer, "Counts"),
        None,
        "Words and characters of both sides",
        question.table(answer),
    )
    return [first, counts, _lengths(answer)]


def _lengths(answer: ProfiledDataset) -> Picture:
    preview = answer.preview
    longest = max(len(preview.src_counts), len(preview.tgt_counts))
    src, tgt = (
        [*counts, *[0] * (longest - len(counts))]
        for counts in (preview.src_counts, preview.tgt_counts)
    )
    rows = [[words, *both] for words, both in enumerate(zip(src, tgt, strict=True))]
    title = _title(answer, f"lengths of {preview.n_pairs:,} pairs")
    return Picture(
        "sentence_lengths",
        title,
        sentence_lengths(preview.src_counts, preview.tgt_counts, title=title),
        f"Median length in words: sources {preview.src_median:g}, targets {preview.tgt_median:g}",
        Table(("words", "source", "target"), rows),
        caption=PLOTS["sentence_lengths"].caption,
    )


def _faults(question: DatasetProfile, answer: ProfiledDataset) -> list[Picture]:
    found = [
        Picture(
            "faults",
            _title(answer, "Pairs that look wrong"),
            None,
            "Rules, and how many pairs each matches",
            question.table(answer),
            question.finding(answer),
            "A pair may match several rules.",
        )
    ]
    if answer.faults and (rule := question.shown_rule(answer)):
        found.append(_rule_examples(answer, answer.faults, rule))
    return found


def _rule_examples(answer: ProfiledDataset, report: LintReport, rule: str) -> Picture:
    n, examples = report.found[rule]
    label = LINT_RULES[rule].label
    rows = [[each.row, each.reason, each.src, each.tgt] for each in examples]
    return Picture(
        "examples",
        _title(answer, f"{label}: examples"),
        None,
        f"{len(rows)} pairs matched by the rule {label}, and why",
        Table(("line", "what is wrong", "source", "target"), rows),
        caption=f"{len(rows):,} of {n:,}, spread over the dataset. Lines are those of the file, counted from 1.",
    )


def _task(question: DatasetProfile, answer: ProfiledDataset) -> list[Picture]:
    made = answer.task.pairs if answer.task else ()
    row = TASKS[answer.task.task] if answer.task else None
    about = f"{row.summary} " if row else ""
    about += f"Source: {row.source}. " if row and row.source else ""
    is_truncated = any(len(side) == LONGEST_CELL for row in answer.preview.rows for side in row)
    note = f" Long texts are truncated to {LONGEST_CELL} characters here." if is_truncated else ""
    return [
        Picture(
            "task",
            _title(answer, row.label if row else ""),
            None,
            f"Input and output of the model for the first {len(made)} pairs",
            question.table(answer),
            question.finding(answer),
            f"{about.replace('`', '')}Input and output of the model for the first pairs, after cleaning.{note}",
        )
    ]


def _words(question: DatasetProfile, answer: ProfiledDataset) -> list[Picture]:
    words = answer.words
    if words is None:
        return []
    sides = (("source", words.src), ("target", words.tgt))
    frequent = [_frequent(answer, side, found) for side, found in sides]
    charts = [_coverage(answer, words), _ratio(answer, words), _growth(answer, words)]
    first, *others = charts
    return [replace(first, finding=question.finding(answer)), *others, *frequent]


def _ratio(answer: ProfiledDataset, words: Statistics) -> Picture:
    bounds = ratio_edges()
    title = _title(answer, "length ratio")
    rows = zip((0.0, *bounds[1:-1]), (*bounds[1:-1], math.inf), words.ratio_counts, strict=True)
    return Picture(
        "length_ratio",
        title,
        length_ratio(words.ratio_counts, bounds, words.ratio_median, title=title),
        f"Target words per source word: median {words.ratio_median:.2f}",
        Table(("from", "to", "pairs"), [*map(list, rows)]),
        caption=PLOTS["length_ratio"].caption,
    )


def _growth(answer: ProfiledDataset, words: Statistics) -> Picture:
    sides = {"source": words.src, "target": words.tgt}
    powers = [
        f"{found.heaps:.2f} in the {side}s"
        for side, found in sides.items()
        if found.heaps is not None
    ]
    law = f" Heaps' law: it grows as the number of words to the power of {' and '.join(powers)}."
    title = _title(answer, "vocabulary growth")
    counts = (
        f"{side}: {found.n_distinct:,} distinct words of {found.n_running:,}"
        for side, found in sides.items()
    )
    rows = [[side, *point] for side, found in sides.items() for point in found.growth]
    return Picture(
        "vocabulary_growth",
        title,
        vocabulary_growth(words.src.growth, words.tgt.growth, title=title),
        ", ".join(counts),
        Table(("side", "words", "distinct"), rows),
        caption=f"{PLOTS['vocabulary_growth'].caption}{law if powers else ''}",
    )


def _coverage(answer: ProfiledDataset, words: Statistics) -> Picture:
    sides = {"source": words.src.covered, "target": words.tgt.covered}
    title = _title(answer, f"words of {words.n_valid:,} validation pairs")
    known = ", ".join(
        f"{side}s {covered[0].running:.1%}" if covered else f"{side}s none"
        for side, covered in sides.items()
    )
    rows = [[side, *row] for side, covered in sides.items() for row in covered]
    return Picture(
        "coverage",
        title,
        coverage(words.src.covered, words.tgt.covered, title=title),
        f"Words of the validation split that the training split contains: {known}",
        Table(("side", "at least", "word tokens", "distinct words"), rows),
        caption=PLOTS["coverage"].caption,
    )


def _frequent(answer: ProfiledDataset, side: str, found: Vocabulary) -> Picture:
    title = _title(answer, f"frequent words of the {side}s")
    some = f" Some of them: {' · '.join(found.once)}" if found.once else ""
    rare = f"{found.n_once:,} of {found.n_distinct:,} distinct words occur only once.{some}"
    return Picture(
        f"word_frequencies_{side}",
        title,
        word_frequencies(found.frequent, title=title),
        f"The {len(found.frequent)} most frequent words of the {side}s",
        Table(("word", "count"), [*map(list, found.frequent)]),
        caption=f"{PLOTS['word_frequencies'].caption} {rare}",
    )


def _tokenizers(question: DatasetProfile, answer: ProfiledDataset) -> list[Picture]:
    found = answer.tokenizers
    if found is None or not found.rows:
        return []
    table = Picture(
        "tokenizers",
        _title(answer, "Tokenizers"),
        None,
        "Comparison of tokenizers: one row each, with measurements of both sides",
        question.table(answer),
        question.finding(answer),
        f"{found.scope} {TOKENS}",
    )
    return [table, _sizes(answer, found)]


def _sizes(answer: ProfiledDataset, found: TokenizerComparison) -> Picture:
    kinds = {
        kind: [
            (row.tgt.vocab_size, row.tgt.median) for row in found.named.values() if row.kind == kind
        ]
        for kind in TOKENIZERS
    }
    measured = {kind: points for kind, points in kinds.items() if points}
    title = _title(answer, "Length of the targets by tokenizer")
    lengths = "; ".join(
        f"{kind} {points[-1][1]:g} tokens with a vocabulary of {points[-1][0]:,}"
        for kind, points in measured.items()
    )
    return Picture(
        "vocabulary_size",
        title,
        vocabulary_size(measured, title=title),
        f"Median length of the targets: {lengths}",
        Table(
            ("tokenizer", "vocabulary size", "tokens per sentence"),
            [[kind, *point] for kind, points in measured.items() for point in points],
        ),
        caption=PLOTS["vocabulary_size"].caption,
    )


PICTURES = MappingProxyType(
    {
        "pairs": _pairs,
        "faults": _faults,
        "task": _task,
        "words": _words,
        "tokens": _tokenizers,
    }
)
