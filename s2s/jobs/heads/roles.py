"""The experiment `roles`: how often each head has which role."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2s.analysis import KINDS, ROLES, summarize_heads
from s2s.config import Config
from s2s.data import Pair
from s2s.runs import Run


@dataclass(frozen=True)
class RolesSettings(Config):
    """Nothing to choose."""


def measure(
    run: Run, pairs: Sequence[Pair], settings: RolesSettings
) -> Generator[float, None, dict[str, Any]]:
    """The share of sentences in which each head has each role: by kind, (roles, layers, heads)."""
    counts: dict[str, Any] = dict.fromkeys(KINDS, 0)
    for done, pair in enumerate(pairs, 1):
        attention = run.attention(pair.src, pair.tgt)
        for kind in KINDS:
            role = summarize_heads(attention, kind).role  # (layers, heads)
            counts[kind] = counts[kind] + np.array([role == slug for slug in ROLES])
        yield done / len(pairs)
    shares = {kind: (counts[kind] / len(pairs)).round(4).tolist() for kind in KINDS}
    return {"n": len(pairs), "roles": [*ROLES], "shares": shares}
