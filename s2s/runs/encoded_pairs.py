"""Sentence pairs as a run's model reads them: ids, and the word that each token belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from s2s.analysis import Ints, word_indices
from s2s.runs.run import Run
from s2s.tokenizers import Tokenizer


@dataclass(frozen=True)
class EncodedPair:
    """One pair under teacher forcing.

    `src` ends in `</s>`. The decoder reads `tgt[:-1]`, which begins with the start token, and predicts `tgt[1:]`, which
    ends in `</s>`. Words are counted from 0; a token of no word, such as `</s>`, has -1.
    """

    number: int  # its index among the pairs
    src: tuple[int, ...]
    tgt: tuple[int, ...]
    src_words: Ints  # (len(src),)
    tgt_words: Ints  # (len(tgt) - 1,), of the predicted tokens

    @property
    def n_predicted(self) -> int:
        """The tokens that the model predicts, `</s>` included."""
        return len(self.tgt) - 1


def encoded_pairs(run: Run, pairs: Sequence[tuple[str, str]]) -> list[EncodedPair]:
    """The pairs that fit the model's positions and have text on both sides, in order."""
    special = run.recipe.model.ids
    longest = run.recipe.model.positions.longest
    sources = run.src_tokenizer.encode_many([src for src, _ in pairs])
    targets = run.tgt_tokenizer.encode_many([tgt for _, tgt in pairs])
    encoded = []
    for number, (source, target) in enumerate(zip(sources, targets, strict=True)):
        src = special.source(source)
        tgt = [special.start, *special.target(target)]
        is_too_long = longest is not None and max(len(src), len(tgt) - 1) > longest
        if is_too_long or not source or not target:
            continue
        src_words = _words(run.src_tokenizer, src)
        tgt_words = _words(run.tgt_tokenizer, tgt[1:])
        encoded.append(EncodedPair(number, tuple(src), tuple(tgt), src_words, tgt_words))
    return encoded


def _words(tokenizer: Tokenizer, ids: Sequence[int]) -> Ints:
    return word_indices(tokenizer.tokens(ids), is_whole=tokenizer.kind == "word")
