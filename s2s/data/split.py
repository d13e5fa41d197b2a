"""What is trained on and what is held out."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import NamedTuple

from s2s.data.corpus import Corpus
from s2s.data.sources import load, splits

FEWEST = 50  # pairs; below, every pair is needed for training
SHARE = 20  # one distinct source in so many is held out
MOST = 1000  # distinct sources held out


class TrainingPairs(NamedTuple):
    """`note` is one sentence for people on where the validation pairs come from."""

    train: Corpus
    valid: Corpus
    note: str


def load_pairs_for_training(spec: str, valid_spec: str | None, seed: int) -> TrainingPairs:
    """Validation pairs are, in this order: those of `valid_spec`, the source's own valid split, a held-out share, the training pairs.

    A `valid_spec` with several splits gives its valid one.
    """
    train = load(spec)
    if valid_spec:
        valid = load(valid_spec, "valid" if "valid" in splits(valid_spec) else None)
        return TrainingPairs(train, valid, f"The {len(valid):,} validation pairs are those of `{valid_spec}`.")
    if "valid" in splits(spec) and train.split != "valid":
        valid = load(spec, "valid")
        return TrainingPairs(train, valid, f"The {len(valid):,} validation pairs are the valid split of `{spec}`.")
    return hold_out(train, seed)


def hold_out(corpus: Corpus, seed: int) -> TrainingPairs:
    """Sets 5 % of the distinct sources apart, at most 1,000, with all their pairs: no source stands on both sides.

    A source's fate hangs on itself and the seed, so the same sentences stay held out when rows are added or reordered.
    """
    sources = {pair.src for pair in corpus.pairs}
    n_held = min(MOST, len(sources) // SHARE)
    if len(corpus) < FEWEST or n_held == 0:
        note = f"With {len(corpus):,} pairs nothing is held out: validation uses the training pairs and cannot show overfitting."
        return TrainingPairs(corpus, dataclasses.replace(corpus, split="valid"), note)
    held = set(sorted(sources, key=lambda source: _draw(source, seed))[:n_held])
    valid = tuple(pair for pair in corpus.pairs if pair.src in held)
    train = tuple(pair for pair in corpus.pairs if pair.src not in held)
    note = f"{n_held:,} of {len(sources):,} distinct sources are held out for validation, with all their {len(valid):,} pairs."
    return TrainingPairs(
        dataclasses.replace(corpus, pairs=train),
        dataclasses.replace(corpus, pairs=valid, split="valid"),
        note,
    )


def _draw(source: str, seed: int) -> bytes:
    """A number by lot, the same on every machine and in every version of Python."""
    return hashlib.sha256(f"{seed} {source}".encode()).digest()
