"""What the rules found in a corpus: counts, examples, and what each choice of rules would leave out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from s2s.config import Cleaning
from s2s.data.lint.rules import LINT_RULES, Hits, Texts
from s2s.data.pair import Pair

EXAMPLES = 20
LONGEST_TEXT = 300  # characters of an example


class Example(NamedTuple):
    """`row` counts from 1; long texts are cut."""

    row: int
    src: str
    tgt: str
    reason: str


class Found(NamedTuple):
    """How many pairs a rule hits, and some of them, spread over the corpus."""

    n: int
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class LintReport:
    """`masks` counts pairs by the rules they match: bit i of a key stands for the i-th of `LINT_RULES`; key 0 is for clean pairs."""

    n_pairs: int
    n_valid: int  # distinct sources of the validation split; without one the overlap is 0
    max_words: int  # the limits that were counted with
    max_ratio: float
    found: Mapping[str, Found]
    masks: Mapping[int, int]

    def dropped(self, keys: Iterable[str]) -> int:
        """How many pairs these rules leave out together. Exact, without looking at the pairs again."""
        chosen = sum(1 << place for place, key in enumerate(LINT_RULES) if key in {*keys})
        return sum(n for mask, n in self.masks.items() if mask & chosen)

    def to_json(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        return asdict(self) | {
            "found": {key: [row.n, row.examples] for key, row in self.found.items()}
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """The opposite of `to_json`."""
        found = {
            key: Found(n, tuple(Example(*example) for example in examples))
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
    """Every rule on every pair, whether `cleaning` switches it on or not; only its limits count. Plain text (each text on both sides)
    has no copies. `on_progress` hears the share that is done.
    """
    texts = Texts(pairs, {pair.src for pair in valid}, cleaning, is_plain)
    masks = np.zeros(len(pairs), np.uint16)
    found = dict[str, Found]()
    for place, (key, rule) in enumerate(LINT_RULES.items()):
        hits = rule.finds(texts)
        masks |= hits.astype(np.uint16) << place
        found[key] = Found(int(hits.sum()), _examples(texts, key, hits))
        on_progress((place + 1) / len(LINT_RULES))
    counts = {
        int(mask): int(n) for mask, n in zip(*np.unique(masks, return_counts=True), strict=True)
    }
    return LintReport(len(pairs), len(texts.valid), texts.max_words, texts.max_ratio, found, counts)


def _examples(texts: Texts, key: str, hits: Hits) -> tuple[Example, ...]:
    rows = np.flatnonzero(hits)
    spread = rows[np.unique(np.linspace(0, len(rows) - 1, min(EXAMPLES, len(rows))).astype(int))]
    shown = ((row, texts.pairs[row], LINT_RULES[key].says(texts, row)) for row in spread.tolist())
    return tuple(
        Example(row + 1, _cut(pair.src), _cut(pair.tgt), _cut(reason))
        for row, pair, reason in shown
    )


def _cut(text: str) -> str:
    text = re.sub("[\ud800-\udfff]", "\ufffd", text)  # half a character cannot be sent to a browser
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"
