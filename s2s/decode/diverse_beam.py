"""Diverse beam search: groups of beams, each kept away from what those before it write (Vijayakumar et al. 2018)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from s2s.config import UserError, setting
from s2s.decode.beam import Beams, Candidates, Running, merged, search
from s2s.decode.prefixes import best
from s2s.decode.rules import NEVER, Rulebook
from s2s.decode.stepper import IDS, Found, Kept, Stepper, Words

Steps = Sequence[tuple[Kept, ...]]


@dataclass(frozen=True)
class DiverseBeam(Beams):
    """Settings of diverse beam search."""

    num_beams: int = setting(
        6, 1, 100, label="Beams", help="Prefixes kept at each step, of all groups together."
    )
    num_beam_groups: int = setting(
        3,
        1,
        100,
        label="Beam groups",
        help="Groups that the beams are split into; 1 is beam search.",
    )
    diversity_penalty: float = setting(
        0.5,
        0.0,
        100.0,
        help="Nats that a token loses each time an earlier group takes it at the same step.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_beams % self.num_beam_groups:
            fitting = ", ".join(
                str(n) for n in range(1, self.num_beams + 1) if self.num_beams % n == 0
            )
            given = f"`num_beam_groups` {self.num_beam_groups} does not divide `num_beams` {self.num_beams}"
            raise UserError(f"{given}; give one of {fitting}.")


@torch.inference_mode()
def diverse_beam(stepper: Stepper, config: DiverseBeam, words: Words = IDS) -> list[Found]:
    """Beam search in each group, one after another at each step; the hypotheses of all groups are ranked together.

    A token loses diversity_penalty for each running prefix of the earlier groups that has just taken it (Hamming diversity,
    eq. 5). As in transformers before version 5, the scores keep that loss, and a group that is done lowers nothing.
    """
    book = Rulebook(config, stepper, words)
    groups = config.num_beam_groups
    share = replace(
        config, num_beams=config.num_beams // groups, num_beam_groups=1, num_return_sequences=None
    )
    apart = _Apart(config, book)
    found = search(stepper, share, book, apart.offer, groups=groups)
    parts = [found[start : start + groups] for start in range(0, len(found), groups)]
    return [_together(part, len(book.prefix), config.num_return_sequences) for part in parts]


class _Apart:
    """Offers to each group what is far from the groups before it."""

    def __init__(self, config: DiverseBeam, book: Rulebook) -> None:
        self.book = book
        self.groups = config.num_beam_groups
        self.penalty = config.diversity_penalty

    def offer(self, logits: Tensor, norms: Tensor, running: Running, n: int) -> Candidates:
        """The rows of a source stand together, group after group; so do the candidates: (sources * groups, n)."""
        width = running.totals.shape[1]
        rows = torch.arange(len(logits)).view(-1, self.groups, width)  # (sources, groups, width)
        sources = [
            number // self.groups
            for number in running.sources[:: self.groups]
            for _ in range(width)
        ]
        taken = rows.new_empty(len(rows), 0)
        offered = []
        loss = logits.new_empty(len(rows), 0)
        for group in range(self.groups):
            own = rows[:, group].flatten()
            scores = self.book.apply(logits[own] - norms[own], running.prefixes.ids[own], sources)
            _lower(scores.view(len(rows), width, -1), taken, loss)
            part = merged(*best(scores, n), running.totals[group :: self.groups], n)
            offered.append(part)
            tokens, is_real = _taken(part, n // 2, self.book.eos_id)
            taken = torch.cat([taken, tokens], 1)
            loss = torch.cat([loss, is_real * self.penalty], 1)
        return Candidates(
            *(torch.stack(parts, 1).flatten(0, 1) for parts in zip(*offered, strict=True))
        )


def _lower(scores: Tensor, tokens: Tensor, loss: Tensor) -> None:
    """Take the losses of some tokens (sources, m) both from every row of the source: (sources, width, vocab), written over."""
    shape = (-1, scores.shape[1], -1)
    scores.scatter_add_(2, tokens[:, None].expand(shape), -loss[:, None].expand(shape))


def _taken(offered: Candidates, width: int, eos_id: int) -> tuple[Tensor, Tensor]:
    """The tokens of what goes on, and whether each is one: (sources, at most width) both."""
    left = offered.totals.masked_fill(offered.tokens.eq(eos_id), NEVER)
    totals, places = left.topk(min(width, left.shape[1]), 1)
    return offered.tokens.gather(1, places), totals.gt(NEVER)


def _together(groups: Sequence[Found], n_forced: int, wanted: int | None) -> Found:
    """The groups of one source as one."""
    hypotheses = sorted(
        (each for group in groups for each in group.hypotheses),
        key=lambda each: each.score,
        reverse=True,
    )
    own = [group.steps[n_forced:] for group in groups]
    return Found(tuple(hypotheses[:wanted]), (*groups[0].steps[:n_forced], *_side_by_side(own)))


def _side_by_side(groups: Sequence[Steps]) -> list[tuple[Kept, ...]]:
    """Each step of all groups; parents are counted on behind those of the groups before."""
    merged_steps = []
    offsets = [0] * len(groups)
    for step in itertools.zip_longest(*groups, fillvalue=()):
        merged_steps.append(
            tuple(
                kept._replace(parent=kept.parent + at)
                for at, part in zip(offsets, step, strict=True)
                for kept in part
            )
        )
        running = [sum(not kept.is_finished for kept in part) for part in step]
        offsets = [sum(running[:group]) for group in range(len(groups))]
    return merged_steps
