"""Ancestral sampling: each token is drawn from the model's own distribution, or from what is left of it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from s2s.decode.limits import Truncation, truncate
from s2s.decode.noise import key_of, mixed, uniform
from s2s.decode.prefixes import BLOCK, CACHED, Prefixes, begin, forced, own_log_probs
from s2s.decode.rules import NEVER, Rulebook
from s2s.decode.stepper import IDS, Found, Hypothesis, Kept, Stepper, Words

FINITE = torch.finfo(torch.float32).min
FAINT = -80.0  # an exponential below that has no float32 of full precision, and processors are slow with what is left
BELOW_ONE = 1.0 - 2.0**-40  # a draw of 1 still finds a token


@dataclass(frozen=True)
class Sample(Truncation):
    """Settings of sampling; without num_return_sequences one sample is drawn."""


class Packed(NamedTuple):
    """A grid without those that ended, as narrow as it can be."""

    places: Tensor  # (sources * width,), where each cell was; a source with fewer repeats its first
    is_live: Tensor  # (sources, width), False where a cell only repeats


@torch.inference_mode()
def sample(stepper: Stepper, config: Sample, words: Words = IDS) -> list[Found]:
    """Samples with replacement, the most probable first; a sample's score is its log-probability."""
    book = Rulebook(config, stepper, words)
    prefixes = begin(stepper, book)
    n = config.num_return_sequences or 1
    opened = [forced(prefixes, row) for row in range(stepper.n_rows)]
    grid = _Grid([key_of(config.seed, source) for source in stepper.sources], n)
    drawn = dict[int, Hypothesis]()
    while len(grid.samples):
        logits = stepper.step(prefixes.last)
        scores = truncate(allowed(book, logits, prefixes, grid.sources(len(logits))), config)
        tokens = draw(
            scores, grid.uniforms(prefixes.length).view(len(logits), -1)
        )  # (rows, n) at first, then (rows, 1)
        rows = torch.arange(len(logits)).repeat_interleave(tokens.shape[1])
        prefixes = prefixes.take(rows).grow(
            tokens.flatten(), own_log_probs(logits, tokens).flatten()
        )
        is_over = prefixes.last.eq(stepper.eos_id) | (prefixes.length == book.limit)
        for number, place in grid.ending(is_over):
            drawn[number] = prefixes.hypothesis(place)
        places = grid.drop(is_over)
        if len(places) < len(rows):
            prefixes = prefixes.take(places)
        if len(places) and not torch.equal(rows[places], torch.arange(len(logits))):
            stepper.reorder(rows[places])
    return [
        _found([drawn[source * n + each] for each in range(n)], steps, stepper.eos_id)
        for source, steps in enumerate(opened)
    ]


def allowed(book: Rulebook, logits: Tensor, prefixes: Prefixes, sources: Sequence[int]) -> Tensor:
    """The logits as the rules want them, in a copy."""
    return logits if book.is_idle else book.apply(logits.clone(), prefixes.ids, sources)


def draw(scores: Tensor, uniforms: Tensor) -> Tensor:
    """Columns of scores (rows, vocab), each drawn with its softmax: one for each of the uniforms in (0, 1), (rows, n) both.

    Draws a block, then in it: no running sum over the whole vocabulary.
    """
    block, rest = _crossed(_weights(block_masses(scores)), uniforms)
    rows = torch.arange(len(scores)).repeat_interleave(block.shape[1])
    place, _ = _crossed(_weights(block_scores(scores, rows, block.flatten())), rest.view(-1, 1))
    return block * BLOCK + place.view(block.shape)


