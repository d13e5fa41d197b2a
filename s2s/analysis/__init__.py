"""Looking inside a model while it works. Arrays out; knows nothing of screens."""

from s2s.analysis.attention import Attention, reading
from s2s.analysis.trace import Trace, capture

__all__ = ["Attention", "Trace", "capture", "reading"]
