"""The tokens written so far, row by row, and how a search begins."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from s2s.decode.numerics import token_log_probs
from s2s.decode.processors import LogitsProcessors
from s2s.decode.results import Hypothesis, Steps, path_records
from s2s.decode.stepper import Stepper


@dataclass(frozen=True)
class Prefixes:
    """The tokens of each row and the model's own log-probability of each."""

    ids: Tensor  # (rows, 1 + length), the start id first
    log_probs: Tensor  # (rows, length), nats

    @property
    def last(self) -> Tensor:
        """The last token of each row, (rows,): the stepper's next input."""
        return self.ids[:, -1]

    @property
    def length(self) -> int:
        """Tokens written, without the start id."""
        return self.log_probs.shape[1]

    def take(self, rows: Tensor) -> Prefixes:
        """The prefixes of these rows, in this order."""
        ids = self.ids.index_select(0, rows)
        log_probs = self.log_probs.index_select(0, rows)
        return Prefixes(ids, log_probs)

    def append(self, tokens: Tensor, log_probs: Tensor) -> Prefixes:
        """The prefixes with one more token per row: (rows,) and (rows,)."""
        ids = torch.cat([self.ids, tokens[:, None]], 1)  # (rows, 1 + length + 1)
        all_log_probs = torch.cat([self.log_probs, log_probs[:, None]], 1)  # (rows, length + 1)
        return Prefixes(ids, all_log_probs)

    def hypothesis(self, row: int, score: float | None = None) -> Hypothesis:
        """One row as a hypothesis; without a score, its log-probability is the score."""
        ids = tuple(self.ids[row, 1:].tolist())
        log_probs = tuple(self.log_probs[row].tolist())
        if score is None:
            score = sum(log_probs)
        return Hypothesis(ids, log_probs, score)


def start(stepper: Stepper, processors: LogitsProcessors) -> Prefixes:
    """How a search begins: the start id, then the forced prefix with the model's own first token; the stepper has been
    given all but the last token.
    """
    n_rows = stepper.n_rows
    prefixes = Prefixes(torch.full((n_rows, 1), stepper.start_id), torch.zeros(n_rows, 0))
    for token in processors.prefix:
        logits = stepper.step(prefixes.last).cpu()  # (rows, vocab)
        tokens = torch.full((n_rows,), token)
        log_probs = token_log_probs(logits, tokens[:, None])[:, 0]  # (rows,)
        prefixes = prefixes.append(tokens, processors.own(log_probs, prefixes.length))
    return prefixes


def forced_steps(prefixes: Prefixes, row: int) -> Steps:
    """The steps of a forced prefix, which none of its tokens finishes."""
    ids = prefixes.ids[row, 1:].tolist()
    return path_records(ids, prefixes.log_probs[row].tolist(), eos_id=None)
