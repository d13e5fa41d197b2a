"""The learning rate of each step."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType

from s2s.config import Choice, TrainConfig

Schedule = Callable[[int, TrainConfig], float]


def constant(step: int, train: TrainConfig) -> float:
    """1 after warmup."""
    return 1.0


def cosine(step: int, train: TrainConfig) -> float:
    """Half a cosine from 1 after warmup to 0 at the last step, which takes the rate of half a step before its end.

    A rate of 0 would make the last update none.
    """
    left = max(1, train.steps - train.warmup_steps)
    done = max(0, min(step, train.steps - 0.5) - train.warmup_steps) / left
    return 0.5 * (1 + math.cos(math.pi * done))


def inverse_sqrt(step: int, train: TrainConfig) -> float:
    """sqrt(warmup_steps / step): 1 at the end of warmup."""
    return math.sqrt(max(1, train.warmup_steps) / max(step, train.warmup_steps, 1))


SCHEDULES: MappingProxyType[str, Choice[Schedule]] = MappingProxyType(
    {
        "constant": Choice(constant, TrainConfig, "The same rate after warmup."),
        "cosine": Choice(
            cosine,
            TrainConfig,
            "Falls along half a cosine, to almost zero at the last step.",
            "Loshchilov & Hutter 2017, eq. 5",
        ),
        "inverse_sqrt": Choice(
            inverse_sqrt,
            TrainConfig,
            "Falls with the square root of the step.",
            "Vaswani et al. 2017, eq. 3",
        ),
    }
)


def learning_rate(step: int, train: TrainConfig, peak: float | None = None) -> float:
    """The rate of a step, counted from 1: linear warmup to `peak` (by default `train.lr`), then the schedule."""
    if peak is None:
        peak = train.lr
    warm = min(1.0, step / train.warmup_steps) if train.warmup_steps else 1.0
    schedule = SCHEDULES[train.schedule].make
    return peak * warm * schedule(step, train)
