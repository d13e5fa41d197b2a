"""Which of the next tokens may be drawn: temperature and filters, which keep exactly what transformers' logits warpers
keep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

import numpy as np
import torch
from torch import Tensor

from s2s.config import UserError, setting
from s2s.decode.numerics import NEG_INF, topk
from s2s.decode.processors import GenerationConfig

TOP_H_CAP = 100  # tokens that top-h considers: transformers' cap
LOW_BITS = np.int64(0xFFFFFFFF)


@dataclass(frozen=True)
class Temperature(GenerationConfig):
    """Settings of every strategy that draws."""

    temperature: float = setting(
        1.0,
        0.01,
        100.0,
        help="Divides the logits: below 1 favors probable tokens, above 1 evens out.",
    )

    def __post_init__(self) -> None:
        if self.temperature == 0 and not isinstance(self.temperature, bool):
            raise UserError(
                "`temperature` 0 leaves nothing to draw; take the strategy `greedy`, or give a"
                " number between 0.01 and 100."
            )
        super().__post_init__()


@dataclass(frozen=True)
class Truncation(Temperature):
    """Settings that drop tokens before one is drawn; they apply one after another, in this order."""

    top_h: float | None = setting(
        None,
        0.001,
        1.0,
        label="Top-H",
        help="Keep the most probable tokens up to this share of the total entropy (Potraghloo"
        " et al. 2025); empty keeps all.",
    )
    top_k: int = setting(
        0,
        0,
        100_000,
        label="Top-k",
        help="Keep this many of the most probable tokens (Fan et al. 2018); 0 keeps all.",
    )
    top_p: float = setting(
        1.0,
        0.0,
        1.0,
        label="Top-p",
        help="Keep the fewest tokens that have this probability together (Holtzman et al. 2020).",
    )
    min_p: float = setting(
        0.0,
        0.0,
        1.0,
        label="Min-p",
        help="Keep tokens with at least this share of the highest probability (Nguyen et al. 2024).",
    )
    typical_p: float = setting(
        1.0,
        0.001,
        1.0,
        label="Typical-p",
        help="Keep the tokens closest to the expected surprisal that have this probability"
        " together (Meister et al. 2022).",
    )
    epsilon_cutoff: float = setting(
        0.0, 0.0, 0.999, help="Drop tokens less probable than this (Hewitt et al. 2022)."
    )
    eta_cutoff: float = setting(
        0.0,
        0.0,
        0.999,
        help="As epsilon_cutoff, with a lower threshold where the entropy is high (Hewitt et al. 2022).",
    )


def truncate(scores: Tensor, config: Truncation, keep: int = 1) -> Tensor:
    """Logits or log-probabilities (rows, vocab) -> divided by the temperature, with -inf for dropped tokens.

    At least `keep` tokens stay (with top_h, one): 1 for samples, 2 for beams, so that one continues beside `</s>`.
    Leaves the given scores as they are.
    """
    if config.temperature != 1.0:
        scores = scores / config.temperature
    for name, value in _set_filters(config).items():
        scores = scores.masked_fill(FILTERS[name](scores, value, keep), NEG_INF)
    return scores


def _set_filters(config: Truncation) -> Mapping[str, float]:
    """The filters that are not at their default, which keeps everything."""
    defaults = {field.name: field.default for field in fields(Truncation)}
    values = {name: getattr(config, name) for name in FILTERS}
    return {name: value for name, value in values.items() if value != defaults[name]}


def _top_h(scores: Tensor, share: float, keep: int) -> Tensor:
    top, indices = scores.topk(min(TOP_H_CAP, scores.shape[1]), 1)  # (rows, n) both
    probs = (top - top.logsumexp(1, keepdim=True)).softmax(1)
    terms = -probs * probs.log()  # NaN where the probability is 0: no comparison holds
    stays = terms.cumsum(1) <= _entropy(top) * share
    stays[:, 0] = True
    return torch.ones_like(scores, dtype=torch.bool).scatter(1, indices, ~stays)


def _top_k(scores: Tensor, k: float, keep: int) -> Tensor:
    return scores < _nth(scores, max(int(k), keep))


def _top_p(scores: Tensor, mass: float, keep: int) -> Tensor:
    """Drops the least probable tokens that have 1 - mass together; of equal ones at the border, those that torch's sort
    puts first.
    """
    ascending = torch.from_numpy(np.sort(scores.numpy(), 1))
    n_dropped = _n_below(ascending, mass, keep)  # (rows, 1)
    last_dropped = n_dropped.clamp(min=1) - 1
    first_kept = n_dropped.clamp(max=ascending.shape[1] - 1)
    lowest = ascending.gather(1, first_kept)  # (rows, 1)
    is_equal = lowest.eq(ascending.gather(1, last_dropped)) & first_kept.ne(last_dropped)
    if not bool((is_equal & lowest.gt(NEG_INF)).any()):
        return scores < lowest
    ascending, order = scores.sort(dim=1)
    ranks = torch.arange(ascending.shape[1]).expand_as(order)
    is_dropped = ranks < _n_below(ascending, mass, keep)
    return torch.zeros_like(scores, dtype=torch.bool).scatter(1, order, is_dropped)


def _n_below(ascending: Tensor, mass: float, keep: int) -> Tensor:
    """How many of the lowest scores are dropped: (rows, 1)."""
    is_dropped = ascending.softmax(1).cumsum(1) <= 1 - mass
    is_dropped[:, -keep:] = False
    return is_dropped.sum(1, keepdim=True)


def _min_p(scores: Tensor, share: float, keep: int) -> Tensor:
    probs = scores.softmax(1)
    is_dropped = probs < share * probs.amax(1, keepdim=True)
    if keep == 1:
        return is_dropped
    best = probs.topk(min(keep, probs.shape[1]), 1).indices  # (rows, keep)
    return is_dropped.scatter(1, best, False)


def _typical_p(scores: Tensor, mass: float, keep: int) -> Tensor:
    log_probs = scores.log_softmax(1)
    entropy = -(log_probs * log_probs.exp()).nansum(1, keepdim=True)  # (rows, 1)
    distance = (-log_probs - entropy).abs()
    order = _argsort_non_negative(distance)  # (rows, vocab)
    sums = scores.gather(1, order).softmax(1).cumsum(1)
    last = (sums < mass).sum(1, keepdim=True).clamp_(max=scores.shape[1] - 1)  # (rows, 1)
    largest = distance.gather(1, order.gather(1, last))  # (rows, 1)
    is_dropped = distance > largest
    if keep == 1:
        return is_dropped
    nearest = distance.sort(dim=1).indices[:, :keep]  # (rows, keep)
    return is_dropped.scatter(1, nearest, False)


def _epsilon_cutoff(scores: Tensor, epsilon: float, keep: int) -> Tensor:
    return (scores.softmax(1) < epsilon) & (scores < _nth(scores, keep))


def _eta_cutoff(scores: Tensor, epsilon: float, keep: int) -> Tensor:
    limit = torch.tensor(epsilon)
    eta = torch.min(limit, limit.sqrt() * (-_entropy(scores)).exp())  # (rows, 1)
    return (scores.softmax(1) < eta) & (scores < _nth(scores, keep))


# Scores, the setting, how many stay at least -> what is dropped (rows, vocab). In the order of `generate` of
# transformers.
FILTERS: MappingProxyType[str, Callable[[Tensor, float, int], Tensor]] = MappingProxyType(
    {
        "top_h": _top_h,
        "top_k": _top_k,
        "top_p": _top_p,
        "min_p": _min_p,
        "typical_p": _typical_p,
        "epsilon_cutoff": _epsilon_cutoff,
        "eta_cutoff": _eta_cutoff,
    }
)


def _nth(scores: Tensor, n: int) -> Tensor:
    """The nth highest of each row: (rows, 1)."""
    if n == 1:
        return scores.amax(1, keepdim=True)
    highest, _ = topk(scores, n)  # (rows, n)
    return highest[:, -1:]


def _entropy(scores: Tensor) -> Tensor:
    """The entropy of each row in nats, (rows, 1)."""
    log_probs = scores - scores.logsumexp(1, keepdim=True)
    finite = log_probs.clamp(min=torch.finfo(scores.dtype).min)
    return -(finite * log_probs.softmax(1)).sum(1, keepdim=True)


def _argsort_non_negative(values: Tensor) -> Tensor:
    """The indices that sort non-negative values (rows, n), ascending, in a third of a sort's time.

    The bits of positive floats sort as the floats do, so one integer holds value and index.
    """
    bits = values.numpy().view(np.int32).astype(np.int64) << 32
    packed = bits | np.arange(values.shape[1])
    packed.sort(1)
    return torch.from_numpy(packed & LOW_BITS)
