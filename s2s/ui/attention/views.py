"""What draws the tabs of Attention; `plots.views` has their questions and labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from s2s.ui.attention import heatmap, lines
from s2s.ui.attention.asked import Asked

SHOW: Mapping[str, Callable[[Asked], None]] = MappingProxyType(
    {"map": heatmap.show, "lines": lines.show}
)
