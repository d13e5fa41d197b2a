"""Generated English texts for tasks other than translation: summaries, answers, and several tasks in one.

A small world (world) -> one text by lot (summaries, dialogue, reverse) -> splits (telling) -> mixed under prefixes (tasks).

>>> generate("dialogue", "train")[0].tgt
'Felix is in the school'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from s2s.data.generated import dialogue, summaries, tasks
from s2s.data.generated.templates import SIZES, part
from s2s.data.pair import Pair

SPLITS = tuple(SIZES)
STORIES: Mapping[str, Callable[[str], tuple[Pair, ...]]] = MappingProxyType(
    {
        "summaries": partial(part, summaries.KIND),
        "dialogue": partial(part, dialogue.KIND),
        "tasks": tasks.part,
    }
)

__all__ = ["SPLITS", "STORIES", "generate"]


def generate(name: str, split: str) -> tuple[Pair, ...]:
    """One split of one of these corpora: always the same pairs, in the same order."""
    if name not in STORIES:
        raise ValueError(f"no stories {name!r}; there are {', '.join(STORIES)}")
    if split not in SPLITS:
        raise ValueError(f"no split {split!r}; there are {', '.join(SPLITS)}")
    return STORIES[name](split)
