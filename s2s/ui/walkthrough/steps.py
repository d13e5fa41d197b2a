"""The steps of the Walkthrough, as data, in their order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.ui.walkthrough import attention, decoder, input, layer, learning, output
from s2s.ui.walkthrough.request import Step

# A slug stands in links, as `step` of `set`: a rename keeps the old one working.
STEPS: Mapping[str, Step] = MappingProxyType(
    {
        **input.ROWS,
        **attention.ROWS,
        **layer.ROWS,
        **decoder.ROWS,
        **output.ROWS,
        **learning.ROWS,
    }
)
