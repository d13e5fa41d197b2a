"""The steps of the Walkthrough, as data, in their order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.ui import (
    walkthrough_attention,
    walkthrough_decoder,
    walkthrough_layer,
    walkthrough_learning,
    walkthrough_reading,
    walkthrough_writing,
)
from s2s.ui.walkthrough import Step

# A slug stands in links, as `step` of `set`: a rename keeps the old one working.
STEPS: Mapping[str, Step] = MappingProxyType(
    {
        **walkthrough_reading.ROWS,
        **walkthrough_attention.ROWS,
        **walkthrough_layer.ROWS,
        **walkthrough_decoder.ROWS,
        **walkthrough_writing.ROWS,
        **walkthrough_learning.ROWS,
    }
)
