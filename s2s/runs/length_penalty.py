"""Whether the length penalty decides which of a search's finished hypotheses is the first."""

from __future__ import annotations

from s2s.decode import BeamConfig, EndedHypothesis, new_firsts
from s2s.runs.decoded import Decoded, quoted

RANGE = (0.0, 3.0)  # of penalties


def ended_hypotheses(config: BeamConfig, decoded: Decoded) -> list[EndedHypothesis]:
    """What the scores of a beam search's hypotheses depend on."""
    return [
        EndedHypothesis(one.score / config.score(1.0, len(one.tokens)), len(one.tokens))
        for one in decoded.hypotheses
    ]


def penalty_decides(config: BeamConfig, decoded: Decoded) -> tuple[bool, str]:
    """Whether a penalty of RANGE would put another hypothesis first, and a sentence that says which."""
    low, high = RANGE
    changes = new_firsts(config, ended_hypotheses(config, decoded))
    change = next((one for one in changes if low <= one.penalty <= high), None)
    if change is None:
        return False, f"No `length_penalty` from {low:g} to {high:g} changes which text is first."
    other = quoted(decoded.hypotheses[change.hypothesis].text)
    own = f"At a `length_penalty` of {config.length_penalty:g} the best score has {quoted(decoded.text)}"
    return True, f"{own}; at {change.penalty:g}, among the same hypotheses, {other}."
