"""What temperature and each filter would leave of one distribution: the same filters as sampling, laid beside its sorted bars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from types import MappingProxyType

import torch
from torch import Tensor

from s2s.decode.limits import FILTERS, Truncation, truncate


@dataclass(frozen=True)
class Left:
    """What one filter, or several one after the other, leave of a distribution."""

    stays: Tensor  # (vocab,) bool
    n: int  # how many stay
    mass: float  # their probability before the filter
    entropy: float  # of what is left, as one would draw from it; nats
    rank: (
        int | None
    )  # the cut on the bars: after so many of the highest; None where what stays is not the highest ones
    threshold: float | None = (
        None  # the probability below which the filter leaves out; None where it goes by something else
    )


@dataclass(frozen=True)
class Ruler:
    """One distribution over the next token with every filter laid on it."""

    log_probs: Tensor  # (vocab,), nats, over the temperature
    order: Tensor  # (vocab,), token ids, the most probable first; of equal ones the lower id
    entropy: float  # nats
    alone: MappingProxyType[str, Left]  # each filter of FILTERS by itself
    together: Left  # those that are set, one after the other


def measure(log_probs: Tensor, config: Truncation) -> Ruler:
    """Lay the filters of `config` on the model's log-probabilities of one next token, (vocab,)."""
    row = log_probs.float()[None]
    plain = Truncation(temperature=config.temperature)
    warm = truncate(row, plain).log_softmax(1)[0]
    order = warm.sort(descending=True, stable=True).indices
    alone = {name: _left(row, warm, order, _only(config, name)) for name in FILTERS}
    cuts = {
        name: _threshold(name, warm, getattr(config, name))
        for name in alone
        if name in THRESHOLDS and is_set(config, name)
    }
    alone |= {name: Left(**vars(alone[name]) | {"threshold": cut}) for name, cut in cuts.items()}
    return Ruler(
        warm, order, entropy(warm), MappingProxyType(alone), _left(row, warm, order, config)
    )


def is_set(config: Truncation, name: str) -> bool:
    """Whether a filter is not at its default, which keeps everything."""
    return bool(getattr(config, name) != NEUTRAL[name])


def entropy(log_probs: Tensor) -> float:
    """Of a distribution (vocab,) in nats; e to that is how many equally probable tokens would be as uncertain."""
    return max(0.0, float(-(log_probs.exp().double() * log_probs.double()).nansum()))


def _only(config: Truncation, name: str) -> Truncation:
    return Truncation(temperature=config.temperature, **{name: getattr(config, name)})


def _left(row: Tensor, warm: Tensor, order: Tensor, config: Truncation) -> Left:
    scores = truncate(row, config)[0]
    stays = scores.isfinite()
    n = int(stays.sum())
    is_top = bool(stays[order[:n]].all())
    return Left(
        stays,
        n,
        float(warm.exp().double()[stays].sum()),
        entropy(scores.log_softmax(0)),
        n if is_top else None,
    )


def _threshold(name: str, warm: Tensor, value: float) -> float:
    return THRESHOLDS[name](warm, value)


def _eta(warm: Tensor, epsilon: float) -> float:
    """Hewitt et al. 2022, eq. 4."""
    return float(min(epsilon, epsilon**0.5 * torch.tensor(-entropy(warm)).exp()))


# The filters that leave out what is less probable than something; the most probable token stays all the same.
THRESHOLDS: MappingProxyType[str, Callable[[Tensor, float], float]] = MappingProxyType(
    {
        "min_p": lambda warm, part: part * float(warm.max().exp()),
        "epsilon_cutoff": lambda warm, epsilon: epsilon,
        "eta_cutoff": _eta,
    }
)
NEUTRAL = MappingProxyType({field.name: field.default for field in fields(Truncation)})
