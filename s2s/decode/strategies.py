"""Every decoding strategy, one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from s2s.config import Choice, choose, keys, override
from s2s.decode.beam import Beam, beam
from s2s.decode.beam_sample import BeamSample, beam_sample
from s2s.decode.constrained import Constrained, constrained
from s2s.decode.contrastive import Contrastive, contrastive
from s2s.decode.diverse_beam import DiverseBeam, diverse_beam
from s2s.decode.greedy import Greedy, greedy
from s2s.decode.mbr import MBR, mbr
from s2s.decode.processors import GenerationConfig
from s2s.decode.results import SearchResult
from s2s.decode.sampling import Sample, sample
from s2s.decode.stepper import Stepper, TextCodec
from s2s.decode.stochastic_beam import StochasticBeam, stochastic_beam

Strategy = Callable[[Stepper, Any, TextCodec], list[SearchResult]]

# Each summary says what the strategy ranks by: the `.score` of its hypotheses.
STRATEGIES: MappingProxyType[str, Choice[Strategy]] = MappingProxyType(
    {
        "greedy": Choice(
            greedy, Greedy, "Always take the most probable next token. Score: log-probability."
        ),
        "beam": Choice(
            beam,
            Beam,
            "Keep the most probable prefixes, as many as the beam width (num_beams)."
            " Score: log-probability / length^length_penalty.",
            "Graves 2012; Sutskever et al. 2014",
        ),
        "diverse_beam": Choice(
            diverse_beam,
            DiverseBeam,
            "Groups of beams that avoid each other's tokens. Score: as in beam, less the diversity penalty.",
            "Vijayakumar et al. 2018",
        ),
        "sample": Choice(
            sample,
            Sample,
            "Draw each token, from all or from the most probable. Score: log-probability.",
            "Fan et al. 2018; Holtzman et al. 2020",
        ),
        "beam_sample": Choice(
            beam_sample,
            BeamSample,
            "Beam search that draws its continuations. "
            "Score: log-probability after logits processors and temperature / length^length_penalty.",
            "generate of transformers",
        ),
        "stochastic_beam": Choice(
            stochastic_beam,
            StochasticBeam,
            "Draw distinct outputs, as many as the beam width (num_beams). Score: log-probability with Gumbel noise.",
            "Kool et al. 2019",
        ),
        "contrastive": Choice(
            contrastive,
            Contrastive,
            "Take a probable token whose state is unlike those of earlier tokens. "
            "Score: sum of (1 - alpha) * probability - alpha * similarity.",
            "Su et al. 2022",
        ),
        "mbr": Choice(
            mbr,
            MBR,
            "Draw several samples (num_samples) by epsilon sampling and take the one most similar to all of them."
            " Score: its mean utility, 0 to 100.",
            "Kumar & Byrne 2004; Eikema & Aziz 2020; Freitag et al. 2023",
        ),
        "constrained": Choice(
            constrained,
            Constrained,
            "Beam search in which the required words (force_words) must appear."
            " Score: log-probability / length^length_penalty.",
            "Hokamp & Liu 2017; Post & Vilar 2018",
        ),
    }
)


def configure(name: str, settings: Mapping[str, Any]) -> tuple[Strategy, GenerationConfig]:
    """A strategy and its config. Raises UserError for an unknown name, setting or value."""
    row = choose("strategy", name, STRATEGIES)
    config = override(row.config(), settings)
    if not isinstance(config, GenerationConfig):
        raise TypeError(f"the settings of {name} are no GenerationConfig")
    return row.make, config


# Settings by which a published model means another search: contrastive search compares its top-k candidates, and does
# not sample from them.
_OTHERS = MappingProxyType({"contrastive": frozenset({"top_k"})})


def starting_settings(name: str, published: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a published model with which a strategy starts. Raises UserError for an unknown name."""
    known = set(keys(choose("strategy", name, STRATEGIES).config)) - _OTHERS.get(name, frozenset())
    return {key: value for key, value in published.items() if key in known}