def block_masses(scores: Tensor) -> Tensor:
    """The logarithm of the sum of exponentials of each block of columns: (rows, vocab) -> (rows, blocks).

    A few rows at a time, which stay in the processor's cache.
    """
    n = max(1, CACHED // scores.shape[1])
    missing = -scores.shape[1] % BLOCK
    parts = (
        pad(scores[start : start + n], (0, missing), value=NEVER)
        for start in range(0, len(scores), n)
    )
    return torch.cat([_masses(part.view(len(part), -1, BLOCK)) for part in parts])


def block_scores(scores: Tensor, rows: Tensor, blocks: Tensor) -> Tensor:
    """One block of each of the rows, (n,) both: (n, BLOCK), with -inf past the end."""
    columns = blocks[:, None] * BLOCK + torch.arange(BLOCK)
    n_columns = scores.shape[1]
    return scores[rows[:, None], columns.clamp(max=n_columns - 1)].masked_fill(
        columns.ge(n_columns), NEVER
    )


def _masses(blocks: Tensor) -> Tensor:
    peaks = blocks.amax(2, keepdim=True)
    weights = (blocks - peaks.clamp(min=FINITE)).clamp_(min=FAINT).exp_()
    return torch.where(peaks.gt(NEVER), peaks + weights.sum(2, keepdim=True).log_(), NEVER)[..., 0]


def _weights(log_probs: Tensor) -> Tensor:
    """In float64, the highest 1."""
    log_probs = log_probs.double()
    return (log_probs - log_probs.amax(1, keepdim=True)).exp_()


def _crossed(weights: Tensor, parts: Tensor) -> tuple[Tensor, Tensor]:
    """Where the sum of weights (rows, m) first passes each part of all of it, and how far into that weight: (rows, n) both."""
    sums = weights.cumsum(1)
    wanted = sums[:, -1:] * parts.clamp(0.0, BELOW_ONE)
    places = torch.searchsorted(sums, wanted, right=True)
    held = weights.gather(1, places)
    return places, (wanted - sums.gather(1, places) + held) / held


def packed(is_live: Tensor) -> Packed:
    """Leave out what does not live of (sources, width), and sources where nothing does."""
    counts = is_live.sum(1, keepdim=True)
    still = torch.arange(int(counts.max())) < counts
    order = is_live.to(torch.uint8).argsort(dim=1, descending=True, stable=True)[
        :, : still.shape[1]
    ]
    order = (
        torch.where(still, order, order[:, :1])
        + torch.arange(len(is_live))[:, None] * is_live.shape[1]
    )
    going = counts[:, 0] > 0
    return Packed(order[going].flatten(), still[going])


class _Grid:
    """The samples that run: (sources, width), numbered source * n + which; what ended stays until the grid can narrow."""

    def __init__(self, keys: Sequence[int], n: int) -> None:
        self.n = n
        self.keys = mixed(
            [key for key in keys for _ in range(n)], list(range(n)) * len(keys)
        ).tolist()
        self.samples = torch.arange(len(self.keys)).view(-1, n)
        self.is_live = torch.ones_like(self.samples, dtype=torch.bool)

    def sources(self, n_rows: int) -> list[int]:
        """The number of each row's source; at first, samples share a row."""
        found: list[int] = (self.samples.view(n_rows, -1)[:, 0] // self.n).tolist()
        return found

    def uniforms(self, step: int) -> Tensor:
        """One number in (0, 1) a sample."""
        keys = [self.keys[number] for number in self.samples.flatten().tolist()]
        return uniform(mixed(keys, [step] * len(keys)), 1)

    def ending(self, is_over: Tensor) -> list[tuple[int, int]]:
        """Of each sample that ends its number and its place."""
        places = (self.is_live.flatten() & is_over).nonzero()[:, 0]
        return list(zip(self.samples.flatten()[places].tolist(), places.tolist(), strict=True))

    def drop(self, is_over: Tensor) -> Tensor:
        """The places that stay."""
        self.is_live &= ~is_over.view(self.samples.shape)
        places, is_live = packed(self.is_live)
        if len(places) == self.samples.numel():
            return torch.arange(len(places))
        self.samples = self.samples.flatten()[places].view(is_live.shape)
        self.is_live = is_live
        return places


def _found(samples: list[Hypothesis], opened: tuple[tuple[Kept, ...], ...], eos_id: int) -> Found:
    """The record has the samples in the order of their numbers, so each continues the one in its place among those that ran."""
    totals = [list(itertools.accumulate(one.token_log_probs)) for one in samples]
    steps = list(opened)
    for step in range(len(opened), max(len(one.ids) for one in samples)):
        running = [
            (one.ids[step], total[step])
            for one, total in zip(samples, totals, strict=True)
            if len(one.ids) > step
        ]
        parents = range(len(running)) if step > len(opened) else [0] * len(running)
        steps.append(
            tuple(
                Kept(parent, token, total, token == eos_id)
                for parent, (token, total) in zip(parents, running, strict=True)
            )
        )
    return Found(tuple(sorted(samples, key=lambda one: one.score, reverse=True)), tuple(steps))
