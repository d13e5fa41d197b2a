"""Stochastic beam search: samples without replacement, as the best sums of log-probability and noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from s2s.config import setting
from s2s.decode.beam import Candidates
from s2s.decode.limits import Heat
from s2s.decode.noise import gumbel, key_of, mixed
from s2s.decode.prefixes import BLOCK, Prefixes, begin, forced, normaliser
from s2s.decode.rules import NEVER, Rulebook
from s2s.decode.sampling import allowed, block_masses, block_scores, packed
from s2s.decode.stepper import IDS, Found, Hypothesis, Kept, Stepper, Words


@dataclass(frozen=True)
class StochasticBeam(Heat):
    """Settings of stochastic beam search."""

    num_beams: int = setting(5, 1, 100, label="Beams", help="Different targets to draw.")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_returned(self.num_beams, "`num_beams` draws")

    @property
    def width(self) -> int:
        return self.num_beams


@torch.inference_mode()
def stochastic_beam(stepper: Stepper, config: StochasticBeam, words: Words = IDS) -> list[Found]:
    """num_beams targets drawn without replacement, in the order drawn; fewer where there are fewer (Kool et al. 2019, algorithm 1).

    The score is the log-probability with Gumbel noise; what ends, or is cut, keeps its place among the beams.
    """
    book = Rulebook(config, stepper, words)
    search = _Search(begin(stepper, book), stepper, config)
    while True:
        logits = stepper.step(search.prefixes.last)
        rows = search.advance(
            logits, allowed(book, logits, search.prefixes, search.source_of_rows), book.limit
        )
        if not len(rows):
            return [search.found(source) for source in range(len(search.records))]
        stepper.reorder(rows)


def perturbed(
    scores: Tensor, totals: Tensor, maxima: Tensor | None, keys: Sequence[int], n: int
) -> Candidates:
    """The n highest of each source's continuations after Gumbel noise on each; float64.

    The scores (rows, vocab) count on from the totals (sources, width). The maxima (sources, width), where there are any, say what
    the highest of each row has become. A key a row. Noise is drawn from the top down, for blocks of tokens and then within the n
    best blocks: the distribution is that of noise on every token.
    """
    sources, width = totals.shape
    masses = block_masses(scores).double() + totals.view(-1, 1)
    n_blocks = masses.shape[1]
    tops = masses + gumbel(mixed(keys), n_blocks)
    tops = (tops if maxima is None else given_maximum(tops, maxima.view(-1, 1))).view(sources, -1)
    tops, held = tops.topk(min(n, tops.shape[1]), 1)  # (sources, m) both
    where = (held + torch.arange(sources)[:, None] * width * n_blocks).flatten()
    rows = where // n_blocks
    blocks = where % n_blocks
    noise = gumbel(
        mixed([keys[row] for row in rows.tolist()], (blocks + n_blocks).tolist()), BLOCK
    )  # other keys than the rows' own
    inner = (
        block_scores(scores, rows, blocks).double() + totals.view(-1)[rows, None] + noise
    )  # (sources * m, BLOCK)
    best, places = (
        given_maximum(inner, tops.view(-1, 1))
        .view(sources, -1)
        .topk(min(n, tops.shape[1] * BLOCK), 1)
    )
    block = held.gather(1, places // BLOCK)
    tokens = (block % n_blocks * BLOCK + places % BLOCK).masked_fill(best.eq(NEVER), 0)
    return Candidates(best, block // n_blocks, tokens)


def given_maximum(values: Tensor, maxima: Tensor) -> Tensor:
    """Gumbel variables (rows, n) as they would be if the highest of each row were the maximum, (rows, 1).

    Kool et al. 2019, appendix B: the form that does not overflow.
    """
    gap = maxima - values + torch.log1p(-(values - values.amax(1, keepdim=True)).exp())
    found = maxima - gap.clamp(min=0.0) - torch.log1p((-gap.abs()).exp())
    return torch.where(values.gt(NEVER) & maxima.gt(NEVER), found, NEVER)


class _Best(NamedTuple):
    """The best of what has ended and of what continues, after noise: (sources, num_beams) each."""

    perturbed: Tensor
    parents: Tensor  # which of the source's prefixes it continues
    tokens: Tensor
    rows: Tensor  # the parents as rows
    totals: Tensor
    values: Tensor  # the model's own log-probabilities of the tokens
    is_new: Tensor  # False for what had ended before, and where there is nothing
    is_eos: Tensor


class _Search:
    """What runs: of the sources that are not done (sources, width) prefixes; and what has ended."""

    def __init__(self, prefixes: Prefixes, stepper: Stepper, config: StochasticBeam) -> None:
        n_sources = stepper.n_rows
        self.config = config
        self.eos_id = stepper.eos_id
        self.prefixes = prefixes
        self.keys = [key_of(config.seed, source) for source in stepper.sources]
        self.records = [list(forced(prefixes, row)) for row in range(n_sources)]
        self.ended: list[list[Hypothesis]] = [[] for _ in range(n_sources)]
        self.numbers = list(range(n_sources))  # of the sources that are not done
        self.totals = prefixes.log_probs.double().sum(
            1, keepdim=True
        )  # log-probability after rules and temperature
        self.maxima = self.totals + gumbel(
            mixed(self.keys), 1
        )  # the same with noise: the highest of all that can follow
        self.leaves = torch.full(
            (n_sources, config.num_beams), NEVER, dtype=torch.float64
        )  # of the ended ones among the best

    @property
    def source_of_rows(self) -> list[int]:
        """The number of each row's source."""
        return [source for source in self.numbers for _ in range(self.totals.shape[1])]

    def advance(self, logits: Tensor, scores: Tensor, limit: int) -> Tensor:
        """One token more; the rows that go on."""
        if self.config.temperature != 1.0:
            scores = scores / self.config.temperature
        norms = normaliser(logits)
        best = self._best(scores, norms if scores is logits else normaliser(scores), logits, norms)
        is_last = self.prefixes.length + 1 == limit
        goes_on = best.is_new & ~best.is_eos & (not is_last)
        for row, rank in (best.is_new & ~goes_on).nonzero().tolist():
            before = self.prefixes.hypothesis(int(best.rows[row, rank]))
            ids = (*before.ids, int(best.tokens[row, rank]))
            values = (*before.token_log_probs, float(best.values[row, rank]))
            self.ended[self.numbers[row]].append(
                Hypothesis(ids, values, float(best.perturbed[row, rank]))
            )
        self._record(best)
        return self._follow(best, goes_on)

    def found(self, source: int) -> Found:
        """In the order drawn."""
        ranked = sorted(self.ended[source], key=lambda one: one.score, reverse=True)
        return Found(
            tuple(ranked[: self.config.num_return_sequences or self.config.num_beams]),
            tuple(self.records[source]),
        )

    def _best(self, scores: Tensor, heights: Tensor, logits: Tensor, norms: Tensor) -> _Best:
        """Scores and logits, each with its normalisers (rows, 1)."""
        n = self.config.num_beams
        width = self.totals.shape[1]
        keys = [self.keys[source] for source in self.source_of_rows]
        keys = mixed(
            keys, list(range(width)) * len(self.numbers), [self.prefixes.length] * len(keys)
        ).tolist()
        below = self.totals - heights.view(self.totals.shape)
        offered = perturbed(scores, below, self.maxima, keys, n)
        top, places = torch.cat([self.leaves, offered.totals], 1).topk(n, 1)
        at = (places - n).clamp(min=0)
        parents = offered.parents.gather(1, at)
        tokens = offered.tokens.gather(1, at)
        rows = parents + torch.arange(len(top))[:, None] * width
        totals = below.gather(1, parents) + scores[rows, tokens]
        values = logits[rows, tokens] - norms[rows, 0]
        return _Best(
            top,
            parents,
            tokens,
            rows,
            totals,
            values,
            places.ge(n) & top.gt(NEVER),
            tokens.eq(self.eos_id),
        )

    def _record(self, best: _Best) -> None:
        columns = (
            part.tolist()
            for part in (best.parents, best.tokens, best.totals, best.is_eos, best.is_new)
        )
        for source, *row in zip(self.numbers, *columns, strict=True):
            self.records[source].append(
                tuple(Kept(*kept) for *kept, is_new in zip(*row, strict=True) if is_new)
            )

    def _follow(self, best: _Best, goes_on: Tensor) -> Tensor:
        kept = goes_on.any(1).nonzero()[:, 0]
        places, is_live = packed(goes_on)
        rows, tokens, values = (
            part.flatten()[places] for part in (best.rows, best.tokens, best.values)
        )
        self.prefixes = self.prefixes.take(rows).grow(tokens, values)
        still = (
            part.flatten()[places].view(is_live.shape) for part in (best.totals, best.perturbed)
        )
        self.totals, self.maxima = (part.masked_fill(~is_live, NEVER) for part in still)
        self.leaves = best.perturbed.masked_fill(goes_on, NEVER)[kept]
        self.numbers = [self.numbers[row] for row in kept.tolist()]
        return rows
