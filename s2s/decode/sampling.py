"""Ancestral sampling: each token is drawn from the model's distribution, or from what the filters leave of it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from s2s.decode.filters import Truncation, truncate
from s2s.decode.noise import key_of, mixed, uniform
from s2s.decode.numerics import BLOCK, CACHED, NEG_INF, flat_rows, token_log_probs
from s2s.decode.prefixes import Prefixes, forced_steps, start
from s2s.decode.processors import LogitsProcessors
from s2s.decode.results import Hypothesis, SearchResult, StepRecord, Steps
from s2s.decode.stepper import ID_CODEC, Stepper, TextCodec

FINITE = torch.finfo(torch.float32).min
FAINT = -80.0  # below, an exponential is subnormal in float32, and processors are slow with those
BELOW_ONE = 1.0 - 2.0**-40  # so that a draw of 1 still finds a token


@dataclass(frozen=True)
class Sample(Truncation):
    """Settings of sampling; without num_return_sequences one sample is drawn."""


class Packed(NamedTuple):
    """A grid (sources, width) without its finished cells, as narrow as possible."""

    indices: Tensor  # (sources * width,), where each cell was; a source with fewer cells repeats its first
    is_live: Tensor  # (sources, width), False where a cell is such a repeat


@torch.inference_mode()
def sample(stepper: Stepper, config: Sample, codec: TextCodec = ID_CODEC) -> list[SearchResult]:
    """Samples with replacement, the most probable first; a sample's score is its log-probability."""
    processors = LogitsProcessors(config, stepper, codec)
    prefixes = start(stepper, processors)
    n = config.num_return_sequences or 1
    forced = [forced_steps(prefixes, row) for row in range(stepper.n_rows)]
    grid = _Grid([key_of(config.seed, source) for source in stepper.sources], n)
    drawn = dict[int, Hypothesis]()
    while len(grid.samples):
        logits = stepper.step(prefixes.last).cpu()  # (rows, vocab)
        n_rows = len(logits)
        scores = processed(processors, logits, prefixes, grid.sources(n_rows))
        scores = truncate(scores, config)
        # (rows, n) at first, when the samples of a source share a row; then (rows, 1)
        uniforms = grid.uniforms(prefixes.length).view(n_rows, -1)
        tokens = draw(scores, uniforms)
        log_probs = token_log_probs(logits, tokens)
        rows = torch.arange(n_rows).repeat_interleave(tokens.shape[1])  # (samples,)
        prefixes = prefixes.take(rows).append(tokens.flatten(), log_probs.flatten())
        is_over = prefixes.last.eq(stepper.eos_id) | (prefixes.length == processors.limit)
        for number, row in grid.finishing(is_over):
            drawn[number] = prefixes.hypothesis(row)
        kept = grid.drop(is_over)
        if len(kept) < len(rows):
            prefixes = prefixes.take(kept)
        parents = rows[kept]
        if len(kept) and not torch.equal(parents, torch.arange(n_rows)):
            stepper.reorder(parents)
    results = []
    for source, steps in enumerate(forced):
        first = source * n
        samples = [drawn[number] for number in range(first, first + n)]
        results.append(_result(samples, steps, stepper.eos_id))
    return results


def processed(
    processors: LogitsProcessors, logits: Tensor, prefixes: Prefixes, source_of_rows: Sequence[int]
) -> Tensor:
    """The processed logits; a copy, unless nothing changes."""
    if processors.is_idle:
        return logits
    return processors.apply(logits.clone(), prefixes.ids, source_of_rows)


def draw(scores: Tensor, uniforms: Tensor) -> Tensor:
    """Sample columns of scores (rows, vocab) from their softmax: one for each of the uniforms in (0, 1), (rows, n)
    both.

    Draws a block, then a column of it: no cumulative sum over the whole vocabulary.
    """
    block_weights = _weights(block_masses(scores))  # (rows, blocks)
    block, rest = _crossed(block_weights, uniforms)  # (rows, n) both
    rows = torch.arange(len(scores)).repeat_interleave(block.shape[1])  # (rows * n,)
    column_weights = _weights(block_scores(scores, rows, block.flatten()))  # (rows * n, BLOCK)
    column, _ = _crossed(column_weights, rest.view(-1, 1))  # (rows * n, 1)
    return block * BLOCK + column.view(block.shape)


