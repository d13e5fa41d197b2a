"""The truncation inspector: what temperature and each filter leave of one distribution.

The same filters as in sampling.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from types import MappingProxyType

import torch
from torch import Tensor

from s2s.decode.filters import FILTERS, Truncation, truncate


@dataclass(frozen=True)
class FilterEffect:
    """What one filter, or several one after another, leave of a distribution."""

    stays: Tensor  # (vocab,) bool
    n: int  # how many tokens stay
    mass: float  # their probability before the filter
    entropy: float  # of the renormalized rest, nats
    rank: int | None  # how many of the most probable tokens stay; None where others stay
    # The probability below which tokens are dropped; None where the filter has no such threshold.
    threshold: float | None = None


@dataclass(frozen=True)
class TruncationReport:
    """One distribution over the next token, and the effect of every filter on it."""

    log_probs: Tensor  # (vocab,), nats, after the temperature
    order: Tensor  # (vocab,), token ids, the most probable first; of equal ones the lower id
    entropy: float  # nats
    alone: MappingProxyType[str, FilterEffect]  # each filter of FILTERS alone
    together: FilterEffect  # those that are set, one after another


def inspect_truncation(log_probs: Tensor, config: Truncation) -> TruncationReport:
    """Apply the filters of `config` to the model's log-probabilities of one next token, (vocab,)."""
    row = log_probs.float()[None]  # (1, vocab)
    warm = truncate(row, Truncation(temperature=config.temperature)).log_softmax(1)[0]
    order = warm.sort(descending=True, stable=True).indices
    alone = {name: _effect(row, warm, order, _only(config, name)) for name in FILTERS}
    for name, threshold in THRESHOLDS.items():
        if is_filter_set(config, name):
            value = threshold(warm, getattr(config, name))
            alone[name] = replace(alone[name], threshold=value)
    return TruncationReport(
        log_probs=warm,
        order=order,
        entropy=distribution_entropy(warm),
        alone=MappingProxyType(alone),
        together=_effect(row, warm, order, config),
    )


def is_filter_set(config: Truncation, name: str) -> bool:
    """Whether a filter is not at its default, which keeps everything."""
    return bool(getattr(config, name) != DEFAULTS[name])


def distribution_entropy(log_probs: Tensor) -> float:
    """The entropy of a distribution (vocab,) in nats; exp of it is how many equally probable tokens would be as
    uncertain.
    """
    terms = log_probs.exp().double() * log_probs.double()  # NaN where the probability is 0
    return max(0.0, float(-terms.nansum()))


def _only(config: Truncation, name: str) -> Truncation:
    return Truncation(temperature=config.temperature, **{name: getattr(config, name)})


def _effect(row: Tensor, warm: Tensor, order: Tensor, config: Truncation) -> FilterEffect:
    scores = truncate(row, config)[0]  # (vocab,)
    stays = scores.isfinite()
    n = int(stays.sum())
    probs = warm.exp().double()
    are_highest = bool(stays[order[:n]].all())
    return FilterEffect(
        stays=stays,
        n=n,
        mass=float(probs[stays].sum()),
        entropy=distribution_entropy(scores.log_softmax(0)),
        rank=n if are_highest else None,
    )


def _eta(warm: Tensor, epsilon: float) -> float:
    """The least probability that eta sampling keeps (Hewitt et al. 2022, eq. 4)."""
    return float(min(epsilon, epsilon**0.5 * torch.tensor(-distribution_entropy(warm)).exp()))


# The filters with a threshold of probability; the most probable token stays in any case.
THRESHOLDS: MappingProxyType[str, Callable[[Tensor, float], float]] = MappingProxyType(
    {
        "min_p": lambda warm, share: share * float(warm.max().exp()),
        "epsilon_cutoff": lambda warm, epsilon: epsilon,
        "eta_cutoff": _eta,
    }
)
DEFAULTS = MappingProxyType({field.name: field.default for field in fields(Truncation)})
