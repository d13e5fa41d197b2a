"""What a training job measures beside its loop: scores at validations, attention at checkpoints.

Training is not affected: the weights stay bit-identical.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import psutil
import torch

from s2s.analysis import (
    Attention,
    Ints,
    Weights,
    alignment_error_rate,
    best_sources,
    capture,
    mean_entropy,
    merge_to_words,
    word_indices,
)
from s2s.data import Pair, batches, has_words
from s2s.decode import Greedy, greedy
from s2s.model import inference, stepper_for
from s2s.runs import RunFolder, attention_history
from s2s.scores import METRICS
from s2s.tokenizers import Tokenizer
from s2s.training import Trainer, matrix_products

T = TypeVar("T")

SCORES = ("bleu", "chrf", "exact_match")
ROWS = 64  # sentences translated together
MEASURED = 32  # pairs that entropy and alignment error are computed from
CANDIDATES = 256  # pairs, spread evenly, that these are taken from
LONGEST = 128  # tokens per side; weights grow with their square
SLOTS = 1024  # tokens of one batch whose weights are captured, padding included
# Words per side of the fixed pair: long enough for words to change order, and legible on a phone.
WORDS = range(5, 15)


class EncodedPair(NamedTuple):
    """A pair and its ids: the source ends in `</s>`, the target starts with the start id and ends in `</s>`."""

    pair: Pair
    src: batches.Ids
    tgt: batches.Ids


class CheckpointEvaluator:
    """Evaluates a trainer's model on some of the validation pairs, always the same ones.

    It draws no random numbers and leaves the model in the mode it was in: the trained weights are bit-identical with it
    or without it.
    """

    def __init__(self, trainer: Trainer, valid_pairs: Sequence[Pair]) -> None:
        self.trainer = trainer
        watch = trainer.recipe.train.watch
        self.scored = _encode(
            trainer, _spread(valid_pairs, watch.scores), trainer.recipe.data.max_length
        )
        self.measured, self.fixed = (
            (pairs_for_attention(trainer, valid_pairs), fixed_pair(trainer, valid_pairs))
            if watch.attention
            else ([], None)
        )

    def at_validation(self, step: int) -> dict[str, float | int | str]:
        """More entries for the metrics line of a validation.

        `memory` in bytes; after step 0 also `SCORES` and the signature of BLEU, where the recipe requests them.
        """
        entries: dict[str, float | int | str] = {"memory": memory()}
        if step and self.scored:
            entries |= scores(
                self.trainer,
                [encoded.pair.src for encoded in self.scored],
                [encoded.pair.tgt for encoded in self.scored],
            )
        return entries

    def at_checkpoint(self, step: int, folder: RunFolder) -> dict[str, Any]:
        """Save the fixed pair's attention; return the entries of a metrics line, none where nothing is measured.

        Raises UserError where the disk is full.
        """
        if self.fixed and (weights := attention(self.trainer, self.fixed)):
            attention_history.save(
                folder,
                attention_history.SavedAttention(
                    step, self.fixed.pair.src, self.fixed.pair.tgt, weights
                ),
            )
        return heads(self.trainer, self.measured) if self.measured else {}


def memory() -> int:
    """Resident memory of this process in bytes."""
    return int(psutil.Process().memory_info().rss)


def scores(
    trainer: Trainer, sources: Sequence[str], references: Sequence[str]
) -> dict[str, float | str]:
    """BLEU, chrF and exact match, 0 to 100, of greedy translations with the current weights, and BLEU's `signature`.

    A translation has at most twice as many tokens as the longest reference, plus 10: an untrained model rarely ends.
    """
    data = trainer.data
    lengths = [len(ids) for ids in data.tgt_tokenizer.encode_many(references)]
    settings = Greedy(max_new_tokens=min(trainer.recipe.data.max_length, 2 * max(lengths) + 10))
    rows = data.src_tokenizer.encode_many(sources)
    special = trainer.recipe.model.ids
    by_length = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    texts = [""] * len(rows)
    with inference(trainer.model):
        for start in range(0, len(rows), ROWS):
            chosen = by_length[start : start + ROWS]
            read = [np.array(special.source(rows[i])) for i in chosen]
            src = torch.from_numpy(batches.pad(read, special.pad)).to(trainer.device)
            for i, found in zip(
                chosen, greedy(stepper_for(trainer.model, src), settings), strict=True
            ):
                texts[i] = data.tgt_tokenizer.decode(found.best.ids)
    scored = {key: METRICS[key].compute(texts, references) for key in SCORES}
    rounded = {key: round(score.value, 3) for key, score in scored.items()}
    return {**rounded, "signature": scored["bleu"].signature}


def pairs_for_attention(trainer: Trainer, pairs: Sequence[Pair]) -> list[EncodedPair]:
    """At most 32 pairs, spread evenly over those with gold, or over all where none has; long ones are left out."""
    limit = min(LONGEST, trainer.recipe.data.max_length)
    candidates = _spread([pair for pair in pairs if pair.gold] or pairs, CANDIDATES)
    return _spread(_encode(trainer, candidates, limit), MEASURED)


def fixed_pair(trainer: Trainer, pairs: Sequence[Pair]) -> EncodedPair | None:
    """The first pair with gold and 5 to 14 words on both sides, else the first of that length, else the shortest.

    None where even that has more than 128 tokens on a side.
    """
    limit = min(LONGEST, trainer.recipe.data.max_length)
    legible = [
        pair for pair in pairs if len(pair.src.split()) in WORDS and len(pair.tgt.split()) in WORDS
    ]
    shortest = sorted(pairs, key=lambda pair: len(pair.src) + len(pair.tgt))[:1]
    for pair in (*(pair for pair in legible if pair.gold), *legible, *shortest):
        if encoded := _encode(trainer, [pair], limit):
            return encoded[0]
    return None


def attention(trainer: Trainer, encoded: EncodedPair) -> Attention | None:
    """Every head's weights under teacher forcing on one pair; None where they are not finite."""
    src, tgt = (
        torch.from_numpy(side[None]).to(trainer.device) for side in (encoded.src, encoded.tgt)
    )
    products = matrix_products(trainer.recipe.train.precision, trainer.device.type)
    with products, capture(trainer.model) as trace:
        trainer.model(src, tgt[:, :-1])
    cross, encoder, decoder = (
        np.stack([layer[0].float().cpu().numpy() for layer in kind])
        for kind in (trace.cross, trace.encoder, trace.decoder)
    )
    if not all(np.isfinite(weights).all() for weights in (cross, encoder, decoder)):
        return None
    data = trainer.data
    names = trainer.data.tgt_tokenizer.tokens(encoded.tgt.tolist())
    src_tokens = tuple(data.src_tokenizer.tokens(encoded.src.tolist()))
    return Attention(src_tokens, tuple(names[:-1]), tuple(names[1:]), cross, encoder, decoder)


