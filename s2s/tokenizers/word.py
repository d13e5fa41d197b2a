"""One piece a word; words are what stands between blanks. And for which texts that is no good."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from statistics import median
from typing import Self

from s2s.tokenizers.tokenizer import SPECIALS, UNK, Tokenizer, nfc

LOOKED_AT = 2000  # texts of a side, the first ones
# Thai and Lao, Tibetan, Burmese, Khmer, kana, and what is Han: scripts that put no blank between words.
UNSPACED = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u3005-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
LONG_WORD = 25  # characters; German compounds of a dozen are common, of 25 rare
LONG_UNSPACED = 6  # cut into words, Chinese has 2 characters a word and Thai 4; a Thai phrase, or a sentence, has 15 and more


class WordTokenizer(Tokenizer):
    """`"le chat dort"` becomes three ids; several blanks in a row come back as one."""

    kind = "word"

    def __init__(self, pieces: Iterable[str]) -> None:
        super().__init__(pieces)
        self._ids = {
            piece: index for index, piece in enumerate(self.pieces) if index >= len(SPECIALS)
        }

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


def lacks_spaces(texts: Iterable[str]) -> bool:
    """Whether words are hardly ever set apart, as in Chinese, Japanese or Thai; judged by the first 2,000 texts.

    The same languages already cut into words do have blanks.
    """
    first = [text for text in islice(texts, LOOKED_AT) if not text.isspace() and text]
    words = [word for text in first for word in text.split()]
    if not words:
        return False
    n_characters = sum(map(len, words))
    n_cut = sum(len(text.split()) > 1 for text in first)
    if sum(len(UNSPACED.findall(text)) for text in first) > n_characters / 2:
        return n_characters > LONG_UNSPACED * len(words) or n_cut < len(first) / 5
    return median(map(len, words)) > LONG_WORD


def advice(kind: str, src_texts: Iterable[str], tgt_texts: Iterable[str]) -> str:
    """One sentence where the word tokenizer is chosen for a side without blanks; empty where there is nothing to say."""
    if kind != WordTokenizer.kind:
        return ""
    sides = [
        name
        for name, texts in (("source", src_texts), ("target", tgt_texts))
        if lacks_spaces(texts)
    ]
    if not sides:
        return ""
    which = f"the {sides[0]} side has" if len(sides) == 1 else "both sides have"
    return (
        f"The `word` tokenizer cuts at blanks and {which} hardly any, so that each whole sentence would be one word;"
        " set `tokenizer.kind` to `char` or `bpe`."
    )
