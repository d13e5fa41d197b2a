"""Claims of papers, measured here: each with what was measured, what follows, and the views that prove it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.lessons.claims import (
    agreement,
    beams,
    forcing,
    kinds,
    norms,
    parallel,
    smoothing,
    stacks,
)
from s2s.lessons.claims.claim import (
    Claim,
    Finding,
    Level,
    Picture,
    Proof,
    Results,
    Row,
    Series,
)
from s2s.lessons.claims.measured import RESULTS, saved

# In this order. An id is in links: it stays.
CLAIMS: Mapping[str, Claim] = MappingProxyType(
    {
        module.CLAIM.id: module.CLAIM
        for module in (parallel, forcing, agreement, kinds, stacks, norms, smoothing, beams)
    }
)
