"""One token per character (Unicode code point)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self

from s2s.config import nfc
from s2s.tokenizers.tokenizer import SPECIALS, UNK, LookupTokenizer


class CharTokenizer(LookupTokenizer):
    """`"été"` becomes three ids; a character that the training text lacked becomes `<unk>`."""

    kind = "char"

    @classmethod
    def fit(cls, texts: Iterable[str], vocab_size: int | None = None) -> Self:
        """Every character, or the most frequent ones; ties by first appearance."""
        counts = Counter(character for text in texts for character in nfc(text))
        n_kept = None if vocab_size is None else vocab_size - len(SPECIALS)
        return cls(character for character, _ in counts.most_common(n_kept))

    def encode(self, text: str) -> list[int]:
        return self._lookup(nfc(text))

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(self.vocabulary[index] for index in ids if index >= UNK)
