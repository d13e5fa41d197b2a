"""What interventions on heads change over a sample: translations, losses and scores. Knows nothing of screens."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from s2s.analysis import heads
from s2s.model import inference
from s2s.runs.intervention import Interventions, active
from s2s.runs.run import ROWS, Run


@dataclass(frozen=True)
class TokenChange:
    """A token of the references that occurs `n` times: its mean log-probability, nats, without and with the change."""

    token: str
    n: int
    before: float
    after: float


def forced_with(
    run: Run, sample: Sequence[heads.Batch], change: Interventions
) -> Generator[float, None, list[heads.Floats]]:
    """The log-probability of each token of the targets under teacher forcing, nats: per batch (batch, tgt_len), 0
    where nothing is predicted. Yields the share done.
    """
    found: list[heads.Floats] = []
    for batch in sample:
        with inference(run.model), active(run, change):
            by_token = heads.forced_log_probs(run.model, batch).double().cpu().numpy()
        found.append(by_token)
        yield len(found) / len(sample)
    return found


def translated_with(
    run: Run, sources: Sequence[str], change: Interventions
) -> Generator[float, None, list[str]]:
    """Greedy translations by the changed model, in order. Yields the share done."""
    texts = [""] * len(sources)
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    for start in range(0, len(order), ROWS):
        rows = order[start : start + ROWS]
        with active(run, change):
            found = run.translate([sources[i] for i in rows], "greedy")
        for i, one in zip(rows, found, strict=True):
            texts[i] = one.text
        yield min(1.0, (start + ROWS) / len(order))
    return texts


def by_sentence(sample: Sequence[heads.Batch], by_token: Sequence[heads.Floats]) -> heads.Floats:
    """The log-probability of each target, nats: sums over the tokens of `forced_with`, (sentences,)."""
    sums = np.zeros(sum(len(batch.rows) for batch in sample))
    for batch, values in zip(sample, by_token, strict=True):
        sums[batch.rows] = values.sum(1)
    return sums


def token_changes(
    run: Run,
    sample: Sequence[heads.Batch],
    before: Sequence[heads.Floats],
    after: Sequence[heads.Floats],
    most: int,
) -> list[TokenChange]:
    """The tokens whose log-probabilities change most in sum, the largest loss first; at most so many."""
    sums = np.zeros((run.tgt_tokenizer.vocab_size, 3))  # count, before, after
    for batch, old, new in zip(sample, before, after, strict=True):
        is_predicted = heads.is_predicted(run.model, batch).cpu().numpy()
        ids = batch.tgt[:, 1:].cpu().numpy()[is_predicted]
        ones = np.ones(len(ids))
        np.add.at(sums, ids, np.stack([ones, old[is_predicted], new[is_predicted]], 1))
    change = sums[:, 2] - sums[:, 1]
    rows = [row for row in np.argsort(-np.abs(change), kind="stable")[:most] if sums[row, 0]]
    rows.sort(key=lambda row: change[row])
    return [
        TokenChange(name, int(n), before / n, after / n)
        for name, (n, before, after) in zip(
            run.tgt_tokenizer.tokens([int(row) for row in rows]), sums[rows].tolist(), strict=True
        )
    ]
