"""What search is handed, and what it hands back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor


class Stepper(Protocol):
    """Rows of hypotheses that advance together; at first one row a source."""

    start_id: int
    eos_id: int

    @property
    def n_rows(self) -> int:
        """How many rows there are now."""

    @property
    def max_length(self) -> int | None:
        """Most tokens a hypothesis may have; None = no limit."""

    def step(self, tokens: Tensor) -> Tensor:
        """The last token of each row (rows,) -> log-probabilities of the next in nats (rows, vocab)."""

    def reorder(self, rows: Tensor) -> None:
        """Row i becomes what row `rows[i]` was; `rows` may repeat, drop and permute."""


@dataclass(frozen=True)
class Hypothesis:
    """One found target."""

    ids: tuple[int, ...]  # ends in the eos id, unless the length limit cut it
    token_log_probs: tuple[float, ...]  # nats, one a token
    score: float  # what the strategy ranks by

    @property
    def log_prob(self) -> float:
        """The model's own log-probability of the ids, in nats."""
        return sum(self.token_log_probs)


@dataclass(frozen=True)
class Kept:
    """A prefix that survived a step: which of the step before it continues, with what token."""

    parent: int
    token: int
    log_prob: float  # of the whole prefix, nats
    is_finished: bool


@dataclass(frozen=True)
class Found:
    """What a strategy found for one source."""

    hypotheses: tuple[Hypothesis, ...]  # best first
    steps: tuple[tuple[Kept, ...], ...] = ()

    @property
    def best(self) -> Hypothesis:
        """The first."""
        return self.hypotheses[0]
