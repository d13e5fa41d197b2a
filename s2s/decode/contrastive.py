"""Contrastive search: probable tokens whose states are unlike those before (Su et al. 2022)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import normalize

from s2s.config import setting
from s2s.decode.prefixes import Prefixes, best, normaliser
from s2s.decode.rules import NEVER, Rulebook, Rules
from s2s.decode.stepper import IDS, Found, Hypothesis, Kept, Stepper, Words


@dataclass(frozen=True)
class Contrastive(Rules):
    """Settings of contrastive search."""

    penalty_alpha: float = setting(
        0.6,
        0.0,
        1.0,
        label="Degeneration penalty",
        help="Weight of being unlike the tokens before; 0 is greedy search.",
    )
    top_k: int = setting(
        4,
        1,
        100,
        label="Top-k candidates",
        help="How many of the most probable tokens are compared at each step.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_returned(1, "contrastive search finds")

    @property
    def width(self) -> int:
        """How many tokens are tried: without the penalty the most probable one wins."""
        return self.top_k if self.penalty_alpha else 1


class Choices(NamedTuple):
    """Of each source the tokens to choose from, the most probable first: (sources, k) each."""

    tokens: Tensor
    probabilities: Tensor  # after the rules
    is_allowed: Tensor  # by the rules; the first always is


@dataclass
class _Running:
    """The sources that are not done, one prefix each."""

    sources: list[int]
    rows: Tensor  # the stepper's row of each
    prefixes: Prefixes
    scores: Tensor  # (sources,)
    logits: Tensor  # of the next token: (sources, vocab)
    states: Tensor  # of the tokens fed so far, the start id first, each of length 1: (sources, 1 + length, d_model)

    def take(self, kept: Tensor) -> _Running:
        """These of them."""
        sources = [self.sources[row] for row in kept.tolist()]
        parts = (self.scores[kept], self.logits[kept], self.states[kept])
        return _Running(sources, self.rows[kept], self.prefixes.take(kept), *parts)


@torch.inference_mode()
def contrastive(stepper: Stepper, config: Contrastive, words: Words = IDS) -> list[Found]:
    """At each step, of the top_k tokens the one with the highest (1 - alpha) * probability - alpha * similarity (eq. 5).

    The similarity is the highest cosine of the token's decoder state with those of the tokens before it, the start id among
    them. The score is the sum over the tokens that were chosen, those of a forced prefix left out. The last token that the
    model has a position for is chosen by probability alone: nothing can follow it, so it has no state.
    """
    book = Rulebook(config, stepper, words)
    running = _begun(stepper)
    found = [Found(())] * stepper.n_rows
    while running.sources:
        running = _advanced(stepper, config, book, running)
        ends = running.prefixes.last.eq(stepper.eos_id) & (
            running.prefixes.length > len(book.prefix)
        )
        ends |= running.prefixes.length == book.limit
        for row in ends.nonzero()[:, 0].tolist():
            hypothesis = running.prefixes.hypothesis(row, float(running.scores[row]))
            found[running.sources[row]] = Found(
                (hypothesis,), _steps(hypothesis, len(book.prefix), stepper.eos_id)
            )
        if bool(ends.any()):
            running = running.take((~ends).nonzero()[:, 0])
    return found


def _begun(stepper: Stepper) -> _Running:
    n = stepper.n_rows
    prefixes = Prefixes(torch.full((n, 1), stepper.start_id), torch.zeros(n, 0))
    logits = stepper.step(prefixes.last)
    states = normalize(stepper.states.float(), dim=-1)[:, None]
    return _Running(list(range(n)), torch.arange(n), prefixes, torch.zeros(n), logits, states)


def _advanced(stepper: Stepper, config: Contrastive, book: Rulebook, running: _Running) -> _Running:
    """One more token each."""
    at = running.prefixes.length
    is_forced = at < len(book.prefix)
    choices = (
        _forced(book.prefix[at], len(running.rows))
        if is_forced
        else _choices(book, running, config.width)
    )
    if at + 1 == stepper.max_length:
        gains = (1 - config.penalty_alpha) * choices.probabilities[:, 0]
        return _grown(running, choices.tokens[:, 0], gains)
    k = choices.tokens.shape[1]
    stepper.reorder(running.rows.repeat_interleave(k))
    logits = stepper.step(choices.tokens.flatten())
    states = normalize(stepper.states.float(), dim=-1).view(
        -1, k, stepper.states.shape[-1]
    )  # (sources, k, d_model)
    gains, winners = _objective(choices, states, running.states, config.penalty_alpha).max(1)
    rows = winners + torch.arange(len(winners)) * k
    sources = torch.arange(len(winners))
    grown = _grown(
        running, choices.tokens[sources, winners], torch.zeros_like(gains) if is_forced else gains
    )
    grown.rows = rows
    grown.logits = logits[rows]
    grown.states = torch.cat([running.states, states[sources, winners][:, None]], 1)
    return grown


def _grown(running: _Running, tokens: Tensor, gains: Tensor) -> _Running:
    values = running.logits.gather(1, tokens[:, None]) - normaliser(running.logits)
    prefixes = running.prefixes.grow(tokens, values[:, 0])
    return _Running(
        running.sources,
        running.rows,
        prefixes,
        running.scores + gains,
        running.logits,
        running.states,
    )


def _forced(token: int, n_sources: int) -> Choices:
    tokens = torch.full((n_sources, 1), token)
    return Choices(tokens, torch.ones(tokens.shape), torch.ones(tokens.shape, dtype=torch.bool))


def _choices(book: Rulebook, running: _Running, k: int) -> Choices:
    """The k most probable tokens; `</s>` where the rules allow none."""
    logits = (
        running.logits
        if book.is_idle
        else book.apply(running.logits.clone(), running.prefixes.ids, running.sources)
    )
    tops, tokens = best(logits, k)
    is_allowed = tops.gt(NEVER)
    probabilities = (tops - normaliser(logits)).exp().masked_fill(~is_allowed, 0.0)
    tokens[:, 0].masked_fill_(~is_allowed[:, 0], book.eos_id)
    is_allowed[:, 0] = True
    return Choices(tokens, probabilities, is_allowed)


def _objective(choices: Choices, states: Tensor, before: Tensor, alpha: float) -> Tensor:
    """(sources, k)."""
    similarity = (states @ before.transpose(1, 2)).amax(
        2
    )  # (sources, k, d_model) and (sources, length, d_model) -> (sources, k)
    return ((1 - alpha) * choices.probabilities - alpha * similarity).masked_fill(
        ~choices.is_allowed, NEVER
    )


def _steps(hypothesis: Hypothesis, n_forced: int, eos_id: int) -> tuple[tuple[Kept, ...], ...]:
    totals = itertools.accumulate(hypothesis.token_log_probs)
    pairs = enumerate(zip(hypothesis.ids, totals, strict=True))
    return tuple(
        (Kept(0, token, total, token == eos_id and at >= n_forced),) for at, (token, total) in pairs
    )
