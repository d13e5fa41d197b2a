"""What the rules found in a corpus: counts, examples, and how many pairs any set of rules would remove."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from s2s.config import Cleaning
from s2s.data.lint.rules import LINT_RULES, Hits, LintedCorpus
from s2s.data.overlap import normalized
from s2s.data.pair import Pair

EXAMPLES = 20
LONGEST_TEXT = 300  # characters of an example


class Example(NamedTuple):
    """A pair that matches a rule, with long texts truncated; `row` is its line in the file, else its number from 1."""

    row: int
    src: str
    tgt: str
    reason: str


class FlaggedPair(NamedTuple):
    """A pair that matches a rule; `line` is that of the file it was read from, else its number from 1."""

    line: int
    rule: str
    reason: str
    src: str
    tgt: str


class RuleResult(NamedTuple):
    """How many pairs match a rule, and examples, evenly spaced over the corpus."""

    n: int
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class LintReport:
    """What the rules found in a corpus.

    `masks` counts pairs by the rules they match: bit i of a key is rule i of `LINT_RULES`; 0 is for clean pairs.
    """

    n_pairs: int
    n_valid: int  # distinct sources of the validation split; 0 without one
    max_words: int  # the limits that were used
    max_ratio: float
    found: Mapping[str, RuleResult]
    masks: Mapping[int, int]
    several_targets: int | None = None  # sources with more than one target; None in older results
    several_sources: int | None = None  # targets with more than one source

    def dropped(self, keys: Iterable[str]) -> int:
        """How many pairs these rules remove together. Exact, without the pairs."""
        wanted = set(keys)
        chosen = sum(1 << index for index, key in enumerate(LINT_RULES) if key in wanted)
        return sum(n for mask, n in self.masks.items() if mask & chosen)


def lint_pairs(
    pairs: Sequence[Pair],
    *,
    valid: Iterable[Pair] = (),
    cleaning: Cleaning = Cleaning(),  # noqa: B008 (frozen)
    is_plain: bool = False,
    on_progress: Callable[[float], None] = lambda share: None,
) -> LintReport:
    """Applies every rule to every pair, enabled or not; `cleaning` only sets the limits.

    Plain text, with the same text on both sides, has no copies. `on_progress` receives the finished share.
    """
    texts = LintedCorpus(pairs, {normalized(pair.src) for pair in valid}, cleaning, is_plain)
    masks = np.zeros(len(pairs), np.uint16)
    found = dict[str, RuleResult]()
    for index, (key, rule) in enumerate(LINT_RULES.items()):
        hits = rule.finds(texts)
        masks |= hits.astype(np.uint16) << index
        found[key] = RuleResult(int(hits.sum()), _examples(texts, key, hits))
        on_progress((index + 1) / len(LINT_RULES))
    distinct, counts = np.unique(masks, return_counts=True)
    return LintReport(
        n_pairs=len(pairs),
        n_valid=len(texts.valid),
        max_words=texts.max_words,
        max_ratio=texts.max_ratio,
        found=found,
        masks=dict(zip(distinct.tolist(), counts.tolist(), strict=True)),
        several_targets=_n_repeated(texts, texts.src.texts),
        several_sources=_n_repeated(texts, texts.tgt.texts),
    )


def _n_repeated(texts: LintedCorpus, side: Sequence[str]) -> int:
    is_first = texts.first == np.arange(len(texts.pairs))
    hashes = np.fromiter(map(hash, side), np.int64, len(texts.pairs))
    _, counts = np.unique(hashes[is_first], return_counts=True)
    return int((counts > 1).sum())


def flagged(
    pairs: Sequence[Pair],
    *,
    valid: Iterable[Pair] = (),
    cleaning: Cleaning = Cleaning(),  # noqa: B008 (frozen)
    is_plain: bool = False,
) -> Iterator[FlaggedPair]:
    """Every pair and rule that match, in the order of the pairs; the arguments are those of `lint_pairs`."""
    texts = LintedCorpus(pairs, {normalized(pair.src) for pair in valid}, cleaning, is_plain)
    hits = np.stack([rule.finds(texts) for rule in LINT_RULES.values()])  # (rules, pairs)
    keys = list(LINT_RULES)
    for row in np.flatnonzero(hits.any(axis=0)).tolist():
        pair = pairs[row]
        line = pair.line or row + 1
        for number in np.flatnonzero(hits[:, row]).tolist():
            key = keys[number]
            reason = LINT_RULES[key].says(texts, row)
            yield FlaggedPair(line, key, reason, pair.src, pair.tgt)


def _examples(texts: LintedCorpus, key: str, hits: Hits) -> tuple[Example, ...]:
    rows = np.flatnonzero(hits)
    n_shown = min(EXAMPLES, len(rows))
    spread = np.unique(np.linspace(0, len(rows) - 1, n_shown).astype(int))
    examples = []
    for row in rows[spread].tolist():
        pair = texts.pairs[row]
        line = pair.line or row + 1
        reason = LINT_RULES[key].says(texts, row)
        examples.append(Example(line, *map(_display, (pair.src, pair.tgt, reason))))
    return tuple(examples)


def _display(text: str) -> str:
    text = re.sub("[\ud800-\udfff]", "\ufffd", text)  # half a character is invalid in UTF-8
    if len(text) <= LONGEST_TEXT:
        return text
    return f"{text[: LONGEST_TEXT - 1]}…"
