"""How a score came about, in numbers: one function a kind of settings. Knows nothing of tokens or texts."""

from __future__ import annotations

import functools
from types import MappingProxyType

from s2s.config import flat
from s2s.decode.beam import Beams
from s2s.decode.contrastive import Contrastive
from s2s.decode.mbr import MBR
from s2s.decode.rules import Rules
from s2s.decode.stochastic_beam import StochasticBeam

ROUNDING = 5e-4  # nats: sums in float32 differ by less
# At these values they leave log-probabilities as they are.
MOVING = MappingProxyType({"repetition_penalty": 1.0, "temperature": 1.0, "diversity_penalty": 0.0})
UTILITIES = MappingProxyType({"chrf": "chrF", "bleu": "BLEU"})


@functools.singledispatch
def arithmetic(config: Rules, log_prob: float, score: float, length: int) -> str:
    """The sum behind a hypothesis' score, e.g. `−3.2100 / 7^1.0 = −0.4586`.

    `log_prob` in nats is the model's own; `length` counts tokens, `</s>` among them.
    """
    if abs(score - log_prob) < ROUNDING:
        return f"the log-probability itself: {number(score)}"
    return f"{number(score)}, as the strategy ranks"


@arithmetic.register
def _(config: Beams, log_prob: float, score: float, length: int) -> str:
    base, shown = (
        (length, f"{length}")
        if config.length_formula == "power"
        else ((5 + length) / 6, f"((5 + {length}) / 6)")
    )
    gap = score * base**config.length_penalty - log_prob
    power = f"{config.length_penalty:g}".replace("-", "−")
    end = f"/ {shown}^{power} = {number(score)}"
    moved = _moved(config)
    if not moved or abs(gap) < ROUNDING:
        return f"{number(log_prob)} {end}"
    return f"({number(log_prob)} {_signed(gap)}) {end}; the second number is what {moved} changed"


@arithmetic.register
def _(config: StochasticBeam, log_prob: float, score: float, length: int) -> str:
    sum_of = f"{number(log_prob)} {_signed(score - log_prob)} = {number(score)}"
    return f"{sum_of}; the second number is Gumbel noise, and what rules and temperature changed"


@arithmetic.register
def _(config: Contrastive, log_prob: float, score: float, length: int) -> str:
    alpha = f"{config.penalty_alpha:g}"
    return f"the sum over its tokens of (1 − {alpha}) × probability − {alpha} × similarity = {number(score)}"


@arithmetic.register
def _(config: MBR, log_prob: float, score: float, length: int) -> str:
    return f"mean {UTILITIES[config.utility]} beside all {config.num_samples} samples, itself among them = {number(score)} of 100"


def _moved(config: Rules) -> str:
    """The settings that have changed log-probabilities, as words."""
    values = flat(config)
    return " and ".join(
        name for name, neutral in MOVING.items() if values.get(name, neutral) != neutral
    )


def _signed(value: float) -> str:
    """`-0.5` -> `− 0.5000`."""
    return f"{'−' if value < 0 else '+'} {number(abs(value))}"


def number(value: float) -> str:
    """`-0.45857` -> `−0.4586`."""
    return f"{value:.4f}".replace("-", "−")
