"""Who may attend to whom. Masks are built nowhere else: bool, True = may look."""

from __future__ import annotations

import torch
from torch import Tensor


def padding(ids: Tensor, pad_id: int) -> Tensor:
    """(batch, len) ids -> (batch, 1, 1, len): every query may look at every token that is not padding."""
    return ids.ne(pad_id)[:, None, None, :]


def causal(length: int, start: int = 0, *, device: torch.device | None = None) -> Tensor:
    """(1, 1, length, start + length): position i may look at positions 0..i (Vaswani et al. 2017, section 3.2.3).

    The queries are the last `length` positions: `start` others come before them.
    """
    allowed = torch.ones(length, start + length, dtype=torch.bool, device=device)
    return allowed.tril(start)[None, None]
