"""Traces of a sentence and experiments on it, shared by all visitors. Nobody may write to these arrays."""

from __future__ import annotations

from s2s.analysis import (
    WeightUpdate,
    experiments,
    weight_update,
)
from s2s.runs import Run
from s2s.ui.kit.cached import by_sentence

Ids = tuple[int, ...]


def flows(
    run: Run, src: Ids, tgt: Ids
) -> tuple[experiments.GradientFlow, experiments.GradientFlow]:
    """The gradient, layer by layer, of the loss of `tgt`: with the residual connections and without."""
    return _flows(str(run.folder.path), run.step, src, tgt, run)


def update(run: Run, src: Ids, tgt: Ids, rate: float) -> WeightUpdate:
    """One step of gradient descent on the mean loss of `tgt`, in a copy of the model."""
    return _update(str(run.folder.path), run.step, src, tgt, rate, run)


@by_sentence(64, show_spinner="Computing gradients …")
def _flows(
    folder: str, step: int, src: Ids, tgt: Ids, _run: Run
) -> tuple[experiments.GradientFlow, experiments.GradientFlow]:
    intact = experiments.frozen_copy(_run.model)
    without_residual = experiments.without_residual(_run.model)
    flow = experiments.gradient_flow(intact, src, tgt)
    flow_without = experiments.gradient_flow(without_residual, src, tgt)
    return flow, flow_without


@by_sentence(64, show_spinner="Updating the weights …")
def _update(folder: str, step: int, src: Ids, tgt: Ids, rate: float, _run: Run) -> WeightUpdate:
    return weight_update(_run.model, src, tgt, rate=rate)
