"""At which length penalty another finished hypothesis becomes the first: exact, nothing is decoded again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from s2s.config import override, settings_of
from s2s.decode.beam import BeamConfig

DIGITS = 2  # decimals of a penalty on the screen


class EndedHypothesis(NamedTuple):
    """A finished hypothesis, as far as its score depends on it."""

    total: float  # log-probability as the strategy counts it, nats
    length: int  # tokens, `</s>` included


class NewFirst(NamedTuple):
    """A length penalty, and which hypothesis is the first there."""

    penalty: (
        float  # rounded to DIGITS away from the search's own penalty: the hypothesis is first there
    )
    hypothesis: int  # its index
    stays: bool  # whether it is first from there to the end of the setting's range


def new_firsts(config: BeamConfig, ended: Sequence[EndedHypothesis]) -> list[NewFirst]:
    """The nearest lower, then the nearest higher penalty at which another hypothesis is first, if there are such.

    A score is total / base^penalty, so log(-score) = log(-total) - penalty * log(base) is a line in the penalty: two
    lines cross once.
    """
    if not ended:
        return []
    row = settings_of(BeamConfig)["length_penalty"]
    found = (_nearest(config, ended, float(limit)) for limit in (row.low or 0, row.high or 0))
    return [one for one in found if one]


def _nearest(config: BeamConfig, ended: Sequence[EndedHypothesis], limit: float) -> NewFirst | None:
    """The first change between the search's penalty and `limit`."""
    own = config.length_penalty
    before = first_at(config, own, ended)
    crossings = (_crossing(config, ended[before], one) for one in ended)
    between = [
        at for at in crossings if at is not None and min(own, limit) <= at <= max(own, limit)
    ]
    for at in sorted(between, key=lambda at: abs(at - own)):
        outward = math.ceil if limit > own else math.floor
        penalty = outward(at * 10**DIGITS) / 10**DIGITS
        first = first_at(config, penalty, ended)
        if first != before and abs(penalty) <= abs(limit):
            return NewFirst(penalty, first, first == first_at(config, limit, ended))
    return None


def first_at(config: BeamConfig, penalty: float, ended: Sequence[EndedHypothesis]) -> int:
    """The index of the first hypothesis at a penalty; of equal ones the one that comes first."""
    other = override(config, {"length_penalty": penalty})
    return max(range(len(ended)), key=lambda i: other.score(*ended[i]))


def _crossing(config: BeamConfig, one: EndedHypothesis, other: EndedHypothesis) -> float | None:
    """The penalty at which both have the same score; None where there is none, or for any."""
    if one.length == other.length or max(one.total, other.total) >= 0:
        return None
    bases = (
        1.0 / override(config, {"length_penalty": 1.0}).score(1.0, each.length)
        for each in (one, other)
    )
    base, other_base = bases
    return math.log(one.total / other.total) / math.log(base / other_base)
