"""A run is a folder: what was asked, what came of it, and the trained model. Knows nothing of queues or screens."""

from s2s.runs.decoded import Decoded, DecodedHypothesis
from s2s.runs.listing import RunSummary
from s2s.runs.metrics import Curves, Metrics
from s2s.runs.run import ForcedTarget, Run, load
from s2s.runs.store import RunFolder

__all__ = [
    "Curves",
    "Decoded",
    "DecodedHypothesis",
    "ForcedTarget",
    "Metrics",
    "Run",
    "RunFolder",
    "RunSummary",
    "load",
]
