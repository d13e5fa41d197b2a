"""Contrastive search: probable tokens whose decoder states are unlike those before (Su et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import normalize

from s2s.config import setting
from s2s.decode.numerics import NEG_INF, logsumexp, token_log_probs, topk
from s2s.decode.prefixes import Prefixes
from s2s.decode.processors import GenerationConfig, LogitsProcessors
from s2s.decode.results import SearchResult, path_records
from s2s.decode.stepper import ID_CODEC, Stepper, TextCodec


@dataclass(frozen=True)
class Contrastive(GenerationConfig):
    """Settings of contrastive search."""

    penalty_alpha: float = setting(
        0.6,
        0.0,
        1.0,
        label="Degeneration penalty",
        help="Weight of the penalty for similarity to earlier tokens; 0 is greedy search.",
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
        """How many tokens are compared: without the penalty the most probable one wins."""
        return self.top_k if self.penalty_alpha else 1


class Choices(NamedTuple):
    """The tokens to choose from, the most probable first: (sources, k) each."""

    tokens: Tensor
    probabilities: Tensor  # after the processors
    is_allowed: Tensor  # by the processors; the first always is


@dataclass(frozen=True)
class _Live:
    """The sources that are not finished, one prefix each."""

    sources: list[int]
    rows: Tensor  # (sources,), the stepper's row of each
    prefixes: Prefixes
    scores: Tensor  # (sources,)
    logits: Tensor  # (sources, vocab), of the next token
    states: Tensor  # (sources, 1 + length, d_model), of the inputs so far, the start id first, each of length 1

    def take(self, kept: Tensor) -> _Live:
        """The `kept` sources only."""
        return _Live(
            [self.sources[row] for row in kept.tolist()],
            self.rows[kept],
            self.prefixes.take(kept),
            self.scores[kept],
            self.logits[kept],
            self.states[kept],
        )


@torch.inference_mode()
def contrastive(
    stepper: Stepper, config: Contrastive, codec: TextCodec = ID_CODEC
) -> list[SearchResult]:
    """At each step, of the top_k tokens the one with the highest (1 - alpha) * probability - alpha * similarity (eq.
    5).

    The similarity is the highest cosine between the token's decoder state and those of the tokens before it, the start
    id included. The score is the sum over the chosen tokens, without those of a forced prefix. The last token that the
    model has a position for is chosen by probability alone: nothing can follow it, so it has no state.
    """
    processors = LogitsProcessors(config, stepper, codec)
    n_forced = len(processors.prefix)
    live = _start(stepper)
    results = [SearchResult(())] * stepper.n_rows
    while live.sources:
        live = _advance(stepper, config, processors, live)
        is_over = live.prefixes.last.eq(stepper.eos_id) & (live.prefixes.length > n_forced)
        is_over |= live.prefixes.length == processors.limit
        for row in is_over.nonzero()[:, 0].tolist():
            found = live.prefixes.hypothesis(row, float(live.scores[row]))
            steps = path_records(
                found.ids, found.token_log_probs, eos_id=stepper.eos_id, n_forced=n_forced
            )
            results[live.sources[row]] = SearchResult((found,), steps)
        if bool(is_over.any()):
            live = live.take((~is_over).nonzero()[:, 0])
    return results


def _start(stepper: Stepper) -> _Live:
    n = stepper.n_rows
    prefixes = Prefixes(torch.full((n, 1), stepper.start_id), torch.zeros(n, 0))
    logits = stepper.step(prefixes.last).cpu().clone()  # (sources, vocab), read after the next step
    states = normalize(stepper.states.cpu().float(), dim=-1)[:, None]  # (sources, 1, d_model)
    scores = torch.zeros(n)
    return _Live(list(range(n)), torch.arange(n), prefixes, scores, logits, states)


def _advance(
    stepper: Stepper, config: Contrastive, processors: LogitsProcessors, live: _Live
) -> _Live:
    """Append one token to each prefix."""
    length = live.prefixes.length
    is_forced = length < len(processors.prefix)
    if is_forced:
        choices = _forced(processors.prefix[length], len(live.rows))
    else:
        choices = _choices(processors, live, config.width)
    if length + 1 == stepper.max_length:
        gains = (1 - config.penalty_alpha) * choices.probabilities[:, 0]  # (sources,)
        return _appended(processors, live, choices.tokens[:, 0], gains)
    n_sources, k = choices.tokens.shape
    stepper.reorder(live.rows.repeat_interleave(k))
    logits = stepper.step(choices.tokens.flatten()).cpu()  # (sources * k, vocab)
    states = normalize(stepper.states.cpu().float(), dim=-1)  # (sources * k, d_model)
    states = states.view(n_sources, k, states.shape[-1])  # -> (sources, k, d_model)
    objective = _objective(choices, states, live.states, config.penalty_alpha)  # (sources, k)
    gains, winners = objective.max(1)  # (sources,) both
    sources = torch.arange(n_sources)
    rows = winners + sources * k
    if is_forced:
        gains = torch.zeros_like(gains)
    new_states = states[sources, winners][:, None]  # (sources, 1, d_model)
    return replace(
        _appended(processors, live, choices.tokens[sources, winners], gains),
        rows=rows,
        logits=logits[rows],
        states=torch.cat([live.states, new_states], 1),
    )


def _appended(processors: LogitsProcessors, live: _Live, tokens: Tensor, gains: Tensor) -> _Live:
    log_probs = token_log_probs(live.logits, tokens[:, None])[:, 0]  # (sources,)
    prefixes = live.prefixes.append(tokens, processors.own(log_probs, live.prefixes.length))
    return replace(live, prefixes=prefixes, scores=live.scores + gains)


def _forced(token: int, n_sources: int) -> Choices:
    tokens = torch.full((n_sources, 1), token)
    ones = torch.ones(n_sources, 1)
    return Choices(tokens, probabilities=ones, is_allowed=ones.bool())


def _choices(processors: LogitsProcessors, live: _Live, k: int) -> Choices:
    """The k most probable tokens; `</s>` where the processors allow none."""
    logits = live.logits
    if not processors.is_idle:
        logits = processors.apply(logits.clone(), live.prefixes.ids, live.sources)
    top_logits, tokens = topk(logits, k)  # (sources, k) both
    is_allowed = top_logits.gt(NEG_INF)
    probabilities = (top_logits - logsumexp(logits)).exp()
    probabilities = probabilities.masked_fill(~is_allowed, 0.0)
    tokens[:, 0].masked_fill_(~is_allowed[:, 0], processors.eos_id)
    is_allowed[:, 0] = True
    return Choices(tokens, probabilities, is_allowed)


def _objective(choices: Choices, states: Tensor, before: Tensor, alpha: float) -> Tensor:
    """Eq. 5: states (sources, k, d_model) and those before them (sources, length, d_model) -> (sources, k)."""
    cosines = states @ before.transpose(1, 2)  # (sources, k, length)
    objective = (1 - alpha) * choices.probabilities - alpha * cosines.amax(2)  # (sources, k)
    return objective.masked_fill(~choices.is_allowed, NEG_INF)
