"""Which of the next tokens may be drawn: what remains is exactly what transformers' warpers leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

import numpy as np
import torch
from torch import Tensor

from s2s.config import UserError, setting
from s2s.decode.prefixes import best
from s2s.decode.rules import NEVER, Rules

MOST_BY_ENTROPY = 100  # tokens that top-h looks at: transformers' cap
LOW_BITS = np.int64(0xFFFFFFFF)


@dataclass(frozen=True)
class Heat(Rules):
    """Settings of everything that draws."""

    temperature: float = setting(
        1.0,
        0.01,
        100.0,
        help="What logits are divided by: below 1 favours what is probable, above 1 evens out.",
    )

    def __post_init__(self) -> None:
        if self.temperature == 0 and not isinstance(self.temperature, bool):
            raise UserError(
                "`temperature` 0 leaves nothing to draw; take the strategy `greedy`, or give a number between 0.01 and 100."
            )
        super().__post_init__()


@dataclass(frozen=True)
class Truncation(Heat):
    """Settings that leave out tokens before one is drawn; they apply one after the other, in this order."""

    top_h: float | None = setting(
        None,
        0.001,
        1.0,
        label="Top-H",
        help="Keep the likeliest while their entropy is at most this part of all (Potraghloo et al. 2025); empty: all.",
    )
    top_k: int = setting(
        0,
        0,
        100_000,
        label="Top-k",
        help="Keep so many of the likeliest tokens (Fan et al. 2018); 0 keeps all.",
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
        help="Keep what has this part of the likeliest token's probability (Nguyen et al. 2024).",
    )
    typical_p: float = setting(
        1.0,
        0.001,
        1.0,
        label="Typical-p",
        help="Keep those nearest to the expected surprise that have this probability together (Meister et al. 2022).",
    )
    epsilon_cutoff: float = setting(
        0.0, 0.0, 0.999, help="Leave out what is less probable than this (Hewitt et al. 2022)."
    )
    eta_cutoff: float = setting(
        0.0,
        0.0,
        0.999,
        help="The same, and less strict where many tokens are likely (Hewitt et al. 2022).",
    )


def truncate(scores: Tensor, config: Truncation, keep: int = 1) -> Tensor:
    """Logits or log-probabilities (rows, vocab) -> the same with -inf for what may not be drawn, over the temperature.

    At least `keep` tokens stay (of top_h one): 1 for samples, 2 for beams, so that one goes on beside an end. The scores given stay
    as they are.
    """
    if config.temperature != 1.0:
        scores = scores / config.temperature
    for name, value in _chosen(config).items():
        scores = scores.masked_fill(FILTERS[name](scores, value, keep), NEVER)
    return scores


def _chosen(config: Truncation) -> Mapping[str, float]:
    """The filters that are not at their default, which keeps everything."""
    neutral = {field.name: field.default for field in fields(Truncation)}
    return {name: value for name in FILTERS if (value := getattr(config, name)) != neutral[name]}


def _top_h(scores: Tensor, part: float, keep: int) -> Tensor:
    top, places = scores.topk(min(MOST_BY_ENTROPY, scores.shape[1]), 1)
    probs = (top - top.logsumexp(1, keepdim=True)).softmax(1)
    terms = (
        -probs * probs.log()
    )  # not a number where nothing is left of the probability: no comparison holds
    stays = terms.cumsum(1) <= _entropy(top) * part
    stays[:, 0] = True
    return torch.ones_like(scores, dtype=torch.bool).scatter(1, places, ~stays)


def _top_k(scores: Tensor, k: float, keep: int) -> Tensor:
    return scores < _nth(scores, max(int(k), keep))


def _top_p(scores: Tensor, mass: float, keep: int) -> Tensor:
    """From the least likely up, what has 1 - mass together; equal scores at the border go as transformers' sort has them."""
    held = torch.from_numpy(np.sort(scores.numpy(), 1))
    n_cut = _cut_below(held, mass, keep)
    n_cut, border = n_cut.clamp(max=held.shape[1] - 1), n_cut.clamp(min=1) - 1
    lowest = held.gather(1, n_cut)
    if bool((lowest.eq(held.gather(1, border)) & n_cut.ne(border) & lowest.gt(NEVER)).any()):
        held, order = scores.sort(dim=1)
        ranks = torch.arange(held.shape[1]).expand_as(order)
        return torch.zeros_like(scores, dtype=torch.bool).scatter(
            1, order, ranks < _cut_below(held, mass, keep)
        )
    return scores < lowest


def _cut_below(ascending: Tensor, mass: float, keep: int) -> Tensor:
    """How many of the lowest go: (rows, 1)."""
    goes = ascending.softmax(1).cumsum(1) <= 1 - mass
    goes[:, -keep:] = False
    return goes.sum(1, keepdim=True)


def _min_p(scores: Tensor, part: float, keep: int) -> Tensor:
    probs = scores.softmax(1)
    cut = probs < part * probs.amax(1, keepdim=True)
    return (
        cut
        if keep == 1
        else cut.scatter(1, probs.topk(min(keep, probs.shape[1]), 1).indices, False)
    )


def _typical_p(scores: Tensor, mass: float, keep: int) -> Tensor:
    log_probs = scores.log_softmax(1)
    entropy = -(log_probs * log_probs.exp()).nansum(1, keepdim=True)
    strangeness = (-log_probs - entropy).abs()
    order = _ascending(strangeness)
    sums = scores.gather(1, order).softmax(1).cumsum(1)
    last = (sums < mass).sum(1, keepdim=True).clamp_(max=scores.shape[1] - 1)
    cut = strangeness > strangeness.gather(1, order.gather(1, last))
    return cut if keep == 1 else cut.scatter(1, strangeness.sort(dim=1).indices[:, :keep], False)


def _epsilon_cutoff(scores: Tensor, epsilon: float, keep: int) -> Tensor:
    return (scores.softmax(1) < epsilon) & (scores < _nth(scores, keep))


def _eta_cutoff(scores: Tensor, epsilon: float, keep: int) -> Tensor:
    at_most = torch.tensor(epsilon)
    eta = torch.min(at_most, at_most.sqrt() * (-_entropy(scores)).exp())
    return (scores.softmax(1) < eta) & (scores < _nth(scores, keep))


# Scores, the setting, how many stay at least -> what goes (rows, vocab). In the order in which `generate` of transformers has them.
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
    return scores.amax(1, keepdim=True) if n == 1 else best(scores, n)[0][:, -1:]


def _entropy(scores: Tensor) -> Tensor:
    """Nats, (rows, 1)."""
    log_probs = scores - scores.logsumexp(1, keepdim=True)
    return -(log_probs.clamp(min=torch.finfo(scores.dtype).min) * log_probs.softmax(1)).sum(
        1, keepdim=True
    )


def _ascending(values: Tensor) -> Tensor:
    """Where the values (rows, n), 0 or more, stand from the lowest to the highest: a third of a sort's time.

    Bits of positive floats sort as the floats do, so value and place go into one number.
    """
    bits = values.numpy().view(np.int32).astype(np.int64) << 32
    packed = bits | np.arange(values.shape[1])
    packed.sort(1)
    return torch.from_numpy(packed & LOW_BITS)