def block_masses(scores: Tensor) -> Tensor:
    """The logsumexp of each block of columns:

    (rows, vocab) -> (rows, blocks). A few rows at a time stay in the cache.
    """
    vocab = scores.shape[1]
    n = max(1, CACHED // vocab)
    missing = -vocab % BLOCK
    masses = []
    for few in torch.split(scores, n):
        padded = pad(few, (0, missing), value=NEG_INF)  # (n, blocks * BLOCK)
        masses.append(_masses(padded.view(len(few), -1, BLOCK)))
    return torch.cat(masses)


def block_scores(scores: Tensor, rows: Tensor, blocks: Tensor) -> Tensor:
    """The scores of one block of each of the rows, (n,) both: (n, BLOCK), with -inf past the end of the vocabulary."""
    columns = blocks[:, None] * BLOCK + torch.arange(BLOCK)  # (n, BLOCK)
    vocab = scores.shape[1]
    chosen = scores[rows[:, None], columns.clamp(max=vocab - 1)]
    return chosen.masked_fill(columns.ge(vocab), NEG_INF)


def _masses(blocks: Tensor) -> Tensor:
    """The logsumexp of each block: (rows, blocks, BLOCK) -> (rows, blocks)."""
    peaks = blocks.amax(2, keepdim=True)
    relative = blocks - peaks.clamp(min=FINITE)  # (rows, blocks, BLOCK)
    weights = relative.clamp_(min=FAINT).exp_()
    masses = peaks + weights.sum(2, keepdim=True).log_()  # (rows, blocks, 1)
    masses = torch.where(peaks.gt(NEG_INF), masses, NEG_INF)
    return masses[..., 0]


def _weights(log_probs: Tensor) -> Tensor:
    """Exponentials in float64; the highest of each row is 1."""
    log_probs = log_probs.double()
    return (log_probs - log_probs.amax(1, keepdim=True)).exp_()


def _crossed(weights: Tensor, shares: Tensor) -> tuple[Tensor, Tensor]:
    """Where the cumulative sum of weights (rows, m) first exceeds each share of its total, and how far into that
    weight: (rows, n) both.
    """
    sums = weights.cumsum(1)  # (rows, m)
    totals = sums[:, -1:]  # (rows, 1)
    wanted = totals * shares.clamp(0.0, BELOW_ONE)  # (rows, n)
    indices = torch.searchsorted(sums, wanted, right=True)  # (rows, n)
    crossed = weights.gather(1, indices)  # (rows, n), the weight that takes the sum past the share
    into = wanted - sums.gather(1, indices) + crossed
    return indices, into / crossed


def packed(is_live: Tensor) -> Packed:
    """Drop the cells of (sources, width) that are not live, and the sources without any; the order stays."""
    counts = is_live.sum(1, keepdim=True)  # (sources, 1)
    still_live = torch.arange(int(counts.max())) < counts  # (sources, new width)
    order = is_live.to(torch.uint8).argsort(dim=1, descending=True, stable=True)
    order = order[:, : still_live.shape[1]]  # (sources, width) -> (sources, new width)
    order = torch.where(still_live, order, order[:, :1])
    indices = flat_rows(order, is_live.shape[1])  # (sources, new width)
    remains = counts[:, 0] > 0  # (sources,)
    return Packed(indices[remains].flatten(), still_live[remains])


class _Grid:
    """The unfinished samples, (sources, width), numbered source * n + which; finished ones stay until the grid can
    become narrower.
    """

    def __init__(self, keys: Sequence[int], n: int) -> None:
        self.n = n
        source_keys = [key for key in keys for _ in range(n)]
        numbers = list(range(n)) * len(keys)
        self.keys = mixed(source_keys, numbers).tolist()
        self.samples = torch.arange(len(self.keys)).view(-1, n)  # (sources, n)
        self.is_live = torch.ones_like(self.samples, dtype=torch.bool)

    def sources(self, n_rows: int) -> list[int]:
        """The number of each row's source; at first, the samples of a source share a row."""
        first_samples = self.samples.view(n_rows, -1)[:, 0]  # (rows,)
        numbers: list[int] = (first_samples // self.n).tolist()
        return numbers

    def uniforms(self, step: int) -> Tensor:
        """One number in (0, 1) per sample."""
        keys = [self.keys[number] for number in self.samples.flatten().tolist()]
        return uniform(mixed(keys, step), 1)

    def finishing(self, is_over: Tensor) -> list[tuple[int, int]]:
        """The number and the row of each sample that finishes now."""
        rows = (self.is_live.flatten() & is_over).nonzero()[:, 0]
        numbers = self.samples.flatten()[rows]
        return list(zip(numbers.tolist(), rows.tolist(), strict=True))

    def drop(self, is_over: Tensor) -> Tensor:
        """Drop what is over, where the grid becomes narrower; returns the rows that remain."""
        self.is_live &= ~is_over.view(self.samples.shape)
        indices, is_live = packed(self.is_live)
        if len(indices) == self.samples.numel():
            return torch.arange(len(indices))
        self.samples = self.samples.flatten()[indices].view(is_live.shape)
        self.is_live = is_live
        return indices


def _result(samples: list[Hypothesis], forced: Steps, eos_id: int) -> SearchResult:
    """The ranked samples, and the record, which lists them in the order of their numbers: each continues the prefix of
    the same rank among those that were unfinished.
    """
    sums = [list(itertools.accumulate(one.token_log_probs)) for one in samples]
    steps = list(forced)
    longest = max(len(one.ids) for one in samples)
    for step in range(len(forced), longest):
        records: list[StepRecord] = []
        for one, log_probs in zip(samples, sums, strict=True):
            if step < len(one.ids):
                parent = len(records) if step > len(forced) else 0
                token = one.ids[step]
                total = log_probs[step]
                records.append(StepRecord(parent, token, total, total, token == eos_id))
        steps.append(tuple(records))
    ranked = sorted(samples, key=lambda one: one.score, reverse=True)
    return SearchResult(tuple(ranked), tuple(steps))
