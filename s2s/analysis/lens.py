"""The logit lens: what the decoder would write if it stopped after each layer (nostalgebraist 2020). Knows nothing of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from s2s.model import Transformer, inference

Ints = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Lens:
    """Of every layer (0: before the first) and place of a target; `n` are the most probable tokens, the likeliest first."""

    ids: Ints  # (n_layers + 1, tgt_len, n)
    shares: Shares  # (n_layers + 1, tgt_len, n) their probabilities
    ranks: Ints  # (n_layers + 1, tgt_len) of the token that is written in the end; 1: the likeliest
    written: Shares  # (n_layers + 1, tgt_len) its probability


def lens(model: Transformer, states: Tensor, written: Sequence[int], n: int = 5) -> Lens:
    """Decoder states (n_layers + 1, tgt_len, d_model), the last after the final norm, and the ids written at each place.

    The states of earlier layers pass the final norm as the last one did, and all pass the output projection: the last row is the
    model's own distribution. Nothing trained the earlier layers to be read like this.
    """
    with inference(model):
        normed = torch.cat([model.decoder.final_norm(states[:-1]), states[-1:]])
        shares = model.project(normed).float().softmax(-1).cpu()  # (n_layers + 1, tgt_len, vocab)
        own = shares.gather(
            -1, torch.tensor(written).expand(len(shares), -1)[..., None]
        )  # (n_layers + 1, tgt_len, 1)
        best = shares.topk(min(n, shares.shape[-1]))
        ranks = (shares > own).sum(-1) + 1
    return Lens(best.indices.numpy(), best.values.numpy(), ranks.numpy(), own[..., 0].numpy())
