"""What the rules found in a corpus: counts, examples, and how many pairs any set of rules would remove."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from s2s.config import Cleaning
from s2s.data.lint.rules import LINT_RULES, Hits, LintedCorpus
from s2s.data.pair import Pair

EXAMPLES = 20
LONGEST_TEXT = 300  # characters of an example


class Example(NamedTuple):
    """`row` is the pair's line in the file it was read from, else its number from 1; long texts are truncated."""

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
    """`masks` counts pairs by the rules they match: bit i of a key is rule i of `LINT_RULES`; 0 is for clean pairs."""

    n_pairs: int
    n_valid: int  # distinct sources of the validation split; 0 without one
    max_words: int  # the limits that were used
    max_ratio: float
    found: Mapping[str, RuleResult]
    masks: Mapping[int, int]

    def dropped(self, keys: Iterable[str]) -> int:
        """How many pairs these rules remove together. Exact, without the pairs."""
        chosen = sum(1 << index for index, key in enumerate(LINT_RULES) if key in {*keys})
        return sum(n for mask, n in self.masks.items() if mask & chosen)

    def to_json(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        return asdict(self) | {
            "found": {key: [row.n, row.examples] for key, row in self.found.items()}
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`."""
        found = {
            key: RuleResult(n, tuple(Example(*example) for example in examples))
            for key, (n, examples) in content["found"].items()
        }
        masks = {int(mask): n for mask, n in content["masks"].items()}
        return cls(**{**content, "found": found, "masks": masks})


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
    texts = LintedCorpus(pairs, {pair.src for pair in valid}, cleaning, is_plain)
    masks = np.zeros(len(pairs), np.uint16)
    found = dict[str, RuleResult]()
    for index, (key, rule) in enumerate(LINT_RULES.items()):
        hits = rule.finds(texts)
        masks |= hits.astype(np.uint16) << index
        found[key] = RuleResult(int(hits.sum()), _examples(texts, key, hits))
        on_progress((index + 1) / len(LINT_RULES))
    counts = {
        int(mask): int(n) for mask, n in zip(*np.unique(masks, return_counts=True), strict=True)
    }
    return LintReport(len(pairs), len(texts.valid), texts.max_words, texts.max_ratio, found, counts)


def flagged(
    pairs: Sequence[Pair],
    *,
    valid: Iterable[Pair] = (),
    cleaning: Cleaning = Cleaning(),  # noqa: B008 (frozen)
    is_plain: bool = False,
) -> Iterator[FlaggedPair]:
    """Every pair and rule that match, in the order of the pairs; the arguments are those of `lint_pairs`."""
    texts = LintedCorpus(pairs, {pair.src for pair in valid}, cleaning, is_plain)
    hits = np.stack([rule.finds(texts) for rule in LINT_RULES.values()])  # (rules, pairs)
    keys = list(LINT_RULES)
    for row in np.flatnonzero(hits.any(axis=0)).tolist():
        pair = pairs[row]
        for key in (keys[at] for at in np.flatnonzero(hits[:, row])):
            reason = LINT_RULES[key].says(texts, row)
            yield FlaggedPair(pair.line or row + 1, key, reason, pair.src, pair.tgt)


def _examples(texts: LintedCorpus, key: str, hits: Hits) -> tuple[Example, ...]:
    rows = np.flatnonzero(hits)
    spread = rows[np.unique(np.linspace(0, len(rows) - 1, min(EXAMPLES, len(rows))).astype(int))]
    shown = ((row, texts.pairs[row], LINT_RULES[key].says(texts, row)) for row in spread.tolist())
    return tuple(
        Example(pair.line or row + 1, _display(pair.src), _display(pair.tgt), _display(reason))
        for row, pair, reason in shown
    )


def _display(text: str) -> str:
    text = re.sub("[\ud800-\udfff]", "\ufffd", text)  # half a character is invalid in UTF-8
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"
