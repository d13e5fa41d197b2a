"""Beam search, and the loop that the other beam strategies share.

At each step every source has `beam` live hypotheses. Their best 2 * beam continuations are the candidates. Those among
the first `beam` that end in `</s>` are finished; the best `beam` others are the live hypotheses of the next step. Twice
as many candidates as beams are enough: even where `beam` of them end, `beam` stay live.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from s2s.config import setting
from s2s.decode.numerics import NEG_INF, flat_rows, logsumexp, topk
from s2s.decode.prefixes import Prefixes, forced_steps, start
from s2s.decode.processors import GenerationConfig, LogitsProcessors
from s2s.decode.results import Hypothesis, SearchResult, StepRecord
from s2s.decode.stepper import ID_CODEC, Stepper, TextCodec


@dataclass(frozen=True)
class BeamConfig(GenerationConfig):
    """Settings of every search that keeps several hypotheses per source."""

    num_beams: int = setting(5, 1, 100, label="Beams", help="Hypotheses kept at each step.")
    length_penalty: float = setting(
        1.0,
        -5.0,
        5.0,
        help="Exponent of the length by which scores are divided; above 0 favors longer targets.",
    )
    length_formula: str = setting(
        "power",
        help="power: length^p. gnmt: ((5 + length) / 6)^p (Wu et al. 2016, eq. 14).",
        choices=("power", "gnmt"),
    )
    early_stopping: bool | str = setting(
        False,
        help="When to stop. true: at num_beams finished hypotheses. false: when no live one"
        " scores better now. never: when none ever can.",
        choices=("never",),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_returned(self.num_beams, "`num_beams` keeps")

    @property
    def width(self) -> int:
        return self.num_beams

    def score(self, log_prob: float, length: int) -> float:
        """The score that ranks finished hypotheses; `</s>` counts as a token."""
        base = length if self.length_formula == "power" else (5 + length) / 6
        return float(log_prob / base**self.length_penalty)


@dataclass(frozen=True)
class Beam(BeamConfig):
    """Settings of beam search."""


class Candidates(NamedTuple):
    """The best continuations of each source's live hypotheses, best first: (sources, n) each."""

    totals: Tensor  # what live hypotheses are ranked by, nats; -inf where there is none
    parents: Tensor  # which of the source's live hypotheses it continues
    tokens: Tensor


class _Row(NamedTuple):
    """The candidates of one source as numbers, best first."""

    totals: list[float]
    parents: list[int]
    tokens: list[int]
    log_probs: list[float]  # the model's own, of the tokens
    is_eos: list[bool]


@dataclass
class LiveBeams:
    """The live hypotheses of the sources that are still searched."""

    sources: list[int]
    totals: Tensor  # (sources, beam), nats; -inf where there is none
    prefixes: Prefixes  # (sources * beam) rows
    rows: Tensor  # (sources * beam,), the row of the step before that each one continues

    @property
    def source_of_rows(self) -> list[int]:
        """The number of each row's source."""
        return [source for source in self.sources for _ in range(self.totals.shape[1])]


# Logits (rows, vocab), their logsumexp (rows, 1), the live hypotheses, n -> n candidates per source. Leaves the logits
# of all tokens that may be written as they are.
Propose = Callable[[Tensor, Tensor, LiveBeams, int], Candidates]


@torch.inference_mode()
def beam(stepper: Stepper, config: Beam, codec: TextCodec = ID_CODEC) -> list[SearchResult]:
    """Keep the num_beams most probable hypotheses of each source at each step; finished ones are ranked by score."""
    processors = LogitsProcessors(config, stepper, codec)
    propose = most_probable(processors)
    return search(stepper, config, processors, propose, stays=processors.is_idle)


def most_probable(processors: LogitsProcessors) -> Propose:
    """The candidates with the highest sums of log-probabilities, after the processors."""

    def propose(logits: Tensor, log_sums: Tensor, live: LiveBeams, n: int) -> Candidates:
        if processors.only_bans:
            # The n best logits are the n best log-probabilities; over the whole vocabulary those would take longer.
            allowed = processors.apply(logits, live.prefixes.ids, live.source_of_rows)
            if processors.renormalizes and not processors.is_idle:
                log_sums = logsumexp(allowed)  # (sources * beam, 1)
            top_logits, tokens = topk(allowed, n)  # (sources * beam, n) both
            log_probs = top_logits - log_sums  # (sources * beam, n)
            return best_per_source(log_probs.cpu(), tokens.cpu(), live.totals, n)
        log_probs = processors.apply(logits - log_sums, live.prefixes.ids, live.source_of_rows)
        if processors.renormalizes:
            log_probs -= logsumexp(log_probs)
        top_log_probs, tokens = topk(log_probs, n)  # (sources * beam, n) both
        return best_per_source(top_log_probs, tokens, live.totals, n)

    return propose


