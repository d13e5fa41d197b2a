"""Generated English datasets for tasks other than translation: summaries, answers, and several tasks in one.

Words (vocabulary) -> random pairs of each kind (summaries, dialogue, reverse) -> splits (templates) -> a mixture
(tasks).

>>> generate("dialogue", "train")[0].tgt
'Felix is in the school'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from s2s.data.collector import without_collector
from s2s.data.generated import dialogue, summaries, tasks
from s2s.data.generated.templates import SIZES, part
from s2s.data.pair import Pair

SPLITS = tuple(SIZES)
GENERATED: Mapping[str, Callable[[str], tuple[Pair, ...]]] = MappingProxyType(
    {
        "summaries": partial(part, summaries.TEMPLATE),
        "dialogue": partial(part, dialogue.TEMPLATE),
        "tasks": tasks.part,
    }
)


def generate(name: str, split: str) -> tuple[Pair, ...]:
    """One split of a generated dataset: always the same pairs, in the same order."""
    if name not in GENERATED:
        raise ValueError(f"no generated dataset {name!r}; there are {', '.join(GENERATED)}")
    if split not in SPLITS:
        raise ValueError(f"no split {split!r}; there are {', '.join(SPLITS)}")
    with without_collector():
        return GENERATED[name](split)
