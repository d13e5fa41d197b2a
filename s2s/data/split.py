"""What is trained on and what is held out."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import NamedTuple

from s2s.config import DataConfig, UserError
from s2s.data.corpus import Corpus
from s2s.data.lint import clean
from s2s.data.sources import load, splits
from s2s.data.tasks import apply_task

FEWEST = 50  # pairs; below, every pair is needed for training
USUAL = DataConfig()
SHARE = 20  # one distinct source in so many is held out
MOST = 1000  # distinct sources held out


class TrainingPairs(NamedTuple):
    """`note` is one sentence for people on where the validation pairs come from."""

    train: Corpus
    valid: Corpus
    note: str


def load_pairs_for_training(
    spec: str, valid_spec: str | None, seed: int, config: DataConfig = USUAL
) -> TrainingPairs:
    """The pairs that the task makes of a cleaned text, and those to validate on.

    Validation pairs are, in this order: those of `valid_spec`, the source's own valid split, a held-out share, the training pairs.
    A `valid_spec` with several splits gives its valid one. Neither is cleaned. Raises UserError where nothing is left.
    """
    train = load(spec)
    if valid_spec:
        return _beside(
            train,
            load(valid_spec, "valid" if "valid" in splits(valid_spec) else None),
            seed,
            config,
        )
    own = load(spec, "valid") if "valid" in splits(spec) and train.split != "valid" else None
    return prepared(train, own, seed, config)


def _beside(train: Corpus, valid: Corpus, seed: int, config: DataConfig) -> TrainingPairs:
    train = apply_task(clean(train, config.clean), config, seed)
    valid = apply_task(valid, config, seed)
    known = {pair.src for pair in valid.pairs}
    n_both = sum(pair.src in known for pair in train.pairs)
    also = f" {n_both:,} training pairs have a source that stands there, too." if n_both else ""
    return TrainingPairs(
        train, valid, f"The {len(valid):,} validation pairs are those of `{valid.spec}`.{also}"
    )


def prepared(
    train: Corpus, valid: Corpus | None, seed: int, config: DataConfig = USUAL
) -> TrainingPairs:
    """The same for a text, and its own validation split where it has one, that are read already."""
    train = clean(train, config.clean, valid=valid)
    if (
        valid is None
    ):  # texts are set apart, and not what a task makes of them: no turn of a dialogue is learnt and asked for
        train, valid, note = hold_out(train, seed, config.valid_share)
        is_apart = valid.pairs is not train.pairs  # or they serve for both
    else:
        note = f"The {len(valid):,} validation pairs are the valid split of `{valid.spec}`."
        is_apart = config.clean.overlap
    train = apply_task(train, config, seed)
    valid = apply_task(valid, config, seed)
    return TrainingPairs(_without(train, valid) if is_apart else train, valid, note)


def _without(train: Corpus, valid: Corpus) -> Corpus:
    """No source stands on both sides, whatever the task made of it."""
    known = {pair.src for pair in valid.pairs}
    pairs = tuple(pair for pair in train.pairs if pair.src not in known)
    n_lost = len(train) - len(pairs)
    if not n_lost:
        return train
    if not pairs:
        raise UserError(
            f"Every source of `{train.spec}` stands in its validation split, too; set `data.clean.overlap=false` to keep them."
        )
    note = f"{n_lost:,} training pairs were left out: the validation split has their source."
    return dataclasses.replace(train, pairs=pairs, notes=(*train.notes, note))


def hold_out(corpus: Corpus, seed: int, share: float | None = None) -> TrainingPairs:
    """Sets a share of the distinct sources apart (without one 5 %, at most 1,000), with all their pairs: no source stands on both sides.

    A source's fate hangs on itself and the seed, so the same sentences stay held out when rows are added or reordered.
    """
    sources = {pair.src for pair in corpus.pairs}
    n_held = min(MOST, len(sources) // SHARE) if share is None else int(len(sources) * share)
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
    return hashlib.sha256(f"{seed} {source}".encode(errors="surrogatepass")).digest()
