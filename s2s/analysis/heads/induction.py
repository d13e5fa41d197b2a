"""Induction: whether a head looks for the continuation of what it has just read, or for the token to be written.

*Prefix matching* (Olsson et al. 2022, "In-context Learning and Induction Heads"): the weight that a row puts on the
tokens that once followed the token which the row reads. With A B ... A, the second A attends to B.

- encoder: row i reads source token i; its matches are the tokens right after the other occurrences of that token.
- decoder: row i reads target token i, and its matches are the tokens right after the earlier occurrences of that token.
- cross: row i reads target token i, and its matches are the source tokens right after the occurrences of that token in
  the source. A model that copies needs just that.

*Copying* is the weight on tokens equal to the one that the row predicts, and says where a head looks, not what it
writes:

- decoder: earlier target tokens that are the token predicted next.
- cross: source tokens that are the token predicted next.
- encoder: a row predicts nothing; here it is the weight on other occurrences of the token that the row reads.

Special tokens neither ask nor match, except that the continuation may be `</s>`. A row without any match is left out.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from s2s.analysis.alignment import Floats, Ints, is_mark
from s2s.analysis.attention import KINDS
from s2s.analysis.heads.batches import Pair
from s2s.analysis.heads.captured import AttentionBatch, Bools, attention_batches
from s2s.analysis.roles import Rows, Tally
from s2s.config import UserError
from s2s.model import Transformer
from s2s.tokenizers import SPECIALS, UNK

FEWEST = 10  # rows with a match
SCORES = ("prefix", "copying")
NO_NUMBER = -1  # of a special token


@dataclass(frozen=True)
class MatchScore:
    """A head's mean weight on matching keys, over the rows that have some."""

    score: Floats  # (layers, heads), 0 to 1
    uniform: float  # of a head that spreads its weight evenly
    n_rows: int


@dataclass(frozen=True)
class Induction:
    """Scores of heads by kind of attention, then by name in SCORES; scores with fewer than FEWEST rows are left out."""

    scores: Mapping[str, Mapping[str, MatchScore]]
    n_sentences: int


def shared_numbers(src_tokens: Sequence[str], tgt_tokens: Sequence[str]) -> tuple[Ints, Ints]:
    """Numbers for every source id and every target id, equal where the tokens are; NO_NUMBER for special ones."""

    def is_special(token: str) -> bool:
        return is_mark(token) or token == SPECIALS[UNK]

    known: dict[str, int] = {}
    src, tgt = (
        np.array(
            [
                NO_NUMBER if is_special(token) else known.setdefault(token, len(known))
                for token in side
            ]
        )
        for side in (src_tokens, tgt_tokens)
    )
    return src, tgt


def induction(
    model: Transformer, pairs: Sequence[Pair], src_numbers: Ints, tgt_numbers: Ints
) -> Generator[float, None, Induction]:
    """Prefix matching and copying of every head; yields the share of the pairs that is done.

    Tokens are equal where their numbers are; a negative number is a special token. Raises UserError if no kind of
    attention has FEWEST rows with a match.
    """
    tallies: dict[tuple[str, str], list[tuple[Tally, Tally]]] = {}
    n_done = 0
    for batch in attention_batches(model, pairs):
        for kind in KINDS:
            matches = _matches(batch, kind, src_numbers, tgt_numbers)
            for name, found in zip(SCORES, matches, strict=True):
                tallies.setdefault((kind, name), []).append(_tally(batch, kind, found))
        n_done += len(batch.numbers)
        yield n_done / len(pairs)
    scores: dict[str, dict[str, MatchScore]] = {}
    for (kind, name), parts in tallies.items():
        weights, even = (reduce(add, side) for side in zip(*parts, strict=True))
        if weights.n >= FEWEST:
            score = MatchScore(weights.mean, float(even.mean[0, 0]), weights.n)
            scores.setdefault(kind, {})[name] = score
    if not scores:
        raise UserError(
            f"No token is repeated {FEWEST} times in these {len(pairs):,} pairs, so there is nothing to match; choose a"
            " test set with repetition, such as synthetic:copy."
        )
    return Induction(scores, len(pairs))


def _matches(batch: AttentionBatch, kind: str, src: Ints, tgt: Ints) -> tuple[Bools, Bools]:
    """The keys that continue what each row reads, and those equal to what it predicts: both (batch, rows, keys)."""
    keys = (tgt if kind == "decoder" else src)[batch.keys(kind)]
    read = src[batch.src] if kind == "encoder" else tgt[batch.inputs]
    predicted = read if kind == "encoder" else tgt[batch.outputs]
    allowed = batch.allowed(kind)
    n_rows, n_keys = allowed.shape[1:]
    is_same = np.arange(n_rows)[:, None] == np.arange(n_keys)
    is_equal = _equal(read, keys)
    if kind != "cross":
        is_equal &= ~is_same
    prefix = np.zeros_like(allowed)
    prefix[:, :, 1:] = is_equal[:, :, :-1]
    copying = is_equal if kind == "encoder" else _equal(predicted, keys)
    return prefix & allowed, copying & allowed


def _equal(rows: Ints, keys: Ints) -> Bools:
    """Whether numbers are equal, and of no special token: (batch, rows), (batch, keys) -> (batch, rows, keys)."""
    equal: Bools = (rows[:, :, None] == keys[:, None]) & (rows >= 0)[:, :, None]
    return equal


def _tally(batch: AttentionBatch, kind: str, matches: Bools) -> tuple[Tally, Tally]:
    rows = Rows(batch.weights[kind], batch.allowed(kind))
    counted = matches.sum(-1) > 0
    weights = np.where(matches[:, None, None], rows.weights, 0.0).sum(-1, dtype=float)
    even = matches.sum(-1) / np.maximum(rows.n_allowed, 1)  # (batch, rows)
    return rows.total(weights, counted), rows.total(even[:, None, None], counted)
