"""From two corpora to what the loop reads: tokenizers, ids, probe sentences."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from s2s.config import Recipe, UserError
from s2s.data import Corpus, Pair, batches
from s2s.sizing import check_memory
from s2s.tokenizers import BOS, EOS, PAD, UNK, Tokenizer, fit
from s2s.training.device import free_memory


@dataclass(frozen=True)
class TrainingData:
    """Everything the loop reads: ids to learn from, ids to validate on, and the probe sentences as text."""

    train: batches.Encoded
    valid: batches.Encoded
    src_tokenizer: Tokenizer
    tgt_tokenizer: Tokenizer
    probes: tuple[tuple[str, str], ...]  # source, reference


def prepare(
    recipe: Recipe,
    train: Corpus,
    valid: Corpus,
    tokenizers: tuple[Tokenizer, Tokenizer] | None = None,
) -> TrainingData:
    """Fit the tokenizers on the training pairs (unless given), encode both corpora, check that memory will suffice."""
    ids = recipe.model.ids
    if tokenizers is None:
        if (ids.pad, ids.eos) != (PAD, EOS) or ids.start > UNK:
            raise UserError(
                f"`model.ids` {ids.pad}, {ids.start}, {ids.eos} do not fit our tokenizers;"
                f" give pad {PAD}, eos {EOS} and a start from {PAD} to {UNK}."
            )
        if ids.src_first is not None and ids.src_first > UNK:
            raise UserError(
                f"`model.ids.src_first` {ids.src_first} is no special token of our tokenizers; give {PAD} to {UNK}"
                f" ({BOS} is `<s>`), or leave it empty."
            )
        sources = [pair.src for pair in train.pairs]
        targets = [pair.tgt for pair in train.pairs]
        tokenizers = fit(recipe.tokenizer, sources, targets)
    src_tokenizer, tgt_tokenizer = tokenizers

    def encode(corpus: Corpus) -> batches.Encoded:
        length = recipe.data.max_length
        return batches.encode(corpus.pairs, *tokenizers, max_length=length, ids=ids)

    encoded = encode(train)
    check_memory(
        recipe,
        (src_tokenizer.vocab_size, tgt_tokenizer.vocab_size),
        batch_tokens=min(recipe.train.batch_tokens, encoded.n_slots),
        longest=encoded.longest,
        free=free_memory(recipe.train.device),
    )

    def fits(pair: Pair) -> bool:
        return len(ids.source(src_tokenizer.encode(pair.src))) <= recipe.data.max_length

    probes = _probes(valid, recipe.train.watch.samples, fits)
    return TrainingData(encoded, encode(valid), src_tokenizer, tgt_tokenizer, probes)


def _probes(valid: Corpus, count: int, fits: Callable[[Pair], bool]) -> tuple[tuple[str, str], ...]:
    pairs = valid.pairs
    stride = max(1, len(pairs) // max(1, count))
    stretches = (pairs[start : start + stride] for start in range(0, len(pairs), stride))
    found = (next(filter(fits, stretch), None) for stretch in itertools.islice(stretches, count))
    return tuple((pair.src, pair.tgt) for pair in found if pair)
