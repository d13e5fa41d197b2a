"""Byte-pair encoding: from characters, merges the most frequent adjacent pair repeatedly (Sennrich et al., 2016)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Self

from tokenizers import models, trainers

from s2s.config import nfc
from s2s.tokenizers.subword import INNER, SubwordTokenizer, pipeline, size_of
from s2s.tokenizers.tokenizer import SPECIALS, UNK, visible


class BpeTokenizer(SubwordTokenizer):
    """`"lower"` becomes e.g. `▁low` `er`: adjacent tokens are merged in the order of the learned merges."""

    kind = "bpe"
    stored = (*SubwordTokenizer.stored, "merges")
    merges: tuple[tuple[str, str], ...]

    def __init__(
        self,
        tokens: Iterable[str],
        merges: Iterable[tuple[str, str]],
        *,
        lowers_capitals: bool = False,
    ) -> None:
        self.merges = tuple(merges)
        tokens = tuple(tokens)
        known = set(tokens)
        if not all({left, right, left + right} <= known for left, right in self.merges):
            raise ValueError("a merge has a token that is not in the vocabulary")
        super().__init__(tokens, lowers_capitals=lowers_capitals)

    def _model(self, inner: tuple[str, ...]) -> models.Model:
        vocabulary = {token: index for index, token in enumerate(inner)}
        return models.BPE(vocab=vocabulary, merges=list(self.merges), unk_token=INNER[UNK])

    @classmethod
    def fit(cls, texts: Iterable[str], vocab_size: int | None = None) -> Self:
        """Learns merges of pairs seen at least twice until there are `vocab_size` tokens, specials included, or no such
        pair.

        Raises UserError when the text has more distinct characters than `vocab_size` has room for.
        """
        texts = [nfc(text) for text in texts]
        size = size_of(texts, vocab_size, "byte-pair encoding")
        trainer = trainers.BpeTrainer(
            vocab_size=size - len(SPECIALS), min_frequency=2, show_progress=False
        )
        learner = pipeline(models.BPE())
        learner.train_from_iterator(texts, trainer)
        learned = json.loads(learner.to_str())["model"]
        ids = learned["vocab"]
        tokens = sorted(ids, key=ids.__getitem__)
        return cls(tokens, map(tuple, learned["merges"]))


def byte_characters() -> dict[int, str]:
    """The character by which the library names each byte: its own where visible, else one from U+0100 on.

    As in Radford et al. (2019), Language Models are Unsupervised Multitask Learners, `encoder.py`.
    """
    printing = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printing]
    named = {byte: chr(byte) for byte in printing}
    return named | {byte: chr(0x100 + index) for index, byte in enumerate(others)}


@cache
def _bytes_by_character() -> dict[str, int]:
    return {character: byte for byte, character in byte_characters().items()}


def readable_bytes(token: str) -> str:
    """`ĠcafÃ©` -> `▁café`; bytes that are no whole character are named, as in `<0xC3>`."""
    known = _bytes_by_character()
    if not all(character in known for character in token):
        return visible(token)
    text = bytes(known[character] for character in token).decode(errors="surrogateescape")
    return re.sub("[\udc80-\udcff]", _named, visible(text))


def _named(match: re.Match[str]) -> str:
    return f"<0x{ord(match[0]) - 0xDC00:02X}>"