def heads(trainer: Trainer, encoded_pairs: Sequence[EncodedPair]) -> dict[str, Any]:
    """Entropy and alignment error of each cross-attention head, over these pairs together; empty where not finite.

    `entropy` in nats and `aer` (where there is gold) are (layers, heads); `aer_mean` (layers,) is of the mean over a
    layer's heads; `uniform` is the entropy of uniform attention.
    """
    cross = list(_cross(trainer, encoded_pairs))
    entropy = mean_entropy(cross)
    if not np.isfinite(entropy).all():
        return {}
    n_rows = sum(weights.shape[-2] for weights in cross)
    uniform = sum(weights.shape[-2] * math.log(weights.shape[-1]) for weights in cross) / n_rows
    numbers = {
        "entropy": _rounded(entropy),
        "uniform": round(uniform, 5),
        "n_pairs": len(encoded_pairs),
    }
    return numbers | _alignment_errors(trainer, encoded_pairs, cross)


def _cross(trainer: Trainer, encoded_pairs: Sequence[EncodedPair]) -> Iterator[Weights]:
    """Cross-attention of each pair, without padding: (layers, heads, tgt_len, src_len)."""
    data = batches.Encoded(
        tuple(one.src for one in encoded_pairs),
        tuple(one.tgt for one in encoded_pairs),
        pad_id=trainer.recipe.model.ids.pad,
    )
    found: dict[int, Weights] = {}
    for rows in batches.pack(
        data,
        np.argsort([len(one.src) + len(one.tgt) for one in encoded_pairs], kind="stable"),
        SLOTS,
    ):
        batch = batches.build(data, rows)
        src = torch.from_numpy(batch.src).to(trainer.device)
        tgt = torch.from_numpy(batch.tgt).to(trainer.device)
        products = matrix_products(trainer.recipe.train.precision, trainer.device.type)
        with products, capture(trainer.model) as trace:
            trainer.model(src, tgt[:, :-1])
        # (batch, layers, heads, tgt_len, src_len)
        weights = torch.stack(trace.cross, 1).float().cpu().numpy()
        for of_pair, row in zip(weights, rows.tolist(), strict=True):
            found[row] = of_pair[
                ..., : len(encoded_pairs[row].tgt) - 1, : len(encoded_pairs[row].src)
            ]
    return (found[row] for row in range(len(encoded_pairs)))


