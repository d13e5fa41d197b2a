"""Positions: how the model knows the order of the tokens. One encoding a module; the rows are `config.POSITION_KINDS`.

Each changes one thing: the token vectors, the queries and keys, or the attention scores.
"""

from __future__ import annotations

import importlib

from s2s.config import POSITION_KINDS, ModelConfig, Stack, choose
from s2s.model.positions.absolute import Absolute, Learned, Sinusoidal, frequencies, sinusoids
from s2s.model.positions.alibi import alibi_slopes
from s2s.model.positions.base import NO_ORDER, Order, Position
from s2s.model.positions.relative import Relative, relative_buckets
from s2s.model.positions.rotary import Rotary


def position_class(kind: str) -> type[Position]:
    """The module that computes an encoding. Raises UserError for an unknown one."""
    module, _, name = choose("position encoding", kind, POSITION_KINDS).code.partition(":")
    found: type[Position] = getattr(importlib.import_module(f"{__name__}.{module}"), name)
    return found


def make_position(config: ModelConfig, stack: Stack, *, is_causal: bool) -> Position:
    """The encoding that the config names, for one stack."""
    return position_class(config.positions.kind)(config, stack, is_causal=is_causal)
