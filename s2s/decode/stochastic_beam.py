"""Stochastic beam search: samples without replacement, found as the highest sums of log-probability and noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from s2s.config import setting
from s2s.decode.beam import Candidates
from s2s.decode.filters import Temperature
from s2s.decode.noise import gumbel, key_of, mixed
from s2s.decode.numerics import BLOCK, NEG_INF, flat_rows, logsumexp
from s2s.decode.prefixes import Prefixes, forced_steps, start
from s2s.decode.processors import LogitsProcessors
from s2s.decode.results import Hypothesis, SearchResult, StepRecord
from s2s.decode.sampling import block_masses, block_scores, packed, processed
from s2s.decode.stepper import ID_CODEC, Stepper, TextCodec


@dataclass(frozen=True)
class StochasticBeam(Temperature):
    """Settings of stochastic beam search."""

    num_beams: int = setting(5, 1, 100, label="Beams", help="Distinct targets to draw.")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_returned(self.num_beams, "`num_beams` draws")

    @property
    def width(self) -> int:
        return self.num_beams


@torch.inference_mode()
def stochastic_beam(
    stepper: Stepper, config: StochasticBeam, codec: TextCodec = ID_CODEC
) -> list[SearchResult]:
    """num_beams targets drawn without replacement, in the order drawn; all of them where there are fewer (Kool et al.
    2019, algorithm 1).

    The score is the log-probability with Gumbel noise; a finished or truncated hypothesis keeps its rank in the beam.
    """
    processors = LogitsProcessors(config, stepper, codec)
    search = _Search(start(stepper, processors), stepper, config)
    while True:
        logits = stepper.step(search.prefixes.last).cpu()  # (rows, vocab)
        scores = processed(processors, logits, search.prefixes, search.source_of_rows)
        rows = search.advance(logits, scores, processors.limit)
        if not len(rows):
            return [search.result(source) for source in range(len(search.records))]
        stepper.reorder(rows)


def perturbed(
    scores: Tensor, totals: Tensor, maxima: Tensor | None, keys: Sequence[int], n: int
) -> Candidates:
    """The n highest of each source's continuations after Gumbel noise on each; float64.

    The scores (rows, vocab) are added to the totals (sources, width). The maxima (sources, width), where given, say
    what the highest of each row has become. One key per row. Noise is drawn from the top down, for blocks of tokens and
    then within the n best blocks: the distribution is that of noise on every token.
    """
    n_sources, width = totals.shape
    masses = block_masses(scores).double() + totals.view(-1, 1)  # (rows, blocks)
    n_blocks = masses.shape[1]
    tops = masses + gumbel(mixed(keys), n_blocks)
    if maxima is not None:
        tops = given_maximum(tops, maxima.view(-1, 1))
    tops = tops.view(n_sources, -1)  # (rows, blocks) -> (sources, width * blocks)
    tops, in_source = tops.topk(min(n, tops.shape[1]), 1)  # (sources, m) both
    flat = flat_rows(in_source, width * n_blocks).flatten()  # (sources, m) -> (sources * m,)
    rows = flat // n_blocks
    blocks = flat % n_blocks

    block_keys = [keys[row] for row in rows.tolist()]
    other_than_rows = (blocks + n_blocks).tolist()  # keys that no row of blocks has used
    noise = gumbel(mixed(block_keys, other_than_rows), BLOCK)  # (sources * m, BLOCK)
    log_probs = block_scores(scores, rows, blocks).double()  # (sources * m, BLOCK)
    inner = log_probs + totals.view(-1)[rows, None] + noise
    inner = given_maximum(inner, tops.view(-1, 1))  # (sources * m, BLOCK)
    inner = inner.view(n_sources, -1)  # -> (sources, m * BLOCK)
    best, indices = inner.topk(min(n, inner.shape[1]), 1)  # (sources, n) both

    block = in_source.gather(1, indices // BLOCK)  # (sources, n)
    parents = block // n_blocks
    tokens = block % n_blocks * BLOCK + indices % BLOCK
    tokens = tokens.masked_fill(best.eq(NEG_INF), 0)
    return Candidates(best, parents, tokens)


def given_maximum(values: Tensor, maxima: Tensor) -> Tensor:
    """Gumbel variables (rows, n), conditioned on the maximum of each row, (rows, 1).

    Kool et al. 2019, appendix B: the form that does not overflow.
    """
    below = values - values.amax(1, keepdim=True)  # (rows, n)
    gap = maxima - values + torch.log1p(-below.exp())
    correction = torch.log1p((-gap.abs()).exp())
    shifted = maxima - gap.clamp(min=0.0) - correction
    is_finite = values.gt(NEG_INF) & maxima.gt(NEG_INF)
    return torch.where(is_finite, shifted, NEG_INF)


class _Best(NamedTuple):
    """The best of what is finished and of what continues, after noise: (sources, num_beams) each."""

    perturbed: Tensor
    parents: Tensor  # which of the source's prefixes it continues
    tokens: Tensor
    rows: Tensor  # the parents as rows
    totals: Tensor
    log_probs: Tensor  # the model's own, of the tokens
    is_new: Tensor  # False for what was finished before, and where there is nothing
    is_eos: Tensor


class _Search:
    """The live prefixes of the sources that are not done, (sources, width), and the finished hypotheses."""

    def __init__(self, prefixes: Prefixes, stepper: Stepper, config: StochasticBeam) -> None:
        n_sources = stepper.n_rows
        self.config = config
        self.eos_id = stepper.eos_id
        self.prefixes = prefixes
        self.keys = [key_of(config.seed, source) for source in stepper.sources]
        self.records = [list(forced_steps(prefixes, row)) for row in range(n_sources)]
        self.finished: list[list[Hypothesis]] = [[] for _ in range(n_sources)]
        self.numbers = list(range(n_sources))  # of the sources that are not done
        # The log-probability after processors and temperature; with noise, the highest of all that can follow.
        self.totals = prefixes.log_probs.double().sum(1, keepdim=True)  # (sources, 1)
        self.maxima = self.totals + gumbel(mixed(self.keys), 1)
        # The model's own log-probability of each live prefix.
        self.log_probs: list[list[float]] = self.totals.tolist()
        # The perturbed totals of the finished hypotheses among the best.
        self.leaves = torch.full((n_sources, config.num_beams), NEG_INF, dtype=torch.float64)

    @property
    def source_of_rows(self) -> list[int]:
        """The number of each row's source."""
        return [source for source in self.numbers for _ in range(self.totals.shape[1])]

    def advance(self, logits: Tensor, scores: Tensor, limit: int) -> Tensor:
        """Append one token; returns the rows that continue."""
        if self.config.temperature != 1.0:
            scores = scores / self.config.temperature
        log_sums = logsumexp(logits)  # (rows, 1)
        score_sums = log_sums if scores is logits else logsumexp(scores)
        best = self._best(scores, score_sums, logits, log_sums)
        is_last = self.prefixes.length + 1 == limit
        continues = best.is_new & ~best.is_eos & (not is_last)  # (sources, num_beams)
        for row, rank in (best.is_new & ~continues).nonzero().tolist():
            parent = self.prefixes.hypothesis(int(best.rows[row, rank]))
            ids = (*parent.ids, int(best.tokens[row, rank]))
            log_probs = (*parent.token_log_probs, float(best.log_probs[row, rank]))
            found = Hypothesis(ids, log_probs, float(best.perturbed[row, rank]))
            self.finished[self.numbers[row]].append(found)
        self._record(best)
        return self._follow(best, continues)

    def result(self, source: int) -> SearchResult:
        """The hypotheses of a source in the order drawn."""
        ranked = sorted(self.finished[source], key=lambda one: one.score, reverse=True)
        n = self.config.num_return_sequences or self.config.num_beams
        return SearchResult(tuple(ranked[:n]), tuple(self.records[source]))

    def _best(self, scores: Tensor, score_sums: Tensor, logits: Tensor, log_sums: Tensor) -> _Best:
        """The best of each source after noise; scores and logits (rows, vocab), each with its logsumexp (rows, 1)."""
        n = self.config.num_beams
        width = self.totals.shape[1]
        keys = [self.keys[source] for source in self.source_of_rows]
        places = list(range(width)) * len(self.numbers)
        row_keys = mixed(keys, places, self.prefixes.length).tolist()
        before = self.totals - score_sums.view(self.totals.shape)  # (sources, width)
        proposed = perturbed(scores, before, self.maxima, row_keys, n)  # (sources, m)
        every = torch.cat([self.leaves, proposed.totals], 1)  # (sources, num_beams + m)
        top, indices = every.topk(n, 1)  # (sources, n) both
        in_proposed = (indices - n).clamp(min=0)
        parents = proposed.parents.gather(1, in_proposed)  # (sources, n)
        tokens = proposed.tokens.gather(1, in_proposed)
        rows = flat_rows(parents, width)
        return _Best(
            perturbed=top,
            parents=parents,
            tokens=tokens,
            rows=rows,
            totals=before.gather(1, parents) + scores[rows, tokens],
            log_probs=logits[rows, tokens] - log_sums[rows, 0],
            is_new=indices.ge(n) & top.gt(NEG_INF),
            is_eos=tokens.eq(self.eos_id),
        )

    def _record(self, best: _Best) -> None:
        """Write down what is new of each source, and the log-probabilities of what is still live."""
        parts = (best.is_new, best.parents, best.tokens, best.log_probs, best.totals, best.is_eos)
        columns = (part.tolist() for part in parts)
        for source, *row in zip(self.numbers, *columns, strict=True):
            sums = self.log_probs[source]
            records = [
                StepRecord(parent, token, sums[parent] + log_prob, total, is_eos)
                for is_new, parent, token, log_prob, total, is_eos in zip(*row, strict=True)
                if is_new
            ]
            self.records[source].append(tuple(records))
            self.log_probs[source] = [one.log_prob for one in records if not one.is_finished]

    def _follow(self, best: _Best, continues: Tensor) -> Tensor:
        """Take the continuing hypotheses as the live prefixes; returns the rows that they continue."""
        indices, is_live = packed(continues)  # (sources * width,), (sources, width)
        rows = best.rows.flatten()[indices]
        tokens = best.tokens.flatten()[indices]
        log_probs = best.log_probs.flatten()[indices]
        totals = best.totals.flatten()[indices].view(is_live.shape)
        maxima = best.perturbed.flatten()[indices].view(is_live.shape)
        self.prefixes = self.prefixes.take(rows).append(tokens, log_probs)
        self.totals = totals.masked_fill(~is_live, NEG_INF)
        self.maxima = maxima.masked_fill(~is_live, NEG_INF)

        kept = continues.any(1).nonzero()[:, 0]  # the sources that are not done
        self.leaves = best.perturbed.masked_fill(continues, NEG_INF)[kept]
        self.numbers = [self.numbers[source] for source in kept.tolist()]
        return rows
