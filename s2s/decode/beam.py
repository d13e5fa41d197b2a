"""Beam search, and the loop that its relatives share."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from s2s.config import setting
from s2s.decode.prefixes import Prefixes, begin, best, forced, normaliser
from s2s.decode.rules import NEVER, Rulebook, Rules
from s2s.decode.stepper import IDS, Found, Hypothesis, Kept, Stepper, Words


@dataclass(frozen=True)
class Beams(Rules):
    """Settings of every search that keeps several prefixes."""

    num_beams: int = setting(5, 1, 100, label="Beams", help="Prefixes kept at each step.")
    length_penalty: float = setting(
        1.0,
        -5.0,
        5.0,
        help="Exponent of the length that scores are divided by; above 0 favours longer targets.",
    )
    length_formula: str = setting(
        "power",
        help="power: length^p. gnmt: ((5 + length) / 6)^p (Wu et al. 2016, eq. 14).",
        choices=("power", "gnmt"),
    )
    early_stopping: bool | str = setting(
        False,
        help="true: stop at num_beams finished; false: when no running prefix scores better now; never: when none ever can.",
        choices=("never",),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_returned(self.num_beams, "`num_beams` keeps")

    @property
    def width(self) -> int:
        return self.num_beams

    def score(self, log_prob: float, length: int) -> float:
        """What finished hypotheses are ranked by; `</s>` counts as a token."""
        base = length if self.length_formula == "power" else (5 + length) / 6
        return float(log_prob / base**self.length_penalty)


@dataclass(frozen=True)
class Beam(Beams):
    """Settings of beam search."""


class Candidates(NamedTuple):
    """Of each source the best continuations of its prefixes, best first: (sources, n) each."""

    totals: Tensor  # what prefixes are ranked by while they run, nats; -inf where there is none
    parents: Tensor  # which of the source's prefixes it continues
    tokens: Tensor


@dataclass
class Running:
    """The prefixes of the sources that are not done: (sources, width) totals, and as many rows."""

    sources: list[int]
    totals: Tensor
    prefixes: Prefixes
    rows: Tensor  # which row of the step before each one continues

    @property
    def source_of_rows(self) -> list[int]:
        """The number of each row's source."""
        return [source for source in self.sources for _ in range(self.totals.shape[1])]


# Logits (rows, vocab), their normalisers (rows, 1), what runs, how many are wanted -> the candidates. The logits stay as they are.
Offer = Callable[[Tensor, Tensor, Running, int], Candidates]


@torch.inference_mode()
def beam(stepper: Stepper, config: Beam, words: Words = IDS) -> list[Found]:
    """The num_beams most probable prefixes of each source at each step; finished ones are ranked by score."""
    book = Rulebook(config, stepper, words)
    return search(
        stepper,
        config,
        book,
        lambda logits, norms, running, n: most_probable(book, logits, norms, running, n),
    )


def most_probable(
    book: Rulebook, logits: Tensor, norms: Tensor, running: Running, n: int
) -> Candidates:
    """The n highest sums of log-probabilities, after the rules."""
    if book.is_idle:
        values, tokens = best(logits, n)
        values = values - norms
    else:
        values, tokens = best(
            book.apply(logits - norms, running.prefixes.ids, running.source_of_rows), n
        )
    return merged(values, tokens, running.totals, n)


def merged(values: Tensor, tokens: Tensor, totals: Tensor, n: int) -> Candidates:
    """The n best of each source out of the best of each of its rows: (sources * width, m) twice and (sources, width)."""
    sums = (values.view(*totals.shape, -1) + totals[..., None]).flatten(
        1
    )  # (sources, width, m) -> (sources, width * m)
    top, places = sums.topk(min(n, sums.shape[1]), 1)
    return Candidates(
        top, places // values.shape[1], tokens.view(len(totals), -1).gather(1, places)
    )


def search(
    stepper: Stepper,
    config: Beams,
    book: Rulebook,
    offer: Offer,
    *,
    groups: int = 1,
    leading: Callable[[Tensor], Tensor] | None = None,
) -> list[Found]:
    """Keep num_beams of what is offered; twice as many are asked for, so that num_beams remain beside those that end.

    Ranks, stops and treats what the limit cuts as `generate` of transformers does. `groups` searches of each source stand side
    by side, each like a source of its own, until all of them are done; `leading` lowers totals that shall not keep a search going.
    """
    prefixes = _repeated(stepper, begin(stepper, book), groups)
    width = config.num_beams
    sentences = [
        _Sentence(config, book.limit, list(forced(prefixes, row))) for row in range(stepper.n_rows)
    ]
    running = Running(
        list(range(len(sentences))),
        prefixes.log_probs.sum(1, keepdim=True),
        prefixes,
        torch.arange(len(sentences)),
    )
    while True:
        logits = stepper.step(running.prefixes.last)
        norms = normaliser(logits)
        step = _Step(
            running,
            offer(logits, norms, running, 2 * width),
            logits,
            norms,
            eos_id=stepper.eos_id,
            width=width,
        )
        length = running.prefixes.length + 1
        is_last = length == book.limit
        for row, rank in step.ending(is_last=is_last):
            sentences[running.sources[row]].finish(*step.written(row, rank))
        for number, kept in zip(running.sources, step.kept(is_last=is_last), strict=True):
            sentences[number].records.append(kept)
        leaders = (leading(step.left) if leading else step.left).amax(1).tolist()
        is_done = [
            sentences[number].is_done(leaders[row], length)
            for row, number in enumerate(running.sources)
        ]
        going = [
            row
            for row in range(len(is_done))
            if not all(is_done[row - row % groups : row - row % groups + groups])
        ]
        if not going:
            return [sentence.found() for sentence in sentences]
        running = step.follow(going)
        if groups > 1:  # what is done waits for the groups beside it
            running.totals.masked_fill_(torch.tensor([[is_done[row]] for row in going]), NEVER)
        stepper.reorder(running.rows)


