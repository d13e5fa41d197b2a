"""Every way to decode, one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from s2s.config import Choice, Config, choose, override
from s2s.decode.search import Beam, Greedy, beam, greedy
from s2s.decode.stepper import Found, Stepper

Strategy = Callable[[Stepper, Any], list[Found]]

STRATEGIES: MappingProxyType[str, Choice[Strategy]] = MappingProxyType(
    {
        "greedy": Choice(greedy, Greedy, "Always take the most probable next token."),
        "beam": Choice(beam, Beam, "Keep the num_beams most probable prefixes.", "Graves 2012; Sutskever et al. 2014"),
    }
)


def configure(name: str, knobs: Mapping[str, Any]) -> tuple[Strategy, Config]:
    """A strategy and its settings; raises UserError for an unknown name, knob or value."""
    row = choose("strategy", name, STRATEGIES)
    return row.make, override(row.config(), knobs)
