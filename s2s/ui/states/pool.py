"""The sentences that a sentence's states are compared with, and their index; shared between visitors."""

from __future__ import annotations

import time
from dataclasses import dataclass

from s2s.library import sharing
from s2s.questions import Pool, PoolOf
from s2s.runs import Run, RunKey
from s2s.runs import states as run_states
from s2s.ui.kit import cached


@dataclass(frozen=True)
class PoolIndex:
    """The states of a pool, and the seconds that reading it took."""

    states: run_states.StateIndex
    seconds: float


def pool(run: Run) -> Pool:
    """The sentences that a run's states are compared with."""
    return cached.SCREEN.answer(PoolOf(cached.named(run)))


def pool_index(run: Run) -> PoolIndex:
    """Every word and sentence of the pool, after every layer of the encoder."""
    return _pool_index(run.key, sharing.may_see_data(run.folder), run)


@cached.shared(max_entries=4, show_spinner="Reading many sentences with this model …")
def _pool_index(key: RunKey, may_see: bool, _run: Run) -> PoolIndex:
    start = time.perf_counter()
    found = run_states.state_index(_run, pool(_run).texts)
    return PoolIndex(found, time.perf_counter() - start)
