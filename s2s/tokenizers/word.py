"""One piece a word; words are what stands between blanks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self

from s2s.tokenizers.tokenizer import SPECIALS, UNK, Tokenizer, nfc


class WordTokenizer(Tokenizer):
    """`"le chat dort"` becomes three ids; several blanks in a row come back as one."""

    kind = "word"

    def __init__(self, pieces: Iterable[str]) -> None:
        super().__init__(pieces)
        self._ids = {piece: index for index, piece in enumerate(self.pieces) if index >= len(SPECIALS)}

    @classmethod
    def fit(cls, texts: Iterable[str], vocab_size: int | None = None) -> Self:
        """Every word, or the most frequent ones; ties by first appearance."""
        counts = Counter(word for text in texts for word in nfc(text).split())
        keep = None if vocab_size is None else vocab_size - len(SPECIALS)
        return cls(word for word, _ in counts.most_common(keep))

    @property
    def words(self) -> tuple[str, ...]:
        return self.pieces[len(SPECIALS) :]

    def encode(self, text: str) -> list[int]:
        return [self._ids.get(word, UNK) for word in nfc(text).split()]

    def decode(self, ids: Sequence[int]) -> str:
        return " ".join(self.pieces[index] for index in ids if index >= UNK)
