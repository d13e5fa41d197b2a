"""Training pairs and validation pairs of a dataset."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from typing import NamedTuple

from s2s.config import DataConfig, UserError, shortened
from s2s.data.corpus import Corpus
from s2s.data.lint import clean, repaired
from s2s.data.overlap import normalized
from s2s.data.sources import default_split, is_for_tests, load, splits
from s2s.data.tasks import apply_task

MIN_PAIRS = 50  # with fewer pairs, all are used for training
DEFAULT_CONFIG = DataConfig()
ONE_IN = 20  # distinct sources is held out
MAX_HELD_OUT = 1000  # distinct sources
LAST = 0.1  # of the dataset, where its end is held out


class TrainingPairs(NamedTuple):
    """Training and validation pairs; `note` says where the latter come from."""

    train: Corpus
    valid: Corpus
    note: str


def load_pairs_for_training(
    spec: str, valid_spec: str | None, seed: int, config: DataConfig = DEFAULT_CONFIG
) -> TrainingPairs:
    """The training and validation pairs after cleaning, for the task of the config.

    Validation pairs are, in this order: those of `valid_spec`, the source's own valid split, a held-out share, the
    training pairs.
    A `valid_spec` with several splits gives its valid one. Neither is cleaned, but both are repaired. Raises UserError
    where nothing is left, and for a dataset that is for tests.
    """
    if is_for_tests(spec):
        raise UserError(
            f"`{spec}` has test sentences only: its training pairs do not ship with s2s; train on another dataset."
        )
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


def load_prepared(spec: str, split: str, seed: int, config: DataConfig = DEFAULT_CONFIG) -> Corpus:
    """One split as training reads it: the one it trains on is cleaned, any other only repaired; no pair is held out."""
    names = splits(spec)
    corpus = load(spec, split)
    if split != default_split(names):
        return apply_task(repaired(corpus, config.clean), config, seed)
    if "valid" in names and split != "valid":
        return prepared(corpus, load(spec, "valid"), seed, config).train
    return apply_task(clean(corpus, config.clean), config, seed)


def _beside(train: Corpus, valid: Corpus, seed: int, config: DataConfig) -> TrainingPairs:
    train = apply_task(clean(train, config.clean), config, seed)
    valid = apply_task(repaired(valid, config.clean), config, seed)
    known = {normalized(pair.src) for pair in valid.pairs}
    n_both = sum(normalized(pair.src) in known for pair in train.pairs)
    also = f" {n_both:,} training pairs have a source that is also there." if n_both else ""
    return TrainingPairs(
        train, valid, f"The {len(valid):,} validation pairs are those of `{valid.spec}`.{also}"
    )


def prepared(
    train: Corpus, valid: Corpus | None, seed: int, config: DataConfig = DEFAULT_CONFIG
) -> TrainingPairs:
    """The training and validation pairs of splits already read; `valid` is the dataset's own, if it has one."""
    valid = repaired(valid, config.clean) if valid else None
    train = clean(train, config.clean, valid=valid)
    if (
        valid is None
    ):  # texts are set apart, and not what a task makes of them: no turn of a dialogue is learnt and asked for
        train, valid, note = (
            hold_out_last(train, config.valid_share)
            if config.held_out == "last"
            else hold_out(train, seed, config.valid_share)
        )
        is_held_out = valid.pairs is not train.pairs  # or they serve for both
        advice = "give validation pairs of their own, or choose another `data.task`"
    else:
        note = f"The {len(valid):,} validation pairs are the valid split of `{valid.spec}`."
        is_held_out = config.clean.overlap
        advice = "set `data.clean.overlap=false` to keep them"
    train = apply_task(train, config, seed)
    valid = apply_task(valid, config, seed)
    return TrainingPairs(_without(train, valid, advice) if is_held_out else train, valid, note)


