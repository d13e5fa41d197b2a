"""The learning rate of each step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType

from s2s.config import Choice, TrainConfig
from s2s.training.events import Planned

Schedule = Callable[[float, TrainConfig], float]


def constant(step: float, train: TrainConfig) -> float:
    """The constant schedule: a factor of 1 after warmup."""
    return 1.0


def cosine(step: float, train: TrainConfig) -> float:
    """The cosine schedule: half a cosine from 1 after warmup to 0 at the last step, which takes the rate of half a step
    before its end.

    A rate of 0 would make the last update none.
    """
    left = max(1, train.steps - train.warmup_steps)
    done = max(0, min(step, train.steps - 0.5) - train.warmup_steps) / left
    return 0.5 * (1 + math.cos(math.pi * done))


def inverse_sqrt(step: float, train: TrainConfig) -> float:
    """The inverse square root schedule: sqrt(warmup_steps / step), 1 at the end of warmup."""
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


def learning_rate(
    step: int, train: TrainConfig, peak: float | None = None, plan: Sequence[Planned] = ()
) -> float:
    """The rate of a step, counted from 1: linear warmup to `peak` (by default `train.lr`), then the schedule.

    With a time budget, `plan` says which last step was planned, and from which step on. Adafactor's rate is at most 1 /
    sqrt(step) (Shazeer & Stern 2018).
    """
    if peak is None:
        peak = train.lr
    position: float = step
    if plan:
        position = position_in_plan(step, plan)
        train = replace(train, steps=plan[0].steps)
    warm = min(1.0, position / train.warmup_steps) if train.warmup_steps else 1.0
    schedule = SCHEDULES[train.schedule].make
    rate = peak * warm * schedule(position, train)
    return min(rate, 1 / step**0.5) if train.optimizer.kind == "adafactor" else rate


def position_in_plan(step: int, plan: Sequence[Planned]) -> float:
    """How far a step is in the schedule, in steps of the first plan.

    Each later plan spreads what is left of the schedule evenly over its own steps: the rate never jumps, and the
    schedule ends with the last step of the last plan.
    """
    whole = plan[0].steps
    last = whole
    done = 0  # steps
    position = 0.0
    for change in plan[1:]:
        if change.step > step:
            break
        position += (change.step - 1 - done) * (whole - position) / max(1, last - done)
        done = change.step - 1
        last = change.steps
    return position + (step - done) * (whole - position) / max(1, last - done)
