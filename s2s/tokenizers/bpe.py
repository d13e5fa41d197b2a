"""Byte-pair pieces: characters, then the most frequent neighbours joined again and again (Sennrich et al., 2016)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Self

from tokenizers import models, trainers

from s2s.tokenizers.subword import INNER, SubwordTokenizer, pipeline, size_of
from s2s.tokenizers.tokenizer import SPECIALS, UNK, listed, nfc


class BpeTokenizer(SubwordTokenizer):
    """`"lower"` becomes e.g. `▁low` `er`: two neighbours at a time are joined, in the order in which the pairs were learnt."""

    kind = "bpe"

    def __init__(self, pieces: Iterable[str], merges: Iterable[tuple[str, str]]) -> None:
        self.merges = tuple(merges)
        super().__init__(pieces)

    def _model(self, inner: tuple[str, ...]) -> models.Model:
        vocabulary = {piece: index for index, piece in enumerate(inner)}
        return models.BPE(vocab=vocabulary, merges=list(self.merges), unk_token=INNER[UNK])

    @classmethod
    def fit(cls, texts: Iterable[str], vocab_size: int | None = None) -> Self:
        """Joins pairs seen at least twice until `vocab_size` pieces, specials included, or until none is left.

        Raises UserError when the characters of the text alone are more than `vocab_size`.
        """
        texts = [nfc(text) for text in texts]
        size = size_of(texts, vocab_size, "byte pairs")
        trainer = trainers.BpeTrainer(
            vocab_size=size - len(SPECIALS), min_frequency=2, show_progress=False
        )
        learner = pipeline(models.BPE())
        learner.train_from_iterator(texts, trainer)
        learned = json.loads(learner.to_str())["model"]
        return cls(
            sorted(learned["vocab"], key=learned["vocab"].__getitem__),
            map(tuple, learned["merges"]),
        )

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "merges": [list(merge) for merge in self.merges]}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        pieces = listed(given["pieces"])
        merges = [(left, right) for left, right in given["merges"]]
        known = set(pieces)
        if not all({left, right, left + right} <= known for left, right in merges):
            raise ValueError("a merge has a piece that is not in the list of pieces")
        return cls(pieces, merges)
