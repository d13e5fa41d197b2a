"""Several tasks in one corpus, in equal shares and in turns; a prefix says which is meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import NamedTuple

from s2s.data.generated import dialogue, reverse, summaries, templates
from s2s.data.pair import Gold, Pair


class Task(NamedTuple):
    """What stands before each of its sources, and its pairs of a split, at least as many as `PAIRS_PER_TASK` says."""

    prefix: str
    pairs: Callable[[str], Sequence[Pair]]


def translations(split: str) -> Sequence[Pair]:
    """English to French. Takes seconds: the grammar is asked."""
    from s2s.data import grammar

    return grammar.generate("fr", split)


GENERATED_TASKS: Mapping[str, Task] = MappingProxyType(
    {
        "translate": Task("translate English to French: ", translations),
        "summarize": Task("summarize: ", partial(templates.part, summaries.KIND)),
        "respond": Task("respond: ", partial(templates.part, dialogue.KIND)),
        "reverse": Task("reverse: ", partial(templates.part, reverse.KIND)),
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
    """The pair with the prefix before its source; the links and relations of the source move with its words."""
    n = len(prefix.split())
    return Pair(prefix + pair.src, pair.tgt, pair.gold and moved(pair.gold, n))


def moved(gold: Gold, n: int) -> Gold:
    """After `n` more words at the beginning of the source, which have no counterpart."""
    return Gold(
        tuple(link._replace(src=link.src + n) for link in gold.links),
        (*range(n), *(place + n for place in gold.unlinked_src)),
        gold.unlinked_tgt,
        tuple(
            tie._replace(head=tie.head + n, dependent=tie.dependent + n)
            if tie.side == "src"
            else tie
            for tie in gold.relations
        ),
    )
