"""Looking inside a model while it works. Arrays out; knows nothing of screens."""

from s2s.analysis.attention import KINDS, Attention, View, reading
from s2s.analysis.reduce import REDUCTIONS, Picture, Which, reduced
from s2s.analysis.trace import Trace, capture

__all__ = [
    "KINDS",
    "REDUCTIONS",
    "Attention",
    "Picture",
    "Trace",
    "View",
    "Which",
    "capture",
    "reading",
    "reduced",
]
