"""Greedy search."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import torch

from s2s.decode.prefixes import begin, forced, highest, normaliser
from s2s.decode.rules import Rulebook, Rules
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
    written = [
        list(zip(*pair, strict=True))
        for pair in zip(prefixes.ids[:, 1:].tolist(), prefixes.log_probs.tolist(), strict=True)
    ]
    alive = list(range(stepper.n_rows))
    tokens = prefixes.last
    ids = prefixes.ids
    for _ in range(prefixes.length, book.limit):
        logits = stepper.step(tokens)
        norms = normaliser(logits)
        values, tokens = highest(logits if book.is_idle else book.apply(logits.clone(), ids, alive))
        if not book.is_idle:
            ids = torch.cat([ids, tokens[:, None]], 1)
            values = logits.gather(1, tokens[:, None])[:, 0]
        values = values - norms[:, 0]
        now = tokens.tolist()
        for sentence, token, value in zip(alive, now, values.tolist(), strict=True):
            written[sentence].append((token, value))
        going = [row for row, token in enumerate(now) if token != stepper.eos_id]
        if not going:
            break
        if len(going) < len(alive):
            rows = torch.tensor(going, device=tokens.device)
            alive = [alive[row] for row in going]
            tokens = tokens[rows]
            ids = ids[rows] if not book.is_idle else ids
            stepper.reorder(rows)
    return [
        _found(steps, first, stepper.eos_id) for steps, first in zip(written, opened, strict=True)
    ]


def _found(
    steps: list[tuple[int, float]], opened: tuple[tuple[Kept, ...], ...], eos_id: int
) -> Found:
    ids = tuple(token for token, _ in steps)
    values = tuple(value for _, value in steps)
    totals = itertools.accumulate(values)
    records = [
        (Kept(0, token, total, token == eos_id),) for token, total in zip(ids, totals, strict=True)
    ]
    return Found((Hypothesis(ids, values, sum(values)),), (*opened, *records[len(opened) :]))