def _without(train: Corpus, valid: Corpus, advice: str) -> Corpus:
    """The training pairs without sources that are also in `valid`, after the task, in whatever whitespace and Unicode
    form; `advice` where none is left.
    """
    known = {normalized(pair.src) for pair in valid.pairs}
    pairs = tuple(pair for pair in train.pairs if normalized(pair.src) not in known)
    n_lost = len(train) - len(pairs)
    if not n_lost:
        return train
    if not pairs:
        raise UserError(
            f"Every source of `{shortened(train.spec)}` is also in its validation split; {advice}."
        )
    note = f"{n_lost:,} training pairs were left out: the validation split has their source."
    dropped = (*train.dropped, ("the validation split has their source", n_lost))
    return dataclasses.replace(train, pairs=pairs, notes=(*train.notes, note), dropped=dropped)


def hold_out(corpus: Corpus, seed: int, share: float | None = None) -> TrainingPairs:
    """Holds out a share of the distinct sources (by default 5 %, at most 1,000) with all their pairs.

    Whether a source is held out depends on the source and the seed, so it stays so when rows are added or reordered.
    Sources that differ in whitespace or Unicode form alone are one.
    """
    plain = {pair.src: normalized(pair.src) for pair in corpus.pairs}
    sources: dict[str, str] = {}  # by what is common to its variants, the plainest of them
    for source in sorted(plain, key=lambda source: (source != plain[source], source)):
        sources.setdefault(plain[source], source)
    n_held = (
        min(MAX_HELD_OUT, len(sources) // ONE_IN) if share is None else int(len(sources) * share)
    )
    if len(corpus) < MIN_PAIRS or n_held == 0:
        return _nothing_held_out(corpus)
    held = set(sorted(sources, key=lambda each: _random_key(sources[each], seed))[:n_held])
    valid = tuple(pair for pair in corpus.pairs if plain[pair.src] in held)
    train = tuple(pair for pair in corpus.pairs if plain[pair.src] not in held)
    note = f"{n_held:,} of {len(sources):,} distinct sources are held out for validation ({len(valid):,} pairs)."
    if corpus.n_overlapping:
        note += " Passages overlap, so training has seen their text; `data.held_out=last` keeps the two apart."
    return TrainingPairs(
        dataclasses.replace(corpus, pairs=train),
        dataclasses.replace(corpus, pairs=valid, split="valid", dropped=()),
        note,
    )


def hold_out_last(corpus: Corpus, share: float | None = None) -> TrainingPairs:
    """Holds out the end of the dataset (by default its last tenth), of which at most 1,000 pairs are validated on.

    The passages before it that overlap with it are left out.
    """
    n_held = int(len(corpus) * (LAST if share is None else share))
    start = len(corpus) - n_held
    train = corpus.pairs[: max(0, start - corpus.n_overlapping)]
    if len(corpus) < MIN_PAIRS or not n_held or not train:
        return _nothing_held_out(corpus)
    every = math.ceil(n_held / MAX_HELD_OUT)
    valid = corpus.pairs[start::every]
    note = f"The last {n_held:,} of {len(corpus):,} pairs are held out for validation"
    note += f"; 1 in {every} of them is used." if every > 1 else "."
    if n_left := start - len(train):
        note += f" {n_left:,} before them overlap with them and are left out."
    return TrainingPairs(
        dataclasses.replace(corpus, pairs=train),
        dataclasses.replace(corpus, pairs=valid, split="valid", dropped=()),
        note,
    )


def _nothing_held_out(corpus: Corpus) -> TrainingPairs:
    pairs = "pair" if len(corpus) == 1 else "pairs"
    note = (
        f"With {len(corpus):,} {pairs} nothing is held out: validation uses the training pairs and"
        " cannot show overfitting."
    )
    return TrainingPairs(corpus, dataclasses.replace(corpus, split="valid", dropped=()), note)


def _random_key(source: str, seed: int) -> bytes:
    """A pseudorandom sort key, the same on every machine and in every version of Python."""
    return hashlib.sha256(f"{seed} {source}".encode(errors="surrogatepass")).digest()
