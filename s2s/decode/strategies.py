"""Every way to decode, one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from s2s.config import Choice, choose, override
from s2s.decode.beam import Beam, beam
from s2s.decode.greedy import Greedy, greedy
from s2s.decode.rules import Rules
from s2s.decode.stepper import Found, Stepper, Words

Strategy = Callable[[Stepper, Any, Words], list[Found]]

# What each ranks by, the `.score` of its hypotheses, stands in its summary.
STRATEGIES: MappingProxyType[str, Choice[Strategy]] = MappingProxyType(
    {
        "greedy": Choice(greedy, Greedy, "Always take the most probable next token. Score: its log-probability."),
        "beam": Choice(
            beam,
            Beam,
            "Keep the num_beams most probable prefixes. Score: log-probability over length^length_penalty.",
            "Graves 2012; Sutskever et al. 2014",
        ),
    }
)


def configure(name: str, knobs: Mapping[str, Any]) -> tuple[Strategy, Rules]:
    """A strategy and its settings; raises UserError for an unknown name, knob or value."""
    row = choose("strategy", name, STRATEGIES)
    config = override(row.config(), knobs)
    if not isinstance(config, Rules):
        raise TypeError(f"the settings of {name} are no Rules")
    return row.make, config
