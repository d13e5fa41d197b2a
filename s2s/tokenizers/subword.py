"""What BPE and unigram share: how text is normalized and split, how tokens become text again.

Knows nothing of learning.
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

import tokenizers
from tokenizers import Regex, models, normalizers, pre_tokenizers

from s2s.config import UserError, nfc
from s2s.tokenizers.tokenizer import SPACE, SPECIALS, UNK, Tokenizer, words_of

MAX_SIZE = 32_000  # as is common for joint vocabularies of millions of pairs (Vaswani et al., 2017: 37,000)

# Inside the library the specials end in a space. Every space of a text becomes ▁, so no text, and no token, can spell
# one.
INNER = tuple(f"{special} " for special in SPECIALS)

# Punctuation is split off, so that `dog.` and `dog` share their tokens (on Multi30k a sixth of all tokens were such
# duplicates); the apostrophe is not, so that `l'` and `isn't` can be tokens.
PUNCTUATION = Regex(r"[\p{P}&&[^'’]]")

WORD = re.compile(r"[^\W\d_]+")


def automatic_size(n_characters: int) -> int:
    """Five times the square root of the number of characters, at most 32,000.

    Vocabulary grows roughly as the square root of the text (Heaps' law); the 3.9 million characters of Multi30k's
    29,000 pairs give 9,850, near the 10,000 of published Multi30k systems.
    """
    return min(MAX_SIZE, round(5 * math.sqrt(n_characters)))


def size_of(texts: Sequence[str], vocab_size: int | None = None, name: str = "subwords") -> int:
    """The vocabulary's size: `vocab_size`, or the automatic size for these texts. Raises UserError if it has no room
    for their characters.
    """
    characters = {SPACE}.union(*texts) - {" "}
    needed = len(SPECIALS) + len(characters)
    if vocab_size is None:
        n_characters = sum(map(len, texts))
        return max(needed, automatic_size(n_characters))
    if vocab_size < needed:
        given = f"`tokenizer.vocab_size` {vocab_size} is too small for {name} on this dataset"
        raise UserError(f"{given}: its characters and the 4 specials need at least {needed}.")
    return vocab_size


def pipeline(model: models.Model) -> tokenizers.Tokenizer:
    """The library's tokenizer of a model: NFC, a `▁` before the text and for each space, then tokens that never cross
    the start of a word.

    The mark is always added, so that a text keeps a leading space: `" a"` becomes `▁▁a`.
    """
    prepared = tokenizers.Tokenizer(model)
    prepared.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Prepend(SPACE)])
    words = pre_tokenizers.Metaspace(SPACE, prepend_scheme="never")
    punctuation = pre_tokenizers.Split(PUNCTUATION, "isolated")
    prepared.pre_tokenizer = pre_tokenizers.Sequence([words, punctuation])
    return prepared


class SubwordTokenizer(Tokenizer):
    """Tokens are parts of words: `"lower"` becomes e.g. `▁low` `er`; a character that the training text lacked becomes
    `<unk>`.

    A `▁` (U+2581) in the text itself comes back as a space, as in SentencePiece. With `lowers_capitals`, a text in
    capitals is read in ordinary case, but for a word that is a token so: `"WHERE ARE YOU?"` as `"Where are you?"`.
    """

    stored: ClassVar[tuple[str, ...]] = ("lowers_capitals",)
    lowers_capitals: bool

    def __init__(self, tokens: Iterable[str], *, lowers_capitals: bool = False) -> None:
        super().__init__(tokens)
        self.lowers_capitals = lowers_capitals
        self._known = frozenset(self.vocabulary) if lowers_capitals else frozenset()
        inner = (*INNER, *self.vocabulary[len(SPECIALS) :])
        self._pipeline = pipeline(self._model(inner))

    @abstractmethod
    def _model(self, inner: tuple[str, ...]) -> models.Model:
        """The library's model; `inner` is the vocabulary by id, with the specials as in INNER."""

    def as_read(self, text: str) -> str:
        if not self.lowers_capitals:
            return text
        text = nfc(text)
        words = [word for word in WORD.findall(text) if len(word) > 1]
        is_known = len(words) == 1 and SPACE + words[0] in self._known
        return _without_capitals(text) if text.isupper() and not is_known else text

    def unknown(self, text: str) -> list[str]:
        # a word in capitals is not read alone as in its text
        read = dict(zip(words_of(text), words_of(self.as_read(text)), strict=True))
        return [word for word, each in read.items() if UNK in self._ids(each)]

    def _ids(self, text: str) -> list[int]:
        return self._pipeline.encode(text, add_special_tokens=False).ids

    def encode(self, text: str) -> list[int]:
        return self._ids(self.as_read(text))

    def encode_many(self, texts: Iterable[str]) -> list[list[int]]:
        """The ids of each text, encoded all at once, on all cores."""
        read = list(map(self.as_read, texts))
        batch = self._pipeline.encode_batch_fast(read, add_special_tokens=False)
        return [encoding.ids for encoding in batch]

    def library_json(self) -> str:
        """The tokenizer as a `tokenizer.json` of the library, whose specials are those of INNER."""
        written: str = self._pipeline.to_str()
        return written

    def decode(self, ids: Sequence[int]) -> str:
        joined = "".join(self.vocabulary[index] for index in ids if index >= UNK)
        return joined.removeprefix(SPACE).replace(SPACE, " ")


def _without_capitals(text: str) -> str:
    first = next(place for place, character in enumerate(text) if character.isupper())
    return text[: first + 1] + text[first + 1 :].lower()
