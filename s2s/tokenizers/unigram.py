"""Unigram language model: each token has a probability, and a word gets its most probable segmentation (Kudo, 2018)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Self

from tokenizers import models, pre_tokenizers

from s2s.config import nfc
from s2s.tokenizers.lattice import LONGEST_WORD, MIN_PROBABILITY, learn
from s2s.tokenizers.subword import PUNCTUATION, SubwordTokenizer, size_of
from s2s.tokenizers.tokenizer import SPACE, SPECIALS, UNK

MAX_CHARACTERS = 1_000_000  # of distinct training words; the 29,000 pairs of Multi30k have 280,000
DIGITS = 6  # of a log-probability: the later ones may differ between processors


class UnigramTokenizer(SubwordTokenizer):
    """`"lower"` becomes `▁low` `er` where log p(▁low) + log p(er), in nats, exceeds all other segmentations."""

    kind = "unigram"
    stored = (*SubwordTokenizer.stored, "log_probs")
    log_probs: tuple[float, ...]

    def __init__(
        self, tokens: Iterable[str], log_probs: Iterable[float], *, lowers_capitals: bool = False
    ) -> None:
        self.log_probs = tuple(log_probs)
        tokens = tuple(tokens)
        if not len({*tokens}) == len(tokens) == len(self.log_probs):
            raise ValueError("there are not as many distinct tokens as probabilities")
        if not all(map(math.isfinite, self.log_probs)):
            raise ValueError("the log-probabilities are not finite numbers")
        super().__init__(tokens, lowers_capitals=lowers_capitals)

    def _model(self, inner: tuple[str, ...]) -> models.Model:
        unused = [0.0] * len(SPECIALS)
        vocabulary = list(zip(inner, [*unused, *self.log_probs], strict=True))
        return models.Unigram(vocab=vocabulary, unk_id=UNK, byte_fallback=False)

    @classmethod
    def fit(cls, texts: Iterable[str], vocab_size: int | None = None) -> Self:
        """Learns a vocabulary: starts with every frequent substring, then drops those that matter least, down to
        `vocab_size` tokens.

        Each round re-estimates the probabilities by expectation maximization on the most frequent words, at most
        1,000,000 characters of them; characters are never dropped. Raises UserError if those alone exceed `vocab_size`.
        """
        texts = [nfc(text) for text in texts]
        size = size_of(texts, vocab_size, "unigram")
        words = _words(texts)
        frequent = _most_frequent(words)
        rare = {SPACE}.union(*words).difference(*frequent)
        log_probs = learn(frequent, size - len(SPECIALS) - len(rare))
        log_probs |= dict.fromkeys(rare, math.log(MIN_PROBABILITY))
        rounded = {token: round(value, DIGITS) for token, value in log_probs.items()}
        tokens = sorted(rounded, key=lambda token: (-rounded[token], token))
        return cls(tokens, [rounded[token] for token in tokens])


def _words(texts: Iterable[str]) -> Counter[str]:
    chunks: Counter[str] = Counter()
    for text in texts:
        chunks.update(text.replace(SPACE, " ").split(" "))
    words: Counter[str] = Counter()
    splitter = pre_tokenizers.Split(PUNCTUATION, "isolated")
    for chunk, count in chunks.items():
        marked = SPACE + chunk
        split = [marked]
        if not chunk.isalnum():
            split = [word for word, _ in splitter.pre_tokenize_str(marked)]
        for word in split:
            for start in range(0, len(word), LONGEST_WORD):
                words[word[start : start + LONGEST_WORD]] += count
    return words


def _most_frequent(words: Counter[str]) -> dict[str, int]:
    frequent = {}
    n_characters = 0
    for word in sorted(words, key=lambda word: (-words[word], word)):
        n_characters += len(word)
        if n_characters > MAX_CHARACTERS:
            break
        frequent[word] = words[word]
    return frequent
