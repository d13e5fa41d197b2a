"""Several tasks in one dataset, in equal shares and in turns; a prefix names the task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import NamedTuple

from s2s.data.generated import dialogue, reverse, summaries, templates
from s2s.data.pair import Pair, after_prefix


class GeneratedTask(NamedTuple):
    """The prefix of its sources, and a function for its pairs of a split, at least PAIRS_PER_TASK of them."""

    prefix: str
    pairs: Callable[[str], Sequence[Pair]]


def translations(split: str) -> Sequence[Pair]:
    """English to French, from the grammar. Takes seconds."""
    from s2s.data import grammar

    return grammar.generate("fr", split)


GENERATED_TASKS: Mapping[str, GeneratedTask] = MappingProxyType(
    {
        "translate": GeneratedTask("translate English to French: ", translations),
        "summarize": GeneratedTask("summarize: ", partial(templates.part, summaries.TEMPLATE)),
        "respond": GeneratedTask("respond: ", partial(templates.part, dialogue.TEMPLATE)),
        "reverse": GeneratedTask("reverse: ", partial(templates.part, reverse.TEMPLATE)),
    }
)
PAIRS_PER_TASK = MappingProxyType(
    {"train": 10_000, "valid": 125, "random": 250, "unseen": 125}
)  # pairs of each task


@cache
def part(split: str) -> tuple[Pair, ...]:
    """The first pairs of each task, one of each in turn."""
    share = PAIRS_PER_TASK[split]
    columns = [
        [after_prefix(pair, task.prefix) for pair in task.pairs(split)[:share]]
        for task in GENERATED_TASKS.values()
    ]
    return tuple(pair for row in zip(*columns, strict=True) for pair in row)
