"""Search error or model error: which of the two is to blame for a translation. Knows nothing of models or screens."""

from __future__ import annotations

import math
from dataclasses import dataclass

SAME = 1e-3  # nats: a sum of float32, cached or not, differs by less


@dataclass(frozen=True)
class Verdict:
    """Three log-probabilities of one source in nats: the reference's, of what was found, and of what a wide beam found.

    Where the model gives the reference more than what was found, the search failed: it missed a text that the model prefers. Where
    it gives it less, no search could have helped: the model prefers another text (Stahlberg & Byrne 2019, "On NMT Search Errors and
    Model Errors: Cat Got Your Tongue?"). A more probable text than both shows that the search missed one, whichever is better.
    """

    reference: float
    found: float
    wide: float
    is_right: bool  # what was found is the reference

    @property
    def kind(self) -> str:
        """`none`, `search` or `model`."""
        if self.is_right:
            return "none"
        return "search" if self.reference > self.found + SAME else "model"

    @property
    def is_missed(self) -> bool:
        """Whether the wide beam found a text that is more probable than what was found: a search error beside any other."""
        return self.wide > self.found + SAME

    @property
    def is_beyond(self) -> bool:
        """Whether even the wide beam's text is less probable than the reference."""
        return self.reference > self.wide + SAME


def times(one: float, other: float) -> float:
    """How many times more probable one log-probability is than the other; infinite where a float has no room.

    >>> round(times(-1.0, -3.0), 2)
    7.39
    """
    gap = one - other
    return math.exp(gap) if gap < 700 else math.inf
