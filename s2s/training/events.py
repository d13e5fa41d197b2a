"""What training reports while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Step:
    """One update of the weights."""

    step: int
    loss: float  # nats per target token, without smoothing
    lr: float
    grad_norm: float
    n_tokens: int  # real source and target tokens of the batch
    seconds: float  # this update's own time


@dataclass(frozen=True)
class Validation:
    """Loss and accuracy on the held-out pairs, teacher-forced."""

    step: int
    loss: float  # nats per target token, without smoothing
    perplexity: float  # exp(loss)
    token_accuracy: float  # share of target tokens that are the most probable
    is_best: bool  # the run gives this checkpoint from now on
    n_averaged: int = 0  # checkpoints in the mean that was validated; 0 for the weights as trained


@dataclass(frozen=True)
class Sample:
    """The current greedy translation of a fixed validation sentence."""

    step: int
    source: str
    reference: str
    text: str


@dataclass(frozen=True)
class Saved:
    """A checkpoint was written."""

    step: int
    path: Path


@dataclass(frozen=True)
class Warned:
    """A warning for people, as one sentence: a checkpoint that could not be read, for example."""

    step: int
    text: str


@dataclass(frozen=True)
class Changed:
    """Somebody changed the learning rate: `lr` is the schedule's highest from this step on."""

    step: int
    lr: float


@dataclass(frozen=True)
class Planned:
    """A training with a time budget has set its last step, from this step on, by how fast it is."""

    step: int
    steps: int  # the last one


Event = Step | Validation | Sample | Saved | Warned | Changed | Planned
