"""Our own trainer, as a peer among peers."""

from __future__ import annotations

from benchmarks.peers import Update
from s2s.config import Recipe, override
from s2s.train import Trainer, TrainingData


def exact(recipe: Recipe, data: TrainingData) -> Update:
    """Matrix products as torch computes them."""
    return _with("exact", recipe, data)


def fast(recipe: Recipe, data: TrainingData) -> Update:
    """Matrix products through oneDNN."""
    return _with("fast", recipe, data)


def _with(precision: str, recipe: Recipe, data: TrainingData) -> Update:
    trainer = Trainer(override(recipe, {"train.precision": precision}), data, None)
    return lambda: trainer.update().n_tokens
