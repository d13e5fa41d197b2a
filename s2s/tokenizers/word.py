"""One token per word, split on spaces; and a check for texts where that does not work."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from statistics import median
from typing import Self

from s2s.config import nfc
from s2s.tokenizers.tokenizer import SPECIALS, UNK, LookupTokenizer

N_CHECKED = 2000  # texts of a side, the first ones
# Thai and Lao, Tibetan, Burmese, Khmer, kana, and Han: scripts without spaces between words.
UNSPACED = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u3005-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
WORD = re.compile(r"\w")
PARTS = re.compile(r"\w.*\w|\w|\W", re.DOTALL)  # the bare word, and each mark before and after it
LONG_WORD = 25  # characters; German compounds of a dozen are common, of 25 rare
# Characters per word: Chinese words have 2, Thai words 4, unsegmented phrases 15 and more.
LONG_UNSPACED = 6


class WordTokenizer(LookupTokenizer):
    """One token per word: `"le chat dort"` becomes three ids; decoding turns several spaces in a row into one.

    With `normalizes`, a word that is not in the vocabulary is looked up in another case and without punctuation: to a
    vocabulary of `the`, `cat` and `I`, `"The cat, I..."` is `the cat I`.
    """

    kind = "word"
    stored = ("normalizes",)
    normalizes: bool

    def __init__(self, tokens: Iterable[str], *, normalizes: bool = False) -> None:
        super().__init__(tokens)
        self.normalizes = normalizes

    @classmethod
    def fit(cls, texts: Iterable[str], vocab_size: int | None = None) -> Self:
        """Learns every word, or the most frequent ones; ties by first appearance."""
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(nfc(text).split())
        n_kept = None if vocab_size is None else vocab_size - len(SPECIALS)
        return cls(word for word, _ in counts.most_common(n_kept))

    @property
    def words(self) -> tuple[str, ...]:
        return self.vocabulary[len(SPECIALS) :]

    def encode(self, text: str) -> list[int]:
        return self._lookup(nfc(self.as_read(text)).split())

    def as_read(self, text: str) -> str:
        return " ".join(self._normalized(nfc(text).split())) if self.normalizes else text

    def decode(self, ids: Sequence[int]) -> str:
        return " ".join(self.vocabulary[index] for index in ids if index >= UNK)

    def _normalized(self, words: Sequence[str]) -> list[str]:
        found = [each for word in words for each in self._normalized_word(word)]
        marks = [each for each in found if not WORD.match(each)]
        has_lone_period = marks == ["."] and found[-1] == "."
        if has_lone_period and words[-1] != ".":
            return found[:-1]
        return found

    def _normalized_word(self, word: str) -> list[str]:
        if known := self._known(word):
            return [known]
        parts = [self._known(part) or part for part in PARTS.findall(word)]
        return [part for part in parts if part in self._ids or WORD.match(part)]

    def _known(self, word: str) -> str | None:
        cases = (word, word.lower(), word.capitalize())
        return next((each for each in cases if each in self._ids), None)


def lacks_spaces(texts: Iterable[str]) -> bool:
    """Whether words are rarely separated, as in Chinese, Japanese or Thai; judged by the first 2,000 texts.

    The same languages after word segmentation do have spaces.
    """
    checked = [text for text in islice(texts, N_CHECKED) if text and not text.isspace()]
    words = [word for text in checked for word in text.split()]
    if not words:
        return False
    n_characters = sum(map(len, words))
    n_unspaced = sum(len(UNSPACED.findall(text)) for text in checked)
    if n_unspaced > n_characters / 2:
        n_with_spaces = sum(len(text.split()) > 1 for text in checked)
        return n_characters > LONG_UNSPACED * len(words) or n_with_spaces < len(checked) / 5
    return median(map(len, words)) > LONG_WORD


def advice(kind: str, src_texts: Iterable[str], tgt_texts: Iterable[str]) -> str:
    """A warning if the word tokenizer is chosen for a side without spaces; otherwise empty."""
    if kind != WordTokenizer.kind:
        return ""
    texts_by_side = (("source", src_texts), ("target", tgt_texts))
    sides = [name for name, texts in texts_by_side if lacks_spaces(texts)]
    if not sides:
        return ""
    which = f"the {sides[0]} side has" if len(sides) == 1 else "both sides have"
    return (
        f"The `word` tokenizer splits on spaces and {which} almost none, so that a whole sentence would be one token;"
        " set `tokenizer.kind` to `char` or `bpe`."
    )
