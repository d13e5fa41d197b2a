"""The logit lens (nostalgebraist 2020): what the decoder would predict if it stopped after each layer.

Knows nothing of text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from s2s.model import Transformer, inference

Ints = npt.NDArray[np.int64]
Probabilities = npt.NDArray[np.float32]


@dataclass(frozen=True)
class LogitLens:
    """Predictions after each layer (0: before the first) at each position of a target."""

    ids: Ints  # (n_layers + 1, tgt_len, n) the most probable tokens, best first
    probabilities: Probabilities  # (n_layers + 1, tgt_len, n) of these tokens
    target_ranks: Ints  # (n_layers + 1, tgt_len) of the target's own token, from 1
    target_probabilities: Probabilities  # (n_layers + 1, tgt_len)


def apply_logit_lens(
    model: Transformer, states: Tensor, target: Sequence[int], n: int = 5
) -> LogitLens:
    """Predict from decoder states (n_layers + 1, tgt_len, d_model), the last after the final norm, and the ids of the
    target.

    States of earlier layers pass through the final norm, and all through the output projection, so the last row is the
    model's own distribution. Earlier layers were never trained to be read like this.
    """
    target_ids = torch.tensor(target)[:, None]  # (tgt_len, 1)
    rows = []
    with inference(model):
        normed = torch.cat([model.decoder.final_norm(states[:-1]), states[-1:]])
        for (
            state
        ) in normed:  # one layer at a time: those of a large vocabulary need gigabytes together
            probabilities = model.project(state).float().softmax(-1).cpu()  # (tgt_len, vocab)
            of_target = probabilities.gather(-1, target_ids)  # (tgt_len, 1)
            best = probabilities.topk(min(n, probabilities.shape[-1]))  # (tgt_len, n)
            ranks = (probabilities > of_target).sum(-1) + 1  # (tgt_len,)
            rows.append((best.indices, best.values, ranks, of_target[:, 0]))
    columns = [torch.stack(column).numpy() for column in zip(*rows, strict=True)]
    return LogitLens(*columns)
