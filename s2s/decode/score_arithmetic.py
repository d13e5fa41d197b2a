"""How a score is computed, as a sum in figures: one function per kind of settings. Knows nothing of tokens or texts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MappingProxyType

from s2s.config import flat
from s2s.decode.beam import BeamConfig
from s2s.decode.contrastive import Contrastive
from s2s.decode.filters import Temperature
from s2s.decode.greedy import Greedy
from s2s.decode.mbr import MBR
from s2s.decode.processors import GenerationConfig
from s2s.decode.stochastic_beam import StochasticBeam

ROUNDING = 5e-4  # nats: sums in float32 differ by less
# The settings that change log-probabilities, each at the value that leaves them as they are.
NEUTRAL = MappingProxyType(
    {"repetition_penalty": 1.0, "temperature": 1.0, "diversity_penalty": 0.0}
)
UTILITIES = MappingProxyType({"chrf": "chrF", "bleu": "BLEU"})


@functools.singledispatch
def explain_score(config: GenerationConfig, log_prob: float, score: float, length: int) -> str:
    """The arithmetic of a hypothesis' score, e.g. `−3.2100 / 7 = −0.4586`.

    `log_prob` in nats is the model's own; `length` counts tokens, `</s>` included.
    """
    if abs(score - log_prob) < ROUNDING:
        return f"the log-probability itself: {format_number(score)}"
    return f"{format_number(score)}, as the strategy ranks"


@explain_score.register
def _(config: BeamConfig, log_prob: float, score: float, length: int) -> str:
    is_power = config.length_formula == "power"
    base = length if is_power else (5 + length) / 6
    base_text = f"{length}" if is_power else f"((5 + {length}) / 6)"
    change = score * base**config.length_penalty - log_prob
    division = f"/ {_power(base_text, config.length_penalty)} = {format_number(score)}"
    causes = _causes(config)
    if not causes or abs(change) < ROUNDING:
        return f"{format_number(log_prob)} {division}"
    return f"({format_number(log_prob)} {_signed(change)}) {division}; the second number is what {causes} changed"


@explain_score.register
def _(config: StochasticBeam, log_prob: float, score: float, length: int) -> str:
    total = f"{format_number(log_prob)} {_signed(score - log_prob)} = {format_number(score)}"
    return f"{total}; the second number is Gumbel noise, and what logits processors and temperature changed"


@explain_score.register
def _(config: Contrastive, log_prob: float, score: float, length: int) -> str:
    alpha = f"{config.penalty_alpha:g}"
    term = f"(1 − {alpha}) × probability − {alpha} × similarity"
    return f"the sum over its tokens of {term} = {format_number(score)}"


@explain_score.register
def _(config: MBR, log_prob: float, score: float, length: int) -> str:
    utility = UTILITIES[config.utility]
    mean = f"mean {utility} over all {config.num_samples} samples, itself included"
    return f"{mean} = {format_number(score)} of 100"


@functools.singledispatch
def score_unit(config: GenerationConfig) -> str:
    """What a score of these settings counts, e.g. `nats / length`: scores compare only where this is equal."""
    return "nats"  # of the model itself, whatever decided what is written


@score_unit.register
def _(config: BeamConfig) -> str:
    if not config.length_penalty:
        return f"nats{_changed(config)}"
    base = "length" if config.length_formula == "power" else "((5 + length) / 6)"
    return f"nats / {_power(base, config.length_penalty)}{_changed(config)}"


@score_unit.register
def _(config: StochasticBeam) -> str:
    return f"nats + Gumbel noise{_changed(config)}"


@score_unit.register
def _(config: Contrastive) -> str:
    return "probability less similarity, summed"


@score_unit.register
def _(config: MBR) -> str:
    return f"mean {UTILITIES[config.utility]} over {config.num_samples} samples, 0 to 100"


def _changed(config: GenerationConfig) -> str:
    causes = _causes(config)
    return f", {causes} applied" if causes else ""


def maximized_score(
    config: GenerationConfig,
) -> Callable[[float, int], float] | None:
    """The score that a search maximizes, from any target's log-probability (nats) and length (tokens).

    None where the strategy draws or ranks by something else, so that only the log-probability can be compared.
    """
    if isinstance(config, BeamConfig) and not isinstance(config, Temperature):
        return None if _causes(config) else config.score
    return _log_prob if isinstance(config, Greedy) and not _causes(config) else None


def _log_prob(log_prob: float, length: int) -> float:
    return log_prob


def _causes(config: GenerationConfig) -> str:
    """The settings that have changed log-probabilities."""
    values = flat(config)
    return " and ".join(
        name for name, neutral in NEUTRAL.items() if values.get(name, neutral) != neutral
    )


def _power(base: str, exponent: float) -> str:
    """`length`, 0.5 -> `length^0.5`; an exponent of 1 is not written."""
    return base if exponent == 1 else f"{base}^{exponent:g}".replace("-", "−")


def _signed(value: float) -> str:
    """`-0.5` -> `− 0.5000`."""
    return f"{'−' if value < 0 else '+'} {format_number(abs(value))}"


def format_number(value: float) -> str:
    """`-0.45857` -> `−0.4586`."""
    return f"{value:z.4f}".replace("-", "−")
