"""The attention weights of one sentence pair, with their tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from s2s.config import shortened

Weights = npt.NDArray[np.float32]
LONGEST_SHOWN = 60  # characters of a sentence in a repr
KINDS = ("cross", "encoder", "decoder")


def shown_tokens(tokens: Sequence[str]) -> str:
    """Tokens in quotation marks, on one line and not too long: for a repr."""
    return shortened(repr(" ".join(tokens)), LONGEST_SHOWN)


@dataclass(frozen=True)
class LabeledWeights:
    """All heads of one kind of attention, with the tokens of rows and columns."""

    weights: Weights  # (layers, heads, rows, keys)
    rows: tuple[str, ...]
    keys: tuple[str, ...]
    verb: str  # what a row does with its token: predicts or reads it

    def __repr__(self) -> str:
        keys, rows = shown_tokens(self.keys), shown_tokens(self.rows)
        layers, heads = self.weights.shape[:2]
        return f"LabeledWeights(rows {rows}, keys {keys}: {layers} layers, {heads} heads)"

    def reduced(self, layer: int | None, head: int | None) -> Weights:
        """Weights of one layer and head (0-based), None for the mean: (layers, heads, rows, keys) -> (rows, keys)."""
        heads: Weights = self.weights.mean(0) if layer is None else self.weights[layer]
        reduced: Weights = heads.mean(0) if head is None else heads[head]
        return reduced


@dataclass(frozen=True)
class Attention:
    """Every head's weights, rows summing to 1: (layers, heads, query_len, key_len), float32.

    Row i of `cross` and `decoder` reads `tgt_inputs[i]` (row 0 reads `<s>`) and predicts `tgt_tokens[i]` (the last is
    `</s>`). `src_tokens` end in `</s>`. `grams`, by kind, are what `trace.gram` returns, (layers, key_len, heads,
    heads); empty where only the weights were recorded.
    """

    src_tokens: tuple[str, ...]
    tgt_inputs: tuple[str, ...]
    tgt_tokens: tuple[str, ...]
    cross: Weights
    encoder: Weights
    decoder: Weights
    grams: Mapping[str, Weights] = field(default_factory=dict)

    def __repr__(self) -> str:
        tokens = f"{shown_tokens(self.src_tokens)} -> {shown_tokens(self.tgt_tokens)}"
        shapes = ", ".join(f"{kind} {getattr(self, kind).shape}" for kind in KINDS)
        return f"Attention({tokens}: (layers, heads, queries, keys) of {shapes})"

    def view(self, kind: str) -> LabeledWeights:
        if kind == "cross":
            return LabeledWeights(self.cross, self.tgt_tokens, self.src_tokens, "predicts")
        if kind == "decoder":
            return LabeledWeights(self.decoder, self.tgt_tokens, self.tgt_inputs, "predicts")
        if kind == "encoder":
            return LabeledWeights(self.encoder, self.src_tokens, self.src_tokens, "reads")
        raise ValueError(f"there is no attention `{kind}`; there are {', '.join(KINDS)}")
