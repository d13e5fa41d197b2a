"""Several tasks in one dataset, in equal shares and in turns; a prefix names the task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import NamedTuple

from s2s.data.generated import dialogue, reverse, summaries, templates
from s2s.data.pair import Gold, Pair


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
        [prefixed(task.prefix, pair) for pair in task.pairs(split)[:share]]
        for task in GENERATED_TASKS.values()
    ]
    return tuple(pair for row in zip(*columns, strict=True) for pair in row)


def prefixed(prefix: str, pair: Pair) -> Pair:
    """The pair with a prefix before its source; links and relations are shifted."""
    n = len(prefix.split())
    return Pair(prefix + pair.src, pair.tgt, pair.gold and shifted(pair.gold, n))


def shifted(gold: Gold, n: int) -> Gold:
    """The annotation after `n` unlinked words were put before the source."""
    return Gold(
        tuple(link._replace(src=link.src + n) for link in gold.links),
        (*range(n), *(word + n for word in gold.unlinked_src)),
        gold.unlinked_tgt,
        tuple(
            tie._replace(head=tie.head + n, dependent=tie.dependent + n)
            if tie.side == "src"
            else tie
            for tie in gold.relations
        ),
    )
