"""One piece a character (a Unicode code point)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self

from s2s.tokenizers.tokenizer import SPECIALS, UNK, Tokenizer, nfc


class CharTokenizer(Tokenizer):
    """`"été"` becomes three ids; a character that training text lacked becomes `<unk>`."""

    kind = "char"

    def __init__(self, pieces: Iterable[str]) -> None:
        super().__init__(pieces)
        self._ids = {
            piece: index for index, piece in enumerate(self.pieces) if index >= len(SPECIALS)
        }

    @classmethod
    def fit(cls, texts: Iterable[str], vocab_size: int | None = None) -> Self:
        """Every character, or the most frequent ones; ties by first appearance."""
        counts = Counter(character for text in texts for character in nfc(text))
        keep = None if vocab_size is None else vocab_size - len(SPECIALS)
        return cls(character for character, _ in counts.most_common(keep))

    def encode(self, text: str) -> list[int]:
        return [self._ids.get(character, UNK) for character in nfc(text)]

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(self.pieces[index] for index in ids if index >= UNK)
