"""Greedy search."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import torch

from s2s.decode.prefixes import begin, forced, highest, normaliser
from s2s.decode.rules import NEVER, Rulebook, Rules
from s2s.decode.stepper import IDS, Found, Hypothesis, Kept, Stepper, Words


@dataclass(frozen=True)
class Greedy(Rules):
    """Settings of greedy search."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_returned(1, "greedy finds")


@torch.inference_mode()
def greedy(stepper: Stepper, config: Greedy, words: Words = IDS) -> list[Found]:
    """The most probable token at each step; ties go to the lower id. One hypothesis a source; its score is its log-probability."""
    book = Rulebook(config, stepper, words)
    prefixes = begin(stepper, book)
    opened = [forced(prefixes, row) for row in range(stepper.n_rows)]
    written = [list(zip(*pair, strict=True)) for pair in zip(prefixes.ids[:, 1:].tolist(), prefixes.log_probs.tolist(), strict=True)]
    alive = list(range(stepper.n_rows))
    while alive:
        logits = stepper.step(prefixes.last)
        norms = normaliser(logits)
        scores = logits if book.is_idle else book.apply(logits.clone(), prefixes.ids, alive)
        tops, tokens = highest(scores)
        if not book.is_idle:
            tokens = tokens.masked_fill(tops.eq(NEVER), stepper.eos_id)  # where nothing is allowed
        values = (logits.gather(1, tokens[:, None]) - norms)[:, 0]
        for sentence, token, value in zip(alive, tokens.tolist(), values.tolist(), strict=True):
            written[sentence].append((token, value))
        prefixes = prefixes.grow(tokens, values)
        if prefixes.length == book.limit:
            break
        going = tokens.ne(stepper.eos_id).nonzero()[:, 0]
        if len(going) < len(alive):
            alive, prefixes = [alive[row] for row in going.tolist()], prefixes.take(going)
            if alive:
                stepper.reorder(going)
    return [_found(steps, first, stepper.eos_id) for steps, first in zip(written, opened, strict=True)]


def _found(steps: list[tuple[int, float]], opened: tuple[tuple[Kept, ...], ...], eos_id: int) -> Found:
    ids, values = tuple(token for token, _ in steps), tuple(value for _, value in steps)
    totals = itertools.accumulate(values)
    records = [(Kept(0, token, total, token == eos_id),) for token, total in zip(ids, totals, strict=True)]
    return Found((Hypothesis(ids, values, sum(values)),), (*opened, *records[len(opened) :]))
