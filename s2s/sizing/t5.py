"""The five sizes of T5 as published."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

T5_SOURCE = "Raffel et al. 2020, section 3.7, Model sizes"


class PublishedSize(NamedTuple):
    """The shape of one size (n_layers per stack) and its number of parameters as the paper words it."""

    d_model: int
    d_ff: int
    n_layers: int
    n_heads: int
    d_head: int
    parameters: str


T5_SIZES: MappingProxyType[str, PublishedSize] = MappingProxyType(
    {
        "t5-small": PublishedSize(512, 2048, 6, 8, 64, "60 million"),
        "t5-base": PublishedSize(768, 3072, 12, 12, 64, "220 million"),
        "t5-large": PublishedSize(1024, 4096, 24, 16, 64, "770 million"),
        "t5-3b": PublishedSize(1024, 16_384, 24, 32, 128, "2.8 billion (named 3B)"),
        "t5-11b": PublishedSize(1024, 65_536, 24, 128, 128, "11 billion"),
    }
)
