"""The generated corpora that ship: English with French and Spanish, summaries, answers, reversed words, and four tasks.

benchmarks/make/corpora.py wrote them. The first line of a file says how many lines of each kind follow: annotations in
JSON, then each split's pairs, the short splits first. A pair is source, tab, target, tab, number of its annotation.
"""

from __future__ import annotations

import bz2
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from s2s.data.pair import Gold, Pair, n_words, shared_link, shared_relation, shifted_gold

SHIPPED = Path(__file__).parent / "shipped"


class GeneratedTask(NamedTuple):
    """The prefix of its sources, and the corpus of its pairs."""

    prefix: str
    corpus: str


GENERATED_TASKS: Mapping[str, GeneratedTask] = MappingProxyType(
    {
        "translate": GeneratedTask("translate English to French: ", "en-fr"),
        "summarize": GeneratedTask("summarize: ", "summaries"),
        "respond": GeneratedTask("respond: ", "dialogue"),
        "reverse": GeneratedTask("reverse: ", "reverse"),
    }
)
PAIRS_PER_TASK = MappingProxyType(
    {"train": 10_000, "valid": 125, "random": 250, "unseen": 125}
)  # pairs of each task


def path(corpus: str) -> Path:
    return SHIPPED / f"{corpus}.bz2"


@cache
def shipped_pairs(corpus: str, split: str) -> tuple[Pair, ...]:
    """One split, always in the same order. Raises ValueError for one that the corpus lacks."""
    with bz2.open(path(corpus), "rt", encoding="utf-8") as lines:
        sizes = json.loads(next(lines))
        annotations = list(islice(lines, sizes.pop("annotations")))
        gold = cache(lambda number: _gold(*json.loads(annotations[int(number)])))
        names = list(sizes)
        start = sum(sizes[name] for name in names[: names.index(split)])
        rows = (line.split("\t") for line in islice(lines, start, start + sizes[split]))
        return tuple([Pair(src, tgt, gold(number)) for src, tgt, number in rows])


def _gold(
    links: Iterable[tuple[int, int]],
    unlinked_src: Iterable[int],
    unlinked_tgt: Iterable[int],
    relations: Iterable[tuple[str, str, int, int]],
) -> Gold:
    return Gold(
        tuple([shared_link(*link) for link in links]),
        tuple(unlinked_src),
        tuple(unlinked_tgt),
        tuple([shared_relation(*relation) for relation in relations]),
    )


@cache
def task_pairs(split: str) -> tuple[Pair, ...]:
    """The first pairs of each task with its prefix, one of each in turn."""
    columns = [_of_task(task, split) for task in GENERATED_TASKS.values()]
    return tuple(pair for row in zip(*columns, strict=True) for pair in row)


def _of_task(task: GeneratedTask, split: str) -> Iterator[Pair]:
    n = n_words(task.prefix)
    shifted = cache(lambda gold: shifted_gold(gold, n))
    for pair in shipped_pairs(task.corpus, split)[: PAIRS_PER_TASK[split]]:
        yield Pair(task.prefix + pair.src, pair.tgt, shifted(pair.gold))
