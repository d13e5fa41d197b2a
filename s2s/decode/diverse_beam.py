"""Diverse beam search: groups of beams, each discouraged from the tokens of the groups before it (Vijayakumar et al.
2018).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from s2s.config import UserError, setting
from s2s.decode.beam import BeamConfig, Candidates, LiveBeams, Propose, best_per_source, search
from s2s.decode.numerics import NEG_INF, topk
from s2s.decode.processors import LogitsProcessors
from s2s.decode.results import SearchResult, Steps
from s2s.decode.stepper import ID_CODEC, Stepper, TextCodec


@dataclass(frozen=True)
class DiverseBeam(BeamConfig):
    """Settings of diverse beam search."""

    num_beams: int = setting(
        6, 1, 100, label="Beams", help="Hypotheses kept at each step, in all groups together."
    )
    num_beam_groups: int = setting(
        3,
        1,
        100,
        label="Beam groups",
        help="Groups that the beams are divided into; 1 is beam search.",
    )
    diversity_penalty: float = setting(
        0.5,
        0.0,
        100.0,
        help="Nats that a token loses for each hypothesis of an earlier group that took it at the same step.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_beams % self.num_beam_groups:
            divisors = [str(n) for n in range(1, self.num_beams + 1) if self.num_beams % n == 0]
            given = f"`num_beam_groups` {self.num_beam_groups} does not divide `num_beams` {self.num_beams}"
            raise UserError(f"{given}; give one of {', '.join(divisors)}.")


@torch.inference_mode()
def diverse_beam(
    stepper: Stepper, config: DiverseBeam, codec: TextCodec = ID_CODEC
) -> list[SearchResult]:
    """Beam search in each group, one group after another at each step; the hypotheses of all groups are ranked
    together.

    A token loses diversity_penalty for each live hypothesis of the earlier groups that has just taken it (Hamming
    diversity, eq. 5). As in transformers before version 5, the scores keep that loss, and a group that is done lowers
    nothing.
    """
    processors = LogitsProcessors(config, stepper, codec)
    groups = config.num_beam_groups
    of_group = replace(
        config, num_beams=config.num_beams // groups, num_beam_groups=1, num_return_sequences=None
    )
    results = search(stepper, of_group, processors, _diverse(config, processors), groups=groups)
    n_forced = len(processors.prefix)
    return [
        _joined(results[first : first + groups], n_forced, config.num_return_sequences)
        for first in range(0, len(results), groups)
    ]


def _diverse(config: DiverseBeam, processors: LogitsProcessors) -> Propose:
    """Proposes to each group the most probable tokens, less what the earlier groups' choices take from them."""
    groups = config.num_beam_groups

    def propose(logits: Tensor, log_sums: Tensor, live: LiveBeams, n: int) -> Candidates:
        """The candidates (sources * groups, n), group after group within each source, as the rows are."""
        beam = live.totals.shape[1]  # of a group
        rows = torch.arange(len(logits)).view(-1, groups, beam)  # (sources, groups, beam)
        sources = [number // groups for number in live.sources[::groups] for _ in range(beam)]
        taken = rows.new_empty(len(rows), 0)
        penalties = logits.new_empty(len(rows), 0)
        proposed = []
        for group in range(groups):
            of_group = rows[:, group].flatten()  # (sources * beam,)
            log_probs = logits[of_group] - log_sums[of_group]  # (sources * beam, vocab)
            scores = processors.apply(log_probs, live.prefixes.ids[of_group], sources)
            _penalize(scores.view(len(rows), beam, -1), taken, penalties)
            top_scores, tokens = topk(scores, n)  # (sources * beam, n) both
            candidates = best_per_source(top_scores, tokens, live.totals[group::groups], n)
            proposed.append(candidates)
            tokens, is_real = _taken(candidates, n // 2, processors.eos_id)
            taken = torch.cat([taken, tokens], 1)  # (sources, tokens of the groups so far)
            penalties = torch.cat([penalties, is_real * config.diversity_penalty], 1)
        # of each part: groups times (sources, n) -> (sources * groups, n)
        parts = zip(*proposed, strict=True)  # totals, parents, tokens
        return Candidates(*(torch.stack(part, 1).flatten(0, 1) for part in parts))

    return propose


def _penalize(scores: Tensor, tokens: Tensor, penalties: Tensor) -> None:
    """Subtract the penalties of some tokens, (sources, m) both, from all rows of a source, (sources, beam, vocab), in
    place.
    """
    beam = scores.shape[1]
    of_rows = tokens[:, None].expand(-1, beam, -1)  # (sources, m) -> (sources, beam, m)
    losses = penalties[:, None].expand(-1, beam, -1)
    scores.scatter_add_(2, of_rows, -losses)


def _taken(candidates: Candidates, beam: int, eos_id: int) -> tuple[Tensor, Tensor]:
    """The tokens of the candidates that stay live, and whether each is one: (sources, at most beam) both."""
    live = candidates.totals.masked_fill(candidates.tokens.eq(eos_id), NEG_INF)
    totals, indices = live.topk(min(beam, live.shape[1]), 1)
    return candidates.tokens.gather(1, indices), totals.gt(NEG_INF)


def _joined(groups: Sequence[SearchResult], n_forced: int, n_returned: int | None) -> SearchResult:
    """The groups of one source as one result."""
    every = (hypothesis for group in groups for hypothesis in group.hypotheses)
    ranked = sorted(every, key=lambda hypothesis: hypothesis.score, reverse=True)
    forced = groups[0].steps[:n_forced]
    steps = _joined_steps([group.steps[n_forced:] for group in groups])
    return SearchResult(tuple(ranked[:n_returned]), forced + steps)


def _joined_steps(groups: Sequence[Steps]) -> Steps:
    """The steps of all groups; a group's parents are numbered after those of the groups before it."""
    joined = []
    offsets = [0] * len(groups)
    for step in itertools.zip_longest(*groups, fillvalue=()):
        joined_records = []
        next_offsets = []
        n_live = 0  # of this step, in the groups so far
        for offset, records in zip(offsets, step, strict=True):
            next_offsets.append(n_live)
            n_live += sum(not record.is_finished for record in records)
            joined_records += [one._replace(parent=one.parent + offset) for one in records]
        joined.append(tuple(joined_records))
        offsets = next_offsets
    return tuple(joined)