def _alignment_errors(
    trainer: Trainer, encoded_pairs: Sequence[EncodedPair], cross: Sequence[Weights]
) -> dict[str, Any]:
    guesses = []
    of_means = []
    gold = []
    for encoded, weights in zip(encoded_pairs, cross, strict=True):
        src = _words_of_tokens(trainer.data.src_tokenizer, encoded.src, encoded.pair.src)
        tgt = _words_of_tokens(trainer.data.tgt_tokenizer, encoded.tgt[1:], encoded.pair.tgt)
        if encoded.pair.gold and encoded.pair.gold.links and src is not None and tgt is not None:
            words = merge_to_words(weights, tgt, src)
            guesses.append(best_sources(words))
            of_means.append(best_sources(words.mean(1)))  # over heads
            gold.append(encoded.pair.gold.links)
    if not gold:
        return {}
    return {
        "aer": _rounded(alignment_error_rate(guesses, gold)),
        "aer_mean": _rounded(alignment_error_rate(of_means, gold)),
    }


def _words_of_tokens(tokenizer: Tokenizer, ids: batches.Ids, text: str) -> Ints | None:
    words = word_indices(tokenizer.tokens(ids.tolist()), is_whole=tokenizer.kind == "word")
    return words if has_words(text, int(words.max(initial=-1)) + 1) else None


def _encode(trainer: Trainer, pairs: Sequence[Pair], limit: int) -> list[EncodedPair]:
    """The pairs whose sides have at most `limit` tokens each, `</s>` included, as ids."""
    special = trainer.recipe.model.ids
    data = trainer.data
    sources = data.src_tokenizer.encode_many([pair.src for pair in pairs])
    targets = data.tgt_tokenizer.encode_many([pair.tgt for pair in pairs])
    rows = zip(pairs, map(special.source, sources), map(special.target, targets), strict=True)
    return [
        EncodedPair(pair, np.array(src), np.array([special.start, *tgt]))
        for pair, src, tgt in rows
        if max(len(src), len(tgt)) <= limit
    ]


def _spread(items: Sequence[T], most: int) -> list[T]:
    count = min(most, len(items))
    return [items[i * len(items) // count] for i in range(count)]


def _rounded(values: Any) -> Any:
    """Nested lists of numbers with five decimals, so that a metrics line stays short."""
    return np.round(values, 5).tolist()
