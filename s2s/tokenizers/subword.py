"""What byte pairs and unigram share: how text is prepared, how pieces become text again. Knows nothing of learning."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence

import tokenizers
from tokenizers import Regex, models, normalizers, pre_tokenizers

from s2s.config import UserError
from s2s.tokenizers.tokenizer import SPACE, SPECIALS, UNK, Tokenizer

LARGEST = 32_000  # the size of the usual joint vocabularies for millions of pairs (Vaswani et al., 2017: 37,000)

# Inside the library the specials end in a blank. Every blank of a text becomes ▁, so no text, and no piece, can spell one.
INNER = tuple(f"{special} " for special in SPECIALS)

# Punctuation is cut off, so that `dog.` and `dog` share their pieces (on Multi30k a sixth of all pieces were such doubles);
# the apostrophe is not, so that `l'` and `isn't` can be pieces.
PUNCTUATION = Regex(r"[\p{P}&&[^'’]]")


def automatic_size(n_characters: int) -> int:
    """Five times the root of the number of characters, at most 32,000.

    Vocabulary grows about as the root of a text (Heaps' law); the 3.9 million characters of Multi30k's 29,000 pairs
    give 9,850, near the 10,000 that published Multi30k systems use.
    """
    return min(LARGEST, round(5 * math.sqrt(n_characters)))


def size_of(texts: Sequence[str], vocab_size: int | None = None, name: str = "subwords") -> int:
    """`vocab_size`, or one that fits these texts. Raises UserError when it has no room for their characters."""
    needed = len(SPECIALS) + len({SPACE}.union(*texts) - {" "})
    if vocab_size is not None and vocab_size < needed:
        given = f"`tokenizer.vocab_size` {vocab_size} is too small for {name} on this text"
        raise UserError(f"{given}: its characters and the 4 specials need at least {needed}.")
    return vocab_size or max(needed, automatic_size(sum(map(len, texts))))


def pipeline(model: models.Model) -> tokenizers.Tokenizer:
    """NFC, a `▁` before the text and for each blank, then pieces that never reach across a word's start.

    The mark is always added, so a text with a blank at its beginning keeps it: `" a"` is `▁▁a`.
    """
    prepared = tokenizers.Tokenizer(model)
    prepared.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Prepend(SPACE)])
    words = pre_tokenizers.Metaspace(SPACE, prepend_scheme="never")
    punctuation = pre_tokenizers.Split(PUNCTUATION, "isolated")
    prepared.pre_tokenizer = pre_tokenizers.Sequence([words, punctuation])
    return prepared


class SubwordTokenizer(Tokenizer):
    """`"lower"` becomes e.g. `▁low` `er`; a character that training text lacked becomes `<unk>`.

    A `▁` (U+2581) in the text itself comes back as a blank, as in SentencePiece.
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        super().__init__(pieces)
        self._pipeline = pipeline(self._model((*INNER, *self.pieces[len(SPECIALS) :])))

    @abstractmethod
    def _model(self, inner: tuple[str, ...]) -> models.Model:
        """The library's model; `inner` are the pieces by id as the library knows them."""

    def encode(self, text: str) -> list[int]:
        return self._pipeline.encode(text, add_special_tokens=False).ids

    def encode_many(self, texts: Iterable[str]) -> list[list[int]]:
        """All texts at once, on all cores."""
        return [
            encoding.ids
            for encoding in self._pipeline.encode_batch_fast(list(texts), add_special_tokens=False)
        ]

    def decode(self, ids: Sequence[int]) -> str:
        joined = "".join(self.pieces[index] for index in ids if index >= UNK)
        return joined.removeprefix(SPACE).replace(SPACE, " ")
