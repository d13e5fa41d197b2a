"""What a search returns: hypotheses, and the record of its steps."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from s2s.config import shortened

LONGEST_SHOWN = 60  # characters of ids in a repr


@dataclass(frozen=True)
class Hypothesis:
    """A target that a search returns, with its log-probabilities and score."""

    ids: tuple[int, ...]  # ends in the eos id, unless the length limit truncated it
    token_log_probs: tuple[float, ...]  # the model's own, in nats, one per token
    score: float  # what the strategy ranks by

    def __repr__(self) -> str:
        """In a line: the first ids and the scores."""
        ids = shortened(", ".join(map(str, self.ids[:LONGEST_SHOWN])), LONGEST_SHOWN)
        return f"Hypothesis(ids ({ids}), log_prob {self.log_prob:.3f}, score {self.score:.3f})"

    @property
    def log_prob(self) -> float:
        """The model's own log-probability of the ids, in nats."""
        return sum(self.token_log_probs)


class StepRecord(NamedTuple):
    """A prefix that a strategy kept at one step."""

    parent: int  # which unfinished prefix of the step before it continues
    token: int
    log_prob: float  # of the whole prefix, in nats: the model's own sum
    # the same with what processors, temperature and penalties changed: what the strategy ranks unfinished prefixes by
    total: float
    is_finished: bool


Steps = tuple[tuple[StepRecord, ...], ...]


@dataclass(frozen=True)
class SearchResult:
    """The hypotheses that a search found for one source, and the record of its steps."""

    hypotheses: tuple[Hypothesis, ...]  # best first
    steps: Steps = ()  # one per token; those of a forced prefix come first

    def __repr__(self) -> str:
        """In a line: how many hypotheses and steps it has."""
        return f"SearchResult({len(self.hypotheses):,} hypotheses, {len(self.steps):,} steps)"

    @property
    def best(self) -> Hypothesis:
        """The first hypothesis."""
        return self.hypotheses[0]


def path_records(
    ids: Sequence[int], token_log_probs: Sequence[float], *, eos_id: int | None, n_forced: int = 0
) -> Steps:
    """The steps of a search that keeps one prefix; an eos id among the first `n_forced` tokens does not finish it."""
    steps = []
    sums = itertools.accumulate(token_log_probs)
    for step, (token, log_prob) in enumerate(zip(ids, sums, strict=True)):
        is_finished = token == eos_id and step >= n_forced
        record = StepRecord(0, token, log_prob, log_prob, is_finished)
        steps.append((record,))
    return tuple(steps)
