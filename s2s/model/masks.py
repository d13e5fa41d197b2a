"""Who may look at whom. The only place where masks are built: bool, True = may look."""

from __future__ import annotations

import torch
from torch import Tensor


def padding(ids: Tensor, pad_id: int) -> Tensor:
    """(batch, len) ids -> (batch, 1, 1, len): every query may look at every token that is not padding."""
    return ids.ne(pad_id)[:, None, None, :]


def causal(length: int, *, device: torch.device | None = None) -> Tensor:
    """(1, 1, length, length): position i may look at positions 0..i (Vaswani et al. 2017, section 3.2.3)."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()[None, None]
