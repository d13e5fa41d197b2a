"""Looking inside a model while it works. Arrays out; knows nothing of screens."""

from s2s.analysis.attention import KINDS, Attention, View, reading
from s2s.analysis.trace import Trace, capture

__all__ = ["KINDS", "Attention", "Trace", "View", "capture", "reading"]
