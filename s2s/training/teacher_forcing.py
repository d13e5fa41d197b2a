"""Teacher forcing: what the decoder reads of a target, and what it has to predict."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

# Targets (batch, 1 + tgt_len), from the start id to `</s>` -> decoder inputs and labels, both (batch, tgt_len).
Teach = Callable[[Tensor], tuple[Tensor, Tensor]]


def shifted(tgt: Tensor) -> tuple[Tensor, Tensor]:
    """Decoder inputs and labels of a target: each position reads a token and predicts the next one (Vaswani et al.
    2017, section 3.1).
    """
    return tgt[:, :-1], tgt[:, 1:]
