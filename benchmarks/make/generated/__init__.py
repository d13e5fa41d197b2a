"""Generated English datasets for tasks other than translation: summaries, answers, reversed words.

Words (vocabulary) -> random pairs of each kind (summaries, dialogue, reverse) -> splits (templates).

>>> part(KINDS["dialogue"], "train")[0].tgt
'Felix is in the school'
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from benchmarks.make.generated import dialogue, reverse, summaries
from benchmarks.make.generated.templates import SIZES, Template, part

SPLITS = tuple(SIZES)
KINDS: Mapping[str, Template] = MappingProxyType(
    {
        "summaries": summaries.TEMPLATE,
        "dialogue": dialogue.TEMPLATE,
        "reverse": reverse.TEMPLATE,
    }
)

__all__ = ["KINDS", "SIZES", "SPLITS", "part"]
