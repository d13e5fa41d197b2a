"""What a training job looks at beside its loop: scores at validations, attention at checkpoints.

Training does not notice.
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
from s2s.data import Pair, batches
from s2s.decode import Greedy, greedy
from s2s.model import inference, stepper_for
from s2s.runs import RunFolder, attention_history
from s2s.scores import METRICS
from s2s.tokenizers import Tokenizer
from s2s.train import Trainer, matrix_products

T = TypeVar("T")

SCORES = ("bleu", "chrf")
ROWS = 64  # sentences translated together
MEASURED = 32  # pairs that entropy and alignment error rest on
CANDIDATES = 256  # pairs, spread evenly, that these are taken from
LONGEST = 128  # tokens of a side; weights grow with their square
SLOTS = 1024  # of one batch whose weights are looked at
WORDS = range(
    5, 15
)  # of a side of the fixed pair: long enough for words to change places, and legible on a phone


class EncodedPair(NamedTuple):
    """A pair and its ids: the source ends in `</s>`, the target starts with the start id and ends in `</s>`."""

    pair: Pair
    src: batches.Ids
    tgt: batches.Ids


class CheckpointEvaluator:
    """Looks at a trainer's model with some of the validation pairs, always the same ones.

    It draws no random numbers and leaves the model in the mode it was in: weights come out the same bits with it or
    without.
    """

    def __init__(self, trainer: Trainer, valid_pairs: Sequence[Pair]) -> None:
        self.trainer = trainer
        watch = trainer.recipe.train.watch
        self.scored = _cut(
            trainer, _spread(valid_pairs, watch.scores), trainer.recipe.data.max_length
        )
        self.measured, self.fixed = (
            (pairs_for_attention(trainer, valid_pairs), fixed_pair(trainer, valid_pairs))
            if watch.attention
            else ([], None)
        )

    def at_validation(self, step: int) -> dict[str, float | int]:
        """What the metrics line of a validation gains:

        `memory` in bytes; after step 0 `bleu` and `chrf`, where they are asked for.
        """
        found: dict[str, float | int] = {"memory": memory()}
        if step and self.scored:
            found |= scores(
                self.trainer,
                [cut.pair.src for cut in self.scored],
                [cut.pair.tgt for cut in self.scored],
            )
        return found

    def at_checkpoint(self, step: int, folder: RunFolder) -> dict[str, Any]:
        """Keeps the fixed pair's attention and returns the numbers of a metrics line; empty where there is nothing to
        look at.

        Raises UserError where the disk is full.
        """
        if self.fixed and (seen := attention(self.trainer, self.fixed)):
            attention_history.save(
                folder,
                attention_history.SavedAttention(
                    step, self.fixed.pair.src, self.fixed.pair.tgt, seen
                ),
            )
        return heads(self.trainer, self.measured) if self.measured else {}


def memory() -> int:
    """Bytes of this process that are in memory."""
    return int(psutil.Process().memory_info().rss)


def scores(trainer: Trainer, sources: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    """BLEU and chrF, 0 to 100, of greedy translations with the current weights.

    A translation ends after twice as many tokens as the longest reference has, and 10: an untrained model knows no end.
    """
    data = trainer.data
    lengths = [len(ids) for ids in data.tgt_tokenizer.encode_many(references)]
    settings = Greedy(max_new_tokens=min(trainer.recipe.data.max_length, 2 * max(lengths) + 10))
    rows = data.src_tokenizer.encode_many(sources)
    eos = trainer.recipe.model.ids.eos
    by_length = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    texts = [""] * len(rows)
    with inference(trainer.model):
        for start in range(0, len(rows), ROWS):
            chosen = by_length[start : start + ROWS]
            src = torch.from_numpy(batches.pad([np.array([*rows[i], eos]) for i in chosen])).to(
                trainer.device
            )
            for i, found in zip(
                chosen, greedy(stepper_for(trainer.model, src), settings), strict=True
            ):
                texts[i] = data.tgt_tokenizer.decode(found.best.ids)
    return {key: round(METRICS[key].compute(texts, references).value, 3) for key in SCORES}


def pairs_for_attention(trainer: Trainer, pairs: Sequence[Pair]) -> list[EncodedPair]:
    """At most 32 pairs, spread evenly over those with gold, or over all where none has; long ones are left out."""
    limit = min(LONGEST, trainer.recipe.data.max_length)
    candidates = _spread([pair for pair in pairs if pair.gold] or pairs, CANDIDATES)
    return _spread(_cut(trainer, candidates, limit), MEASURED)


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
        if cut := _cut(trainer, [pair], limit):
            return cut[0]
    return None


def attention(trainer: Trainer, cut: EncodedPair) -> Attention | None:
    """Every head's weights while the model reads a pair's source and is made to write its target;

    None where they are no numbers.
    """
    src, tgt = (torch.from_numpy(side[None]).to(trainer.device) for side in (cut.src, cut.tgt))
    with matrix_products(trainer.recipe.train.precision), capture(trainer.model) as trace:
        trainer.model(src, tgt[:, :-1])
    cross, encoder, decoder = (
        np.stack([layer[0].float().cpu().numpy() for layer in kind])
        for kind in (trace.cross, trace.encoder, trace.decoder)
    )
    if not all(np.isfinite(weights).all() for weights in (cross, encoder, decoder)):
        return None
    data = trainer.data
    names = trainer.data.tgt_tokenizer.tokens(cut.tgt.tolist())
    src_tokens = tuple(data.src_tokenizer.tokens(cut.src.tolist()))
    return Attention(src_tokens, tuple(names[:-1]), tuple(names[1:]), cross, encoder, decoder)


def heads(trainer: Trainer, cuts: Sequence[EncodedPair]) -> dict[str, Any]:
    """Each cross-attention head in numbers, over these pairs together; empty where they are none.

    `entropy` in nats and `aer` (where there is gold) are (layers, heads); `aer_mean` (layers,) is of the mean over a
    layer's heads; `uniform` is the entropy of looking everywhere alike.
    """
    seen = list(_cross(trainer, cuts))
    sharpness = mean_entropy(seen)
    if not np.isfinite(sharpness).all():
        return {}
    n_rows = sum(weights.shape[-2] for weights in seen)
    uniform = sum(weights.shape[-2] * math.log(weights.shape[-1]) for weights in seen) / n_rows
    numbers = {"entropy": _rounded(sharpness), "uniform": round(uniform, 5), "n_pairs": len(cuts)}
    return numbers | _errors(trainer, cuts, seen)


def _cross(trainer: Trainer, cuts: Sequence[EncodedPair]) -> Iterator[Weights]:
    """Of each pair, without padding: (layers, heads, tgt_len, src_len)."""
    data = batches.Encoded(tuple(cut.src for cut in cuts), tuple(cut.tgt for cut in cuts))
    found: dict[int, Weights] = {}
    for rows in batches.pack(
        data, np.argsort([len(cut.src) + len(cut.tgt) for cut in cuts], kind="stable"), SLOTS
    ):
        batch = batches.build(data, rows)
        src = torch.from_numpy(batch.src).to(trainer.device)
        tgt = torch.from_numpy(batch.tgt).to(trainer.device)
        with matrix_products(trainer.recipe.train.precision), capture(trainer.model) as trace:
            trainer.model(src, tgt[:, :-1])
        weights = (
            torch.stack(trace.cross, 1).float().cpu().numpy()
        )  # (batch, layers, heads, tgt_len, src_len)
        for place, row in zip(weights, rows.tolist(), strict=True):
            found[row] = place[..., : len(cuts[row].tgt) - 1, : len(cuts[row].src)]
    return (found[row] for row in range(len(cuts)))


def _errors(
    trainer: Trainer, cuts: Sequence[EncodedPair], seen: Sequence[Weights]
) -> dict[str, Any]:
    """Alignment error over the pairs whose gold is for the words that the tokens make."""
    guesses = []
    of_means = []
    gold = []
    for cut, weights in zip(cuts, seen, strict=True):
        src = _places(trainer.data.src_tokenizer, cut.src, cut.pair.src)
        tgt = _places(trainer.data.tgt_tokenizer, cut.tgt[1:], cut.pair.tgt)
        if cut.pair.gold and cut.pair.gold.links and src is not None and tgt is not None:
            words = merge_to_words(weights, tgt, src)
            guesses.append(best_sources(words))
            of_means.append(best_sources(words.mean(1)))  # over heads
            gold.append(cut.pair.gold.links)
    if not gold:
        return {}
    return {
        "aer": _rounded(alignment_error_rate(guesses, gold)),
        "aer_mean": _rounded(alignment_error_rate(of_means, gold)),
    }


def _places(tokenizer: Tokenizer, ids: batches.Ids, text: str) -> Ints | None:
    """The word of each token; None where tokens and blanks of the text do not give the same words."""
    found = word_indices(tokenizer.tokens(ids.tolist()), is_whole=tokenizer.kind == "word")
    return found if found.max(initial=-1) + 1 == len(text.split()) else None


def _cut(trainer: Trainer, pairs: Sequence[Pair], limit: int) -> list[EncodedPair]:
    """The pairs whose two sides have at most so many tokens, `</s>` included, as ids."""
    special = trainer.recipe.model.ids
    data = trainer.data
    sources = data.src_tokenizer.encode_many([pair.src for pair in pairs])
    targets = data.tgt_tokenizer.encode_many([pair.tgt for pair in pairs])
    return [
        EncodedPair(
            pair, np.array([*src, special.eos]), np.array([special.start, *tgt, special.eos])
        )
        for pair, src, tgt in zip(pairs, sources, targets, strict=True)
        if max(len(src), len(tgt)) < limit
    ]


def _spread(given: Sequence[T], most: int) -> list[T]:
    """At most so many, at even distances."""
    count = min(most, len(given))
    return [given[place * len(given) // count] for place in range(count)]


def _rounded(values: Any) -> Any:
    """Nested lists of numbers of five decimals: a line of metrics stays short."""
    return np.round(values, 5).tolist()
