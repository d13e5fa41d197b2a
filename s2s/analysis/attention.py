"""Attention of one sentence pair, with the tokens it belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Weights = npt.NDArray[np.float32]
KINDS = ("cross", "encoder", "decoder")


@dataclass(frozen=True)
class View:
    """One kind of attention: (layers, heads, rows, keys) weights, and what a row does with its token: reads or predicts it."""

    weights: Weights
    rows: tuple[str, ...]
    keys: tuple[str, ...]
    verb: str

    def reduced(self, layer: int | None, head: int | None) -> Weights:
        """(rows, keys): one layer and head (0-based), or the mean over what is None."""
        over_layers: Weights = self.weights.mean(0) if layer is None else self.weights[layer]
        reduced: Weights = over_layers.mean(0) if head is None else over_layers[head]
        return reduced


@dataclass(frozen=True)
class Attention:
    """Every head's weights, rows summing to 1: (layers, heads, query_len, key_len), float32.

    Row i of `cross` and `decoder` reads `tgt_inputs[i]` (row 0 reads `<s>`) and predicts `tgt_tokens[i]` (the last is
    `</s>`). `src_tokens` end in `</s>`. `grams` holds for each kind what `trace.gram` says of the keys, (layers, key_len, heads,
    heads); it is empty where only the weights were kept.
    """

    src_tokens: tuple[str, ...]
    tgt_inputs: tuple[str, ...]
    tgt_tokens: tuple[str, ...]
    cross: Weights
    encoder: Weights
    decoder: Weights
    grams: Mapping[str, Weights] = field(default_factory=dict)

    def view(self, kind: str) -> View:
        """The weights of one of `KINDS` with the tokens of their rows and columns."""
        if kind == "cross":
            return View(self.cross, self.tgt_tokens, self.src_tokens, "predicts")
        if kind == "decoder":
            return View(self.decoder, self.tgt_tokens, self.tgt_inputs, "predicts")
        if kind == "encoder":
            return View(self.encoder, self.src_tokens, self.src_tokens, "reads")
        raise ValueError(f"there is no attention `{kind}`; there are {', '.join(KINDS)}")


def reading(
    weights: Weights, src_tokens: Sequence[str], tgt_tokens: Sequence[str]
) -> list[tuple[str, str, float]]:
    """For each predicted token the source token it looks at most, and with what weight; `weights` is (tgt_len, src_len)."""
    best = weights.argmax(1)
    return [
        (token, src_tokens[key], float(row[key]))
        for token, key, row in zip(tgt_tokens, best, weights, strict=True)
    ]
