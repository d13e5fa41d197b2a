"""Pieces with a probability each; a word is cut in its most probable way (Kudo, 2018)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any, Self

from tokenizers import models, pre_tokenizers

from s2s.tokenizers.lattice import LEAST, LONGEST_WORD, learn
from s2s.tokenizers.subword import PUNCTUATION, SubwordTokenizer, size_of
from s2s.tokenizers.tokenizer import SPACE, SPECIALS, UNK, listed, nfc

LEARNT = 1_000_000  # characters of distinct words; the 29,000 pairs of Multi30k have 280,000
DIGITS = 6  # of a log-probability: the later ones may differ between processors


class UnigramTokenizer(SubwordTokenizer):
    """`"lower"` becomes `▁low` `er` where log p(▁low) + log p(er), in nats, is more than any other cut gives."""

    kind = "unigram"

    def __init__(self, pieces: Iterable[str], log_probs: Iterable[float]) -> None:
        self.log_probs = tuple(log_probs)
        super().__init__(pieces)

    def _model(self, inner: tuple[str, ...]) -> models.Model:
        scores = (*[0.0] * len(SPECIALS), *self.log_probs)  # a special's is never asked for
        return models.Unigram(
            vocab=list(zip(inner, scores, strict=True)), unk_id=UNK, byte_fallback=False
        )

    @classmethod
    def fit(cls, texts: Iterable[str], vocab_size: int | None = None) -> Self:
        """Starts with every frequent piece and drops those that matter least, until `vocab_size`, specials included.

        Each round estimates the probabilities anew (expectation-maximisation) from at most 1,000,000 characters of distinct
        words, the most frequent ones; characters are never dropped. Raises UserError when those alone are more than `vocab_size`.
        """
        texts = [nfc(text) for text in texts]
        size = size_of(texts, vocab_size, "unigram")
        words = _words(texts)
        frequent = _frequent(words)
        rare = {SPACE}.union(*words).difference(*frequent)
        found = learn(frequent, size - len(SPECIALS) - len(rare)) | dict.fromkeys(
            rare, math.log(LEAST)
        )
        pieces = sorted(
            ((piece, round(value, DIGITS)) for piece, value in found.items()),
            key=lambda row: (-row[1], row[0]),
        )
        return cls((piece for piece, _ in pieces), (log_prob for _, log_prob in pieces))

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "log_probs": list(self.log_probs)}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        pieces = listed(given["pieces"])
        log_probs = given["log_probs"]
        if len(set(pieces)) != len(pieces) or len(pieces) != len(log_probs):
            raise ValueError("there are not as many different pieces as probabilities")
        if not all(isinstance(value, float) and math.isfinite(value) for value in log_probs):
            raise ValueError("the log-probabilities are not numbers")
        return cls(pieces, log_probs)


def _words(texts: Iterable[str]) -> Counter[str]:
    """How often each stretch between blanks stands there, its `▁` before it, punctuation cut off."""
    stretches = Counter(word for text in texts for word in text.replace(SPACE, " ").split(" "))
    words: Counter[str] = Counter()
    cutter = pre_tokenizers.Split(PUNCTUATION, "isolated")
    for stretch, count in stretches.items():
        whole = SPACE + stretch
        for word in (
            [whole] if stretch.isalnum() else [part for part, _ in cutter.pre_tokenize_str(whole)]
        ):
            for start in range(0, len(word), LONGEST_WORD):
                words[word[start : start + LONGEST_WORD]] += count
    return words


def _frequent(words: Counter[str]) -> dict[str, int]:
    """The most frequent words, up to so many characters together."""
    ordered = sorted(words.items(), key=lambda row: (-row[1], row[0]))
    sums = accumulate(len(word) for word, _ in ordered)
    return dict(row for row, length in zip(ordered, sums, strict=True) if length <= LEARNT)
