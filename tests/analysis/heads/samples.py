"""Random pairs of ids, a model whose heads are sharp, and its weights pair by pair."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np
import torch

from s2s.analysis import KINDS, Ints, Weights, capture
from s2s.analysis.trace import attentions
from s2s.model import Transformer
from tests.model.conftest import SRC_VOCAB, build, shrunk

T = TypeVar("T")
EOS = 2


@dataclass(frozen=True)
class Ids:
    """A pair as ids, and the word of each source token and of each predicted token."""

    src: tuple[int, ...]
    tgt: tuple[int, ...]
    src_words: Ints
    tgt_words: Ints


def words(n_tokens: int, rng: np.random.Generator) -> Ints:
    """Words of one or two tokens, then `</s>`."""
    starts = rng.random(n_tokens) < 0.7
    starts[:1] = True
    return np.array([*(starts.cumsum() - 1), -1])


def random_pairs(n: int, *, vocab: int = SRC_VOCAB, seed: int = 0) -> list[Ids]:
    """Sources of 3 to 9 tokens, targets of 1 to 7."""
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(n):
        src, tgt = (rng.integers(4, vocab, rng.integers(low, low + 7)).tolist() for low in (3, 1))
        pairs.append(Ids((*src, EOS), (1, *tgt, EOS), words(len(src), rng), words(len(tgt), rng)))
    return pairs


@cache
def sharp_model() -> Transformer:
    """Queries and keys are large, so that most rows have a clear peak."""
    model = build(shrunk("small"))
    with torch.no_grad():
        for kind in KINDS:
            for attention in attentions(model, kind):
                attention.query.weight.mul_(4)
                attention.key.weight.mul_(4)
    return model


def weights_alone(model: Transformer, pair: Ids) -> dict[str, Weights]:
    """Each kind's (layers, heads, rows, keys) of one pair, without any padding."""
    with capture(model) as trace:
        model(torch.tensor([pair.src]), torch.tensor([pair.tgt[:-1]]))
    return {kind: torch.stack(getattr(trace, kind))[:, 0].numpy() for kind in KINDS}


def finished(steps: Generator[float, None, T]) -> T:
    """What a generator returns; the shares that it yields grow up to 1."""
    shares = [0.0]
    while True:
        try:
            shares.append(next(steps))
        except StopIteration as stop:
            assert shares == sorted(shares)
            assert shares[-1] == 1.0
            result: T = stop.value
            return result
