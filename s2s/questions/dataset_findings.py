"""What stands out in a dataset, in words: each sentence is said only where its predicate holds."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from s2s.config import DataConfig
from s2s.data import LINT_RULES, LintReport, Preview, Statistics, Vocabulary, enabled_rules
from s2s.questions.finding import Finding, first
from s2s.tokenizers import TOKENIZERS, TokenizerComparison

if TYPE_CHECKING:
    from s2s.questions.dataset_profile import TaskExamples

OUTLIER, LONG = 10, 50  # times the median, and words, from which the longest text is one
REPEATED = 0.5  # share of pairs with a source of their own, below which sources repeat
UNEVEN = 1.25  # times as many words on one side
UNSEEN = 0.01  # of the words in validation, from which training lacks some
RARE = 0.4  # of distinct words that occur once, from which they are many
TOO_LONG = 0.01  # of the pairs, from which a tokenizer loses too many

MEDIANS = "Words per text (median): {src_median:g} in the source, {tgt_median:g} in the target."
SIZE = (
    Finding(
        lambda found: found.is_plain,
        "{n_pairs:,} texts without targets, for tasks that need none. Words per text (median): {src_median:g}.",
    ),
    Finding(lambda found: found.n_pairs == 1, f"1 pair. {MEDIANS}"),
    Finding(lambda found: True, f"{{n_pairs:,}} pairs. {MEDIANS}"),
)
OF_PAIRS = (
    Finding(lambda found: found.n_duplicates == 1, "1 repeats an earlier one exactly."),
    Finding(
        lambda found: found.n_duplicates > 1, "{n_duplicates:,} repeat an earlier one exactly."
    ),
    Finding(
        lambda found: found.n_distinct_sources < REPEATED * found.n_pairs,
        "Sources repeat: only {n_distinct_sources:,} distinct.",
    ),
    Finding(
        lambda found: found.n_same == 1 and not found.is_plain, "1 has the same text on both sides."
    ),
    Finding(
        lambda found: found.n_same > 1 and not found.is_plain,
        "{n_same:,} have the same text on both sides.",
    ),
    Finding(
        lambda found: found.src_longest >= max(LONG, OUTLIER * found.src_median),
        "The longest source has {src_longest:,} words.",
    ),
    Finding(
        lambda found: (
            not found.is_plain and found.tgt_longest >= max(LONG, OUTLIER * found.tgt_median)
        ),
        "The longest target has {tgt_longest:,} words.",
    ),
)
DROPS = (
    Finding(lambda found: found.n, "Drops {n:,} of {of:,} pairs ({share}), leaves {left:,}."),
    Finding(lambda found: True, "Drops nothing: all {of:,} pairs stay."),
)
LEFT = (
    Finding(
        lambda found: found.matches,
        "Of the rules that drop none, “{rule}” matches most: {matches:,} of the pairs.",
    ),
    Finding(lambda found: not found.n, "No rule matches any pair."),
)
SEVERAL = (
    Finding(
        lambda found: found.several == 1,
        "1 source has several targets: a model is trained on all of them, and greedy search writes one.",
    ),
    Finding(
        lambda found: found.several,
        "{several:,} sources have several targets: a model is trained on all of them, and greedy search writes one.",
    ),
)
LIMIT = (
    Finding(
        lambda found: found.too_long > 0,
        "About {share} of the pairs are longer than the {limit} tokens of data.max_length and will be dropped, not"
        " truncated.",
    ),
    Finding(
        lambda found: True,
        "Probably no pair is longer than the {limit} tokens of data.max_length.",
    ),
)
OF_WORDS = (
    Finding(
        lambda found: found.missing > UNSEEN,
        "{share} of the {side} words in validation never occur in training: a tokenizer of whole words does not know"
        " them.",
    ),
    Finding(lambda found: found.ratio >= UNEVEN, "Targets have {ratio:.3g} words per source word."),
    Finding(
        lambda found: 0 < found.ratio <= 1 / UNEVEN,
        "Sources have {inverse:.3g} words per target word.",
    ),
    Finding(
        lambda found: found.rare >= RARE, "{once} of the distinct {rare_side} words occur once."
    ),
    Finding(
        lambda found: found.missing <= UNSEEN and found.rare < RARE,
        "Nearly every word of the validation pairs occurs in training.",
    ),
)
OF_TOKENIZERS = (
    Finding(
        lambda found: found.unknown > 0,
        "“{unknown_name}” does not know {unknown_share} of the held-out tokens.",
    ),
    Finding(
        lambda found: found.too_long >= TOO_LONG,
        "With “{long_name}”, {long_share} of the pairs are too long and would be dropped.",
    ),
    Finding(
        lambda found: found.tokens < found.most_tokens,
        "Of the subword tokenizers, “{shortest}” makes the shortest targets: {tokens:g} tokens (median).",
    ),
)


def of_pairs(preview: Preview) -> str:
    """A sentence on the size of a dataset, and on which pairs repeat or are far longer than the others."""
    return _joined(first(SIZE, preview), *_all(OF_PAIRS, preview))


def of_faults(report: LintReport, data: DataConfig) -> str:
    """A sentence on what the enabled rules drop, which other rule matches most, and sources with several targets."""
    dropping = enabled_rules(data.clean)
    n = report.dropped(dropping)
    others = {rule: found.n for rule, found in report.found.items() if rule not in dropping}
    most = max(others, key=others.__getitem__)
    is_reversed = data.task == "reverse_direction"
    found = SimpleNamespace(
        n=n,
        of=report.n_pairs,
        left=report.n_pairs - n,
        share=percent(n / max(1, report.n_pairs)),
        rule=LINT_RULES[most].label,
        matches=others[most],
        several=(report.several_sources if is_reversed else report.several_targets) or 0,
    )
    return _joined(first(DROPS, found), first(LEFT, found), first(SEVERAL, found))


def of_task(found: TaskExamples) -> str:
    """A sentence on about how many pairs the length limit will drop."""
    share = percent(found.too_long)
    return first(LIMIT, SimpleNamespace(too_long=found.too_long, limit=found.limit, share=share))


def of_words(found: Statistics) -> str:
    """A sentence on whether training has the words of validation, on sides that differ in length, and on rare words."""
    sides = {"source": found.src, "target": found.tgt}
    missing = {side: _missing(words) for side, words in sides.items()}
    rare = {side: words.n_once / max(1, words.n_distinct) for side, words in sides.items()}
    side, rare_side = max(missing, key=missing.__getitem__), max(rare, key=rare.__getitem__)
    facts = SimpleNamespace(
        side=side,
        missing=missing[side],
        share=percent(missing[side]),
        rare_side=rare_side,
        rare=rare[rare_side],
        once=percent(rare[rare_side]),
        ratio=found.ratio_median,
        inverse=1 / found.ratio_median if found.ratio_median else 0.0,
    )
    return _joined(*_all(OF_WORDS, facts))


def _missing(words: Vocabulary) -> float:
    return 1 - words.covered[0].running if words.covered else 0.0


def of_tokenizers(found: TokenizerComparison) -> str:
    """A sentence on what to consider where words are not separated by spaces, and on tokenizers that stand out."""
    if not found.rows:
        return "No tokenizer has been measured on these pairs."
    rows = found.named.values()
    unknown, name = max(
        (max(row.src.unknown_rate or 0, row.tgt.unknown_rate or 0), row.name) for row in rows
    )
    longest = max(rows, key=lambda row: row.too_long)
    subwords = [row for row in rows if TOKENIZERS[row.kind].is_subword] or [longest]
    shortest = min(subwords, key=lambda row: row.tgt.median)
    facts = SimpleNamespace(
        unknown=unknown,
        unknown_name=name,
        unknown_share=percent(unknown),
        too_long=longest.too_long,
        long_name=longest.name,
        long_share=percent(longest.too_long),
        shortest=shortest.name,
        tokens=shortest.tgt.median,
        most_tokens=max(row.tgt.median for row in subwords),
    )
    return _joined(found.advice.replace("`", ""), *_all(OF_TOKENIZERS, facts))


def percent(share: float) -> str:
    """A share as text with at most three digits: `4.31 %`, `less than 0.1 %`."""
    return f"{100 * share:.3g} %" if share >= 0.001 else "less than 0.1 %"


def _all(findings: Sequence[Finding], facts: object) -> list[str]:
    return [each.said(facts) for each in findings]


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