def best_per_source(log_probs: Tensor, tokens: Tensor, totals: Tensor, n: int) -> Candidates:
    """The n best continuations of each source out of the m best of each row:

    (sources * beam, m) twice, (sources, beam) -> (sources, n).
    """
    n_sources, beam = totals.shape
    m = tokens.shape[1]
    sums = log_probs.view(n_sources, beam, m) + totals[..., None]
    sums = sums.flatten(1)  # (sources, beam, m) -> (sources, beam * m)
    top, flat_indices = sums.topk(min(n, beam * m), 1)  # (sources, n) both
    tokens = tokens.view(n_sources, beam * m).gather(1, flat_indices)
    return Candidates(top, flat_indices // m, tokens)


def search(
    stepper: Stepper,
    config: BeamConfig,
    processors: LogitsProcessors,
    propose: Propose,
    *,
    groups: int = 1,
    leading: Callable[[Tensor], Tensor] | None = None,
    stays: bool = False,
) -> list[SearchResult]:
    """Keep num_beams of the proposed candidates of each source at each step.

    Ranks, stops and treats hypotheses that the limit truncates as `generate` of transformers does. `groups` searches of
    each source run in parallel, each like a source of its own, until all of them are done; `leading` lowers totals
    (sources, beam) that must not keep a search running. `propose` reads the logits on the CPU, unless they are to
    stay where the model is.
    """
    beam = config.num_beams
    limit = processors.limit
    live = _start(stepper, processors, groups)
    results = [_Finished(config, limit, live.prefixes, row) for row in range(len(live.sources))]
    while True:
        logits = stepper.step(live.prefixes.last)  # (sources * beam, vocab)
        if not stays:
            logits = logits.cpu()
        log_sums = logsumexp(logits)  # (sources * beam, 1)
        candidates = propose(logits, log_sums, live, 2 * beam)  # (sources, 2 * beam)
        step = _Step(live, candidates, logits, log_sums, eos_id=stepper.eos_id, beam=beam)
        length = live.prefixes.length + 1
        step.record(results, is_last=length == limit)

        totals = leading(step.unfinished) if leading else step.unfinished  # (sources, 2 * beam)
        best_totals = totals.amax(1).tolist()
        is_done = [
            results[source].is_done(best_total, length)
            for source, best_total in zip(live.sources, best_totals, strict=True)
        ]
        kept = _kept_sources(is_done, groups)
        if not kept:
            return [result.ranked() for result in results]

        live = step.next_live(kept)
        if groups > 1:  # a group that is done waits for the others of its source
            is_waiting = torch.tensor([[is_done[row]] for row in kept])  # (sources, 1)
            live.totals.masked_fill_(is_waiting, NEG_INF)
        stepper.reorder(live.rows)


def _start(stepper: Stepper, processors: LogitsProcessors, groups: int) -> LiveBeams:
    """One live hypothesis per group: the forced prefix, or nothing yet."""
    prefixes = start(stepper, processors)
    if groups > 1:
        rows = torch.arange(stepper.n_rows).repeat_interleave(groups)  # (sources * groups,)
        stepper.reorder(rows)
        prefixes = prefixes.take(rows)
    n = stepper.n_rows
    totals = prefixes.log_probs.sum(1, keepdim=True)  # (sources * groups, 1)
    return LiveBeams(list(range(n)), totals, prefixes, torch.arange(n))


def _kept_sources(is_done: list[bool], groups: int) -> list[int]:
    """The numbers of the searches that continue: all groups of a source, until all of them are done."""
    kept: list[int] = []
    for first in range(0, len(is_done), groups):
        of_source = range(first, first + groups)
        if not all(is_done[row] for row in of_source):
            kept.extend(of_source)
    return kept


class _Step:
    """One step of all sources: its candidates, which of them finish, and which stay live."""

    def __init__(
        self,
        live: LiveBeams,
        candidates: Candidates,
        logits: Tensor,
        log_sums: Tensor,
        *,
        eos_id: int,
        beam: int,
    ) -> None:
        self.live = live
        self.beam = beam
        self.candidates = _padded(candidates, 2 * beam)
        self.is_eos = self.candidates.tokens.eq(eos_id)  # (sources, 2 * beam)
        self.unfinished = self.candidates.totals.masked_fill(self.is_eos, NEG_INF)
        self.chosen = self.unfinished.topk(beam, 1).indices  # (sources, beam)
        self.rows = flat_rows(self.candidates.parents, live.totals.shape[1])
        rows = self.rows.to(logits.device)
        token_logits = logits[rows, self.candidates.tokens.to(logits.device)]  # (sources, 2 * beam)
        # The model's own, of the tokens.
        self.log_probs = (token_logits - log_sums[rows, 0]).cpu()

    def record(self, results: list[_Finished], *, is_last: bool) -> None:
        """Write down what each source keeps: what finishes among the best `beam`, then what stays live or the limit
        truncates.
        """
        parts = (*self.candidates, self.log_probs, self.is_eos)
        ranks = torch.arange(self.beam).expand_as(self.chosen) if is_last else self.chosen
        rows = map(_Row, *(part.tolist() for part in parts))
        by_source = zip(self.live.sources, rows, ranks.tolist(), strict=True)
        for number, (source, row, kept) in enumerate(by_source):
            if is_last or any(row.is_eos):
                for rank in range(self.beam):
                    if (is_last or row.is_eos[rank]) and row.totals[rank] > NEG_INF:
                        results[source].add(*self._hypothesis(number, rank))
            results[source].record(row, kept)

    def _hypothesis(self, row: int, rank: int) -> tuple[tuple[int, ...], tuple[float, ...], float]:
        """A candidate's tokens, their log-probabilities, and its total."""
        parent = self.live.prefixes.hypothesis(int(self.rows[row, rank]))
        ids = (*parent.ids, int(self.candidates.tokens[row, rank]))
        log_probs = (*parent.token_log_probs, float(self.log_probs[row, rank]))
        return ids, log_probs, float(self.candidates.totals[row, rank])

    def next_live(self, kept: list[int]) -> LiveBeams:
        """The live hypotheses of these sources after this step."""
        every = (self.unfinished, self.rows, self.candidates.tokens, self.log_probs)
        parts = [part.gather(1, self.chosen) for part in every]  # (sources, beam) each
        if len(kept) < len(self.live.sources):
            parts = [part[kept] for part in parts]  # -> (kept, beam)
        totals, rows, tokens, log_probs = parts
        rows = rows.flatten()  # (kept, beam) -> (kept * beam,)
        prefixes = self.live.prefixes.take(rows).append(tokens.flatten(), log_probs.flatten())
        sources = [self.live.sources[row] for row in kept]
        return LiveBeams(sources, totals, prefixes, rows)


def _padded(candidates: Candidates, n: int) -> Candidates:
    """The candidates with at least n columns, for vocabularies smaller than the beam."""
    missing = n - candidates.totals.shape[1]
    if missing <= 0:
        return candidates
    totals = pad(candidates.totals, (0, missing), value=NEG_INF)
    return Candidates(totals, *(pad(part, (0, missing)) for part in candidates[1:]))


class _Finished:
    """The finished hypotheses of one source, and the record of its steps."""

    def __init__(self, config: BeamConfig, limit: int, prefixes: Prefixes, row: int) -> None:
        self.config = config
        self.limit = limit
        self.steps = list(forced_steps(prefixes, row))
        # The model's own log-probability of each live hypothesis.
        self.live_log_probs = [float(prefixes.log_probs[row].sum())]
        # A heap, worst first; of equal ones the latest.
        self.best: list[tuple[float, int, Hypothesis]] = []
        self.n_finished = 0

    def add(self, ids: tuple[int, ...], log_probs: tuple[float, ...], total: float) -> None:
        """Add a finished hypothesis; only the best num_beams stay."""
        hypothesis = Hypothesis(ids, log_probs, self.config.score(total, len(ids)))
        self.n_finished += 1
        heapq.heappush(self.best, (hypothesis.score, -self.n_finished, hypothesis))
        if len(self.best) > self.config.num_beams:
            heapq.heappop(self.best)

    def record(self, row: _Row, chosen: list[int]) -> None:
        """Record one step: of its candidates, those that end among the best `beam`, then the chosen ones."""
        totals, parents, tokens, log_probs, is_eos = row
        earlier = self.live_log_probs
        sums = [earlier[one] + more for one, more in zip(parents, log_probs, strict=True)]
        ranks = chosen
        if any(is_eos):
            ranks = [rank for rank in range(len(chosen)) if is_eos[rank]]
            ranks += [rank for rank in chosen if not is_eos[rank]]
        records = [
            StepRecord(parents[rank], tokens[rank], sums[rank], totals[rank], is_eos[rank])
            for rank in ranks
            if totals[rank] > NEG_INF
        ]
        self.steps.append(tuple(records))
        self.live_log_probs = [sums[rank] for rank in chosen]

    def is_done(self, best_live: float, length: int) -> bool:
        """Whether the search may stop, given the total of the best live hypothesis."""
        if length >= self.limit or best_live == NEG_INF:
            return True
        if len(self.best) < self.config.num_beams:
            return False
        if self.config.early_stopping is True:
            return True
        worst_finished, *_ = self.best[0]
        is_never = self.config.early_stopping == "never" and self.config.length_penalty > 0
        reachable = self.config.score(best_live, self.limit if is_never else length)
        return reachable <= worst_finished

    def ranked(self) -> SearchResult:
        """The finished hypotheses, best first."""
        entries = sorted(self.best, key=lambda entry: entry[:2], reverse=True)
        hypotheses = tuple(hypothesis for *_, hypothesis in entries)
        return SearchResult(hypotheses[: self.config.num_return_sequences], tuple(self.steps))
