"""Whether the length penalty decides which of a search's finished hypotheses is the first."""

from __future__ import annotations

from s2s.decode import BeamConfig, EndedHypothesis, first_at, new_firsts
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
    own = config.length_penalty
    ended = ended_hypotheses(config, decoded)
    changed = [one.penalty for one in new_firsts(config, ended) if low <= one.penalty <= high]
    for penalty in sorted([*changed, low, high], key=lambda penalty: abs(penalty - own)):
        if ended and (other := first_at(config, penalty, ended)) != first_at(config, own, ended):
            before = f"At a `length_penalty` of {own:g} the best score has {quoted(decoded.text)}"
            text = quoted(decoded.hypotheses[other].text)
            return True, f"{before}; at {penalty:g}, among the same hypotheses, {text}."
    return False, f"No `length_penalty` from {low:g} to {high:g} changes which text is first."
