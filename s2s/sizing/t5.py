"""T5 as it was published: five sizes of one machine."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

SOURCE = "Raffel et al. 2020, section 3.7, Model sizes"


class Published(NamedTuple):
    """The shape of one size (n_layers: of each stack) and the number of its parameters, in the paper's words."""

    d_model: int
    d_ff: int
    n_layers: int
    n_heads: int
    d_head: int
    parameters: str


PUBLISHED: MappingProxyType[str, Published] = MappingProxyType(
    {
        "t5-small": Published(512, 2048, 6, 8, 64, "60 million"),
        "t5-base": Published(768, 3072, 12, 12, 64, "220 million"),
        "t5-large": Published(1024, 4096, 24, 16, 64, "770 million"),
        "t5-3b": Published(1024, 16_384, 24, 32, 128, "2.8 billion"),
        "t5-11b": Published(1024, 65_536, 24, 128, 128, "11 billion"),
    }
)
