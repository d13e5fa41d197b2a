"""Hidden states: every token's vector after every layer, their neighbors by cosine, and their principal components."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from torch import Tensor, nn

from s2s.analysis.alignment import Ints, word_indices, word_texts
from s2s.analysis.attention import shown_tokens
from s2s.model import Decoder, Encoder, Transformer, inference

Vectors = npt.NDArray[np.float32]
SIDES = ("encoder", "decoder")
Floats = npt.NDArray[np.float64]
TINY = 1e-12  # a vector of zeros has no direction: its cosine with every other is 0


@dataclass(frozen=True)
class Side:
    """The states of one stack, (n_layers + 1, len, d_model), and the tokens that it reads."""

    vectors: Vectors
    tokens: tuple[str, ...]

    @property
    def n_layers(self) -> int:
        return len(self.vectors) - 1


@dataclass(frozen=True)
class States:
    """The state at each position before the first layer and after each: (n_layers + 1, len, d_model), float32.

    Index 0 is the input of layer 1: token vectors plus whatever positions add. The last is taken after the stack's
    final norm, if it has one, because the next module reads that: cross-attention or the output projection.
    Row i of `decoder` reads `tgt_inputs[i]` and predicts `tgt_tokens[i]`. `src_tokens` end in `</s>`.
    """

    src_tokens: tuple[str, ...]
    tgt_inputs: tuple[str, ...]
    tgt_tokens: tuple[str, ...]
    encoder: Vectors
    decoder: Vectors

    def __repr__(self) -> str:
        tokens = f"{shown_tokens(self.src_tokens)} -> {shown_tokens(self.tgt_tokens)}"
        shapes = f"encoder {self.encoder.shape}, decoder {self.decoder.shape}"
        return f"States({tokens}: (states, tokens, d_model) of {shapes})"

    def side(self, name: str) -> Side:
        if name == "encoder":
            return Side(self.encoder, self.src_tokens)
        if name == "decoder":
            return Side(self.decoder, self.tgt_inputs)
        raise ValueError(f"there are no states of `{name}`; there are those of {', '.join(SIDES)}")


@dataclass
class ResidualStreams:
    """The residual streams of a run of the model: one tensor (batch, len, d_model) per layer, the embeddings first."""

    encoder: list[Tensor] = field(default_factory=list)
    decoder: list[Tensor] = field(default_factory=list)


@contextlib.contextmanager
def recorded_states(model: Transformer) -> Iterator[ResidualStreams]:
    """Record the residual streams while the model runs, in inference mode and holding its lock."""
    streams = ResidualStreams()
    with inference(model), contextlib.ExitStack() as hooks:
        for stack, outputs in ((model.encoder, streams.encoder), (model.decoder, streams.decoder)):
            for module in state_modules(stack):

                def record(
                    _: nn.Module, inputs: object, output: Tensor, outputs: list[Tensor] = outputs
                ) -> None:
                    outputs.append(output)

                hooks.callback(module.register_forward_hook(record).remove)
        yield streams


def state_modules(stack: Encoder | Decoder) -> list[nn.Module]:
    """The modules whose outputs are the states; the last layer's state is read after the final norm."""
    return [stack.embed, *list(stack.layers)[:-1], stack.final_norm]


@dataclass(frozen=True)
class WordStates:
    """One vector per word, (..., words, d_model): the mean over its tokens. Tokens of no word are left out."""

    vectors: Vectors
    words: tuple[str, ...]

    @property
    def mean(self) -> Vectors:
        """The mean over all words: (..., d_model)."""
        mean: Vectors = self.vectors.mean(-2)
        return mean


def word_states(vectors: Vectors, tokens: Sequence[str], *, is_whole: bool) -> WordStates:
    """Word states from those of tokens, the last of which is `</s>`: (..., len, d_model) -> (..., words, d_model).

    `is_whole`: each token is a word.

    >>> word_states(np.ones((3, 2), np.float32), ("▁cat", "s", "</s>"), is_whole=False).words
    ('cats',)
    """
    indices = word_indices(tokens, is_whole=is_whole)
    texts = word_texts(tokens, indices)
    return WordStates(_means(vectors, indices, len(texts)), texts)


