"""Search error or model error: which of the two explains a translation. Knows nothing of models or screens."""

from __future__ import annotations

import math
from dataclasses import dataclass

ROUNDING = 1e-3  # nats: float32 sums, cached or not, differ by less


@dataclass(frozen=True)
class SearchDiagnosis:
    """The scores of three targets of one source, for a diagnosis: the log-probability in nats, or what the search
    maximized.

    If the model gives the reference more than the written text, the search failed to find a text that the model
    prefers. If it gives it less, no search could have helped: the model prefers another text (Stahlberg & Byrne 2019,
    "On NMT Search Errors and Model Errors"). A wide beam's more probable text shows a search error in either case.
    """

    reference: float
    written: float
    wide: float  # the text that a wide beam finds
    is_right: bool  # the written text is the reference
    rounding: float = ROUNDING  # in the unit of the score

    @property
    def kind(self) -> str:
        if self.is_right:
            return "none"
        return "search" if self.reference > self.written + self.rounding else "model"

    @property
    def is_missed(self) -> bool:
        """Whether the wide beam finds a more probable text than the written one: a search error in any case."""
        return self.wide > self.written + self.rounding

    @property
    def is_beyond(self) -> bool:
        """Whether even the wide beam's text is less probable than the reference."""
        return self.reference > self.wide + self.rounding


def probability_ratio(log_prob: float, other: float) -> float:
    """How many times more probable a text of the first log-probability is; infinite where that overflows a float.

    >>> round(probability_ratio(-1.0, -3.0), 2)
    7.39
    """
    difference = log_prob - other
    return math.exp(difference) if difference < 700 else math.inf