def _repeated(stepper: Stepper, prefixes: Prefixes, groups: int) -> Prefixes:
    """As many rows a source."""
    if groups == 1:
        return prefixes
    rows = torch.arange(stepper.n_rows).repeat_interleave(groups)
    stepper.reorder(rows)
    return prefixes.take(rows)


class _Step:
    """One step of all sources: what was offered, and which of it goes on."""

    def __init__(
        self,
        running: Running,
        offered: Candidates,
        logits: Tensor,
        norms: Tensor,
        *,
        eos_id: int,
        width: int,
    ) -> None:
        self.offered = _padded(offered, 2 * width)
        self.running = running
        self.width = width
        self.is_eos = self.offered.tokens.eq(eos_id)
        self.left = self.offered.totals.masked_fill(self.is_eos, NEVER)
        self.chosen = self.left.topk(width, 1).indices  # (sources, width)
        n_before = running.totals.shape[1]
        self.rows = (
            self.offered.parents + torch.arange(len(running.sources))[:, None] * n_before
        )  # (sources, 2 * width)
        self.values = (
            logits[self.rows, self.offered.tokens] - norms[self.rows, 0]
        )  # the model's own log-probabilities

    def ending(self, *, is_last: bool) -> list[tuple[int, int]]:
        """The places of what ends, or is cut, among the best num_beams."""
        top = slice(0, self.width)
        ends = torch.ones_like(self.is_eos[:, top]) if is_last else self.is_eos[:, top]
        return [
            (row, rank)
            for row, rank in (ends & self.offered.totals[:, top].gt(NEVER)).nonzero().tolist()
        ]

    def written(self, row: int, rank: int) -> tuple[tuple[int, ...], tuple[float, ...], float]:
        """A candidate's tokens, their log-probabilities, and its total."""
        before = self.running.prefixes.hypothesis(int(self.rows[row, rank]))
        ids = (*before.ids, int(self.offered.tokens[row, rank]))
        return (
            ids,
            (*before.token_log_probs, float(self.values[row, rank])),
            float(self.offered.totals[row, rank]),
        )

    def kept(self, *, is_last: bool) -> list[tuple[Kept, ...]]:
        """Of each source what ends among the best num_beams, then what goes on, or what the limit cuts."""
        best = torch.arange(self.width).expand_as(self.chosen)
        columns = (
            *(part.tolist() for part in self.offered),
            self.is_eos.tolist(),
            (best if is_last else self.chosen).tolist(),
        )
        return [self._kept(*row) for row in zip(*columns, strict=True)]

    def _kept(
        self,
        totals: list[float],
        parents: list[int],
        tokens: list[int],
        is_eos: list[bool],
        chosen: list[int],
    ) -> tuple[Kept, ...]:
        ranks = [rank for rank in range(self.width) if is_eos[rank]] + [
            rank for rank in chosen if not is_eos[rank]
        ]
        return tuple(
            Kept(parents[rank], tokens[rank], totals[rank], is_eos[rank])
            for rank in ranks
            if totals[rank] > NEVER
        )

    def follow(self, going: list[int]) -> Running:
        """What runs then, of the sources that go on."""
        kept = torch.tensor(going)
        chosen = self.chosen[kept]  # (going, width)
        rows = self.rows[kept].gather(1, chosen).flatten()
        tokens, values = (
            part[kept].gather(1, chosen).flatten() for part in (self.offered.tokens, self.values)
        )
        prefixes = self.running.prefixes.take(rows).grow(tokens, values)
        return Running(
            [self.running.sources[row] for row in going],
            self.left[kept].gather(1, chosen),
            prefixes,
            rows,
        )


def _padded(offered: Candidates, n: int) -> Candidates:
    """At least n columns, for vocabularies smaller than the beam."""
    missing = n - offered.totals.shape[1]
    if missing <= 0:
        return offered
    totals = torch.nn.functional.pad(offered.totals, (0, missing), value=NEVER)
    return Candidates(
        totals, *(torch.nn.functional.pad(part, (0, missing)) for part in offered[1:])
    )


@dataclass
class _Sentence:
    """The finished hypotheses of one source."""

    config: Beams
    limit: int
    records: list[tuple[Kept, ...]]
    finished: list[tuple[float, int, Hypothesis]] = field(
        default_factory=list
    )  # a heap, worst first; of equal ones the latest
    n_finished: int = 0

    def finish(self, ids: tuple[int, ...], values: tuple[float, ...], total: float) -> None:
        """Remember a hypothesis; only the best num_beams stay."""
        found = Hypothesis(ids, values, self.config.score(total, len(ids)))
        self.n_finished += 1
        heapq.heappush(self.finished, (found.score, -self.n_finished, found))
        if len(self.finished) > self.config.num_beams:
            heapq.heappop(self.finished)

    def is_done(self, best_running: float, length: int) -> bool:
        """Whether the search may stop, given the total of the best running prefix."""
        if length >= self.limit or best_running == NEVER:
            return True
        if len(self.finished) < self.config.num_beams:
            return False
        if self.config.early_stopping is True:
            return True
        reach = (
            self.limit
            if self.config.early_stopping == "never" and self.config.length_penalty > 0
            else length
        )
        return self.config.score(best_running, reach) <= self.finished[0][0]

    def found(self) -> Found:
        """Best first."""
        ranked = sorted(self.finished, key=lambda entry: entry[:2], reverse=True)
        wanted = self.config.num_return_sequences
        return Found(tuple(hypothesis for _, _, hypothesis in ranked[:wanted]), tuple(self.records))
