"""States and logit lens of a sentence, shared between visitors."""

from __future__ import annotations

from s2s.analysis import LogitLens, States
from s2s.runs import Run, RunKey, Target
from s2s.runs import states as run_states
from s2s.ui.kit import cached


def states(run: Run, text: str, target: Target) -> States:
    """Raises UserError where the model has no positions for a sentence."""
    return _states(run.key, text, target, run)


# Nobody writes to these arrays, so they are shared, not copied
@cached.by_sentence(64)
def _states(key: RunKey, text: str, target: Target, _run: Run) -> States:
    return _run.states(text, target)


def logit_lens(run: Run, text: str, target: Target) -> LogitLens:
    """What each decoder layer would write."""
    return _logit_lens(run.key, text, target, run)


@cached.by_sentence(64)
def _logit_lens(key: RunKey, text: str, target: Target, _run: Run) -> LogitLens:
    return run_states.logit_lens(_run, states(_run, text, target), target)
