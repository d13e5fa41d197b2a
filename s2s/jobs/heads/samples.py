"""The sentences of a measurement, with their gold annotation where the dataset has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from s2s.config import UserError
from s2s.data import (
    Pair,
    apply_task,
    load,
    load_pairs_for_training,
    parse_spec,
)
from s2s.files import from_json
from s2s.jobs.evaluation import test_sets
from s2s.library import Library, sharing
from s2s.runs import Sentences

FEWEST = 2  # sentences, below which no interval can be computed


def read(sentences: Sentences, uploaded: Sequence[Mapping[str, Any]] = ()) -> list[Pair]:
    """The pairs to measure: `n` of them, evenly spread. Raises UserError where they cannot be read, or are too few."""
    if uploaded:
        pairs = from_json(list[Pair], uploaded)
    elif sentences.run and _is_shipped(sentences.run):
        pairs = _of_run(sentences)
    else:
        pairs = _of_dataset(sentences)
    pairs = [pair for pair in pairs if pair.src.strip() and pair.tgt.strip()]
    if len(pairs) < FEWEST:
        raise UserError(
            f"There are {len(pairs)} sentence pairs with text on both sides; give at least {FEWEST}."
        )
    n = min(sentences.n, len(pairs))
    return [pairs[i] for i in test_sets.even_indices(len(pairs), n)]


def _is_shipped(run: str) -> bool:
    source = str(Library().run(run).about().get("source", ""))
    return bool(source) and parse_spec(source).source in test_sets.SHIPPED


def _of_run(sentences: Sentences) -> list[Pair]:
    folder = Library().run(sentences.run)
    about = folder.about()
    recipe = folder.recipe()
    seed = recipe.train.seed
    with sharing.reading_data_of(folder):
        if sentences.split in ("", test_sets.HELD_OUT):
            pairs = load_pairs_for_training(about["source"], about.get("valid"), seed, recipe.data)
            return list(pairs.valid.pairs)
        corpus = load(about["source"], sentences.split)
        return list(apply_task(corpus, recipe.data, seed).pairs)


def _of_dataset(sentences: Sentences) -> list[Pair]:
    if sentences.run:
        return [Pair(src, tgt) for src, tgt in test_sets.read(sentences).pairs]
    split = sentences.split or test_sets.default_split(sentences.spec)
    corpus = load(sentences.spec, split)
    if corpus.is_plain:
        raise UserError(f"`{sentences.spec}` is plain text and has no targets; give pairs.")
    return list(corpus.pairs)


def to_json(pair: Pair) -> dict[str, Any]:
    """A line of pairs.jsonl, which has no line number and no further references."""
    if pair.gold is None:
        return {"src": pair.src, "tgt": pair.tgt}
    gold = {"links": pair.gold.links, "relations": pair.gold.relations}
    possible = {"possible": pair.gold.possible} if pair.gold.possible else {}
    return {"src": pair.src, "tgt": pair.tgt, "gold": gold | possible}
