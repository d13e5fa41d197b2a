"""The generated corpora that ship: `python -m s2s.demo corpora` writes them to s2s/data/shipped, in six seconds.

With them ship the words of the grammar's English, and the links of the demos' examples. s2s/data/shipped_pairs.py says
how a file is laid out.
"""

from __future__ import annotations

import bz2
import json
from collections.abc import Callable, Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import Any, NamedTuple

from benchmarks.make import generated, grammar
from benchmarks.make.grammar.words import english_words
from s2s import files
from s2s.data import Pair, load
from s2s.data.gold_agreement import FILE as WORDS
from s2s.data.shipped_pairs import path, shipped_pairs, task_pairs
from s2s.demo import ALIGNED, EXAMPLE_LINKS, EXAMPLES


class Source(NamedTuple):
    """How one split is made, and which splits there are."""

    pairs: Callable[[str], tuple[Pair, ...]]
    splits: tuple[str, ...]


CORPORA: Mapping[str, Source] = MappingProxyType(
    {
        **{
            f"en-{language}": Source(partial(grammar.generate, language), grammar.SPLITS)
            for language in grammar.LANGUAGES
        },
        **{
            name: Source(partial(generated.part, kind), generated.SPLITS)
            for name, kind in generated.KINDS.items()
        },
    }
)


@cache
def text(corpus: str) -> str:
    """What the file of a corpus holds; `train` is last, so that whoever reads another split reads little."""
    source = CORPORA[corpus]
    sizes: dict[str, int] = {}
    numbers: dict[str, int] = {}
    rows = []
    for split in (*source.splits[1:], source.splits[0]):
        pairs = source.pairs(split)
        sizes[split] = len(pairs)
        for pair in pairs:
            number = numbers.setdefault(_annotation(pair), len(numbers))
            rows.append(f"{pair.src}\t{pair.tgt}\t{number}")
    return "\n".join([_json({"annotations": len(numbers), **sizes}), *numbers, *rows, ""])


def _annotation(pair: Pair) -> str:
    gold = pair.gold
    if gold is None or gold.possible or pair.more or pair.line:
        raise ValueError(f"{pair} has what the file cannot hold")
    return _json([gold.links, gold.unlinked_src, gold.unlinked_tgt, gold.relations])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def words() -> str:
    """What the file of words holds."""
    kinds = {name: sorted(words) for name, words in english_words()._asdict().items()}
    return _json(kinds) + "\n"


def example_links() -> str:
    """A line per example: dataset, source, target, and links such as `0-0 1-2`, source position first."""
    rows = []
    for dataset in ALIGNED:
        train = {pair.src: pair for pair in reversed(load(dataset).pairs)}
        for pair in (train[example] for example in EXAMPLES[dataset]):
            links = " ".join(f"{src}-{tgt}" for src, tgt in (pair.gold.links if pair.gold else ()))
            rows.append(f"{dataset}\t{pair.src}\t{pair.tgt}\t{links}\n")
    return "".join(rows)


def write() -> None:
    for corpus in CORPORA:
        files.write_bytes(path(corpus), bz2.compress(text(corpus).encode()))
    shipped_pairs.cache_clear()
    task_pairs.cache_clear()
    files.write_text(WORDS, words())
    files.write_text(EXAMPLE_LINKS, example_links())
