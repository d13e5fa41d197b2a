"""What positions do in a trained encoder: to its outputs when words are swapped, and to its embeddings."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from s2s.analysis.alignment import word_indices
from s2s.model import Position, Transformer, inference, masks

Matrix = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
TINY = 1e-12  # a vector of zeros has no direction


@contextlib.contextmanager
def without_positions(model: Transformer) -> Iterator[None]:
    """A context in which the encoder has positions of the kind `none`; all weights stay. Holds the model's lock."""
    embed = model.encoder.embed
    with inference(model):
        original = embed.position
        embed.position = Position(model.config, model.config.encoder, is_causal=False)
        try:
            yield
        finally:
            embed.position = original


def swapped_order(tokens: Sequence[str], swapped: tuple[int, int], *, is_whole: bool) -> list[int]:
    """The order of tokens when two words are swapped, each with all its tokens. `is_whole`: each token is a word."""
    words = word_indices(tokens, is_whole=is_whole)
    first, second = (np.flatnonzero(words == word).tolist() for word in sorted(swapped))
    order = list(range(len(tokens)))
    if first == second or not (first and second):
        return order
    between = order[first[-1] + 1 : second[0]]
    return [*order[: first[0]], *second, *between, *first, *order[second[-1] + 1 :]]


@dataclass(frozen=True)
class ReorderingEffect:
    """The largest change of each token's encoder output when the tokens are reordered, each (src_len,)."""

    with_positions: Matrix
    without_positions: Matrix
    size: float  # root mean square of the encoder's output, to compare a change with


def reordering_effect(
    model: Transformer, ids: Sequence[int], order: Sequence[int]
) -> ReorderingEffect:
    """Encode `ids`, then in another order, and compare: position i holds the token from position `order[i]`."""
    order = list(order)
    if sorted(order) != list(range(len(ids))):
        raise ValueError(f"`order` {order} does not name each of {len(ids)} positions once")
    rows = torch.tensor([list(ids), [ids[i] for i in order]], device=model.device)  # (2, src_len)
    with inference(model):
        memory = _encoded(model, rows)
        with without_positions(model):
            memory_without = _encoded(model, rows)
    return ReorderingEffect(
        with_positions=_changes(memory, order),
        without_positions=_changes(memory_without, order),
        size=float(np.sqrt(np.mean(np.square(memory[0])))),
    )


def _encoded(model: Transformer, rows: Tensor) -> Matrix:
    """The memory of each row: (batch, src_len) -> (batch, src_len, d_model)."""
    mask = masks.padding(rows, model.config.ids.pad)
    memory: Matrix = model.encoder(rows, mask).float().cpu().numpy()
    return memory


def _changes(memory: Matrix, order: list[int]) -> Matrix:
    """The largest change of each token between its two positions: (2, src_len, d_model) -> (src_len,)."""
    back = np.argsort(order)
    changes: Matrix = np.abs(memory[1][back] - memory[0]).max(1)
    return changes


@dataclass(frozen=True)
class PositionEffect:
    """The effect of adding a position to each token's vector, each (src_len,)."""

    angles: Matrix  # degrees between the vector and the sum
    ratios: Matrix  # length of the sum / length of the vector
    # Id of the other token whose vector has the highest cosine with the vector alone.
    nearest_before: Ints
    # Id of the token (itself included) whose vector has the highest cosine with the sum.
    nearest_after: Ints


def position_effect(model: Transformer, ids: Sequence[int]) -> PositionEffect | None:
    """The effect on each token of adding its position; None where this model adds nothing to the vectors."""
    embed = model.encoder.embed
    tokens = torch.tensor([list(ids)], device=model.device)  # (1, src_len)
    with inference(model):
        scaled = embed.tokens(tokens)  # (1, src_len, d_model)
        added = embed.position.add(scaled, tokens.ne(embed.pad_id))  # (1, src_len, d_model)
        if torch.equal(added, scaled):
            return None
        sums = added[0].double()  # (src_len, d_model)
        vectors = scaled[0].double()  # (src_len, d_model)
        table = embed.tokens.weight.double()  # (vocab, d_model)
        angles = torch.cosine_similarity(vectors, sums, dim=1).clamp(-1, 1).acos().rad2deg()
        ratios = sums.norm(dim=1) / vectors.norm(dim=1).clamp(min=TINY)
        before = _cosines(vectors, table)  # (src_len, vocab)
        before[torch.arange(len(ids)), tokens[0]] = -2  # below every cosine: never itself
        after = _cosines(sums, table)  # (src_len, vocab)
    return PositionEffect(
        angles=angles.float().cpu().numpy(),
        ratios=ratios.float().cpu().numpy(),
        nearest_before=before.argmax(1).cpu().numpy(),
        nearest_after=after.argmax(1).cpu().numpy(),
    )


def _cosines(vectors: Tensor, table: Tensor) -> Tensor:
    """The cosines of vectors with all rows of a table: (n, d_model) and (vocab, d_model) -> (n, vocab)."""
    normalize = torch.nn.functional.normalize
    return normalize(vectors, dim=1) @ normalize(table, dim=1).T
