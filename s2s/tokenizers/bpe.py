"""Byte-pair pieces: characters, then the most frequent neighbours joined again and again (Sennrich et al., 2016)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import tokenizers
from tokenizers import Regex, models, normalizers, pre_tokenizers, trainers

from s2s.config import UserError
from s2s.tokenizers.tokenizer import BLANK, SPECIALS, UNK, Tokenizer, nfc

LARGEST = 32_000  # the size of the usual joint vocabularies for millions of pairs (Vaswani et al., 2017: 37,000)

# Inside the library the specials end in a blank. Every blank of a text becomes ▁, so no text, and no merge, can spell one.
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


def _pipeline(model: models.BPE) -> tokenizers.Tokenizer:
    """NFC, a `▁` before the text and for each blank, then pieces that never reach across a word's start.

    The mark is always added, so a text with a blank at its beginning keeps it: `" a"` is `▁▁a`.
    """
    pipeline = tokenizers.Tokenizer(model)
    pipeline.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Prepend(BLANK)])
    words, punctuation = pre_tokenizers.Metaspace(BLANK, prepend_scheme="never"), pre_tokenizers.Split(PUNCTUATION, "isolated")
    pipeline.pre_tokenizer = pre_tokenizers.Sequence([words, punctuation])
    return pipeline


class BpeTokenizer(Tokenizer):
    """`"lower"` becomes e.g. `▁low` `er`; a character that training text lacked becomes `<unk>`.

    A `▁` (U+2581) in the text itself comes back as a blank, as in SentencePiece.
    """

    kind = "bpe"

    def __init__(self, pieces: Iterable[str], merges: Iterable[tuple[str, str]]) -> None:
        super().__init__(pieces)
        self.merges = tuple(merges)
        vocabulary = {piece: index for index, piece in enumerate((*INNER, *self.pieces[len(SPECIALS) :]))}
        self._pipeline = _pipeline(models.BPE(vocab=vocabulary, merges=list(self.merges), unk_token=INNER[UNK]))

    @classmethod
    def fit(cls, texts: Iterable[str], vocab_size: int | None = None) -> Self:
        """Joins pairs seen at least twice until `vocab_size` pieces, specials included, or until none is left.

        Raises UserError when the characters of the text alone are more than `vocab_size`.
        """
        texts = [nfc(text) for text in texts]
        needed = len(SPECIALS) + len({BLANK}.union(*texts) - {" "})
        if vocab_size is not None and vocab_size < needed:
            given = f"`tokenizer.vocab_size` {vocab_size} is too small for byte pairs on this text"
            raise UserError(f"{given}: its characters and the 4 specials need at least {needed}.")
        size = vocab_size or max(needed, automatic_size(sum(map(len, texts))))
        trainer = trainers.BpeTrainer(vocab_size=size - len(SPECIALS), min_frequency=2, show_progress=False)
        learner = _pipeline(models.BPE())
        learner.train_from_iterator(texts, trainer)
        learned = json.loads(learner.to_str())["model"]
        return cls(sorted(learned["vocab"], key=learned["vocab"].__getitem__), map(tuple, learned["merges"]))

    def encode(self, text: str) -> list[int]:
        return self._pipeline.encode(text, add_special_tokens=False).ids

    def encode_many(self, texts: Iterable[str]) -> list[list[int]]:
        """All texts at once, on all cores."""
        return [encoding.ids for encoding in self._pipeline.encode_batch_fast(list(texts), add_special_tokens=False)]

    def decode(self, ids: Sequence[int]) -> str:
        joined = "".join(self.pieces[index] for index in ids if index >= UNK)
        return joined.removeprefix(BLANK).replace(BLANK, " ")

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "merges": [list(merge) for merge in self.merges]}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        merges, known = [(left, right) for left, right in given["merges"]], set(given["pieces"])
        if not all({left, right, left + right} <= known for left, right in merges):
            raise ValueError("a merge has a piece that is not in the list of pieces")
        return cls(given["pieces"], merges)