def _means(vectors: Vectors, indices: Ints, n_words: int) -> Vectors:
    """The mean vector of each word: (..., len, d_model) -> (..., words, d_model)."""
    membership = (np.arange(n_words)[:, None] == indices).astype(np.float32)  # (words, len)
    means: Vectors = (membership / membership.sum(1, keepdims=True)) @ vectors
    return means


def unit(vectors: Vectors) -> Vectors:
    """The vectors, each scaled to length 1: (..., d_model)."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    directions: Vectors = vectors / np.maximum(lengths, TINY)
    return directions


def cosines(one: Vectors, other: Vectors) -> Floats:
    """Cosines of vectors, elementwise over the leading axes, -1 to 1: (..., d_model) twice -> (...)."""
    cosine: Floats = (unit(one) * unit(other)).sum(-1, dtype=np.float64)
    return cosine


def baseline_cosines(texts: Sequence[Vectors]) -> Floats:
    """Mean cosine of two words of different texts, over all such pairs: each (layers, words, d_model) -> (layers,).

    The baseline without which no single cosine can be interpreted. NaN where there are no two texts.
    """
    directions = [unit(text).astype(np.float64) for text in texts]
    sums = np.stack([text.sum(1) for text in directions])  # (texts, layers, d_model)
    counts = np.array([text.shape[1] for text in directions])
    n_pairs = counts.sum() ** 2 - (counts**2).sum()
    if not n_pairs:
        return np.full(sums.shape[1], np.nan)
    all_pairs = (sums.sum(0) ** 2).sum(-1)  # (layers,)
    same_text = (sums**2).sum((0, 2))  # (layers,)
    mean: Floats = (all_pairs - same_text) / n_pairs
    return mean


class Neighbor(NamedTuple):
    """A row of an index, and its cosine with the query."""

    row: int
    cosine: float


@dataclass(frozen=True)
class Index:
    """Directions (n, d_model) to search, and the index of the text that each comes from."""

    directions: Vectors
    texts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, vectors: Sequence[Vectors]) -> Index:
        """An index of the vectors of texts, each (rows, d_model)."""
        n_rows = [len(rows) for rows in vectors]
        texts = np.repeat(np.arange(len(vectors)), n_rows)
        return cls(unit(np.concatenate(vectors)), texts)

    def nearest(self, vector: Vectors, n: int, *, without: int | None = None) -> list[Neighbor]:
        """The `n` rows of highest cosine, by exact search, equals in order; rows of the text `without` are left out."""
        cosine = self.directions @ unit(vector)  # (rows,)
        if without is not None:
            cosine = np.where(self.texts == without, -np.inf, cosine)
        order = np.argsort(-cosine, kind="stable")[:n]
        return [Neighbor(int(row), float(cosine[row])) for row in order if np.isfinite(cosine[row])]


@dataclass(frozen=True)
class Projection:
    """A projection: points (n, 2), and the share of the total variance, 0 to 1, that each axis explains."""

    points: Floats
    shares: tuple[float, float]


def principal_components(vectors: Vectors) -> Projection:
    """The first two principal components (Pearson 1901) of (n, d_model), centered but not scaled, by SVD.

    The sign of an axis is arbitrary: here its number of largest size is positive. With fewer than three distinct
    vectors, the second axis or both are 0.
    """
    centered = vectors.astype(np.float64) - vectors.mean(0, dtype=np.float64)
    u, sizes, _ = np.linalg.svd(centered, full_matrices=False)
    n = min(2, len(sizes))
    points = np.zeros((len(vectors), 2))
    points[:, :n] = u[:, :n] * sizes[:n]
    largest = points[np.abs(points).argmax(0), [0, 1]]  # (2,), of each axis
    signs = np.where(largest < 0, -1.0, 1.0)

    variances = np.zeros(2)
    variances[:n] = sizes[:n] ** 2
    total = float((sizes**2).sum())
    first, second = (variances / total if total > 0 else variances).tolist()
    return Projection(points * signs, (first, second))
