"""Traces of a sentence and experiments on it, shared by all visitors. Nobody may write to these arrays."""

from __future__ import annotations

from s2s.analysis import (
    ForwardTrace,
    LayerTrace,
    WeightUpdate,
    experiments,
    trace_forward,
    weight_update,
)
from s2s.runs import Run
from s2s.ui.kit.cached import by_sentence

N_PADDED = 2  # padding tokens that a longer sentence in the same batch would bring
Ids = tuple[int, ...]


def traced(run: Run, src: Ids, tgt: Ids, layer: int) -> ForwardTrace:
    """One layer, from 0, while the model reads `src` and predicts what follows each of `tgt`."""
    return _traced(str(run.folder.path), run.step, src, tgt, layer, run)


def padded(run: Run, src: Ids, tgt: Ids, layer: int) -> ForwardTrace:
    """The same with padding after the source, as far as the model has positions."""
    longest = run.recipe.model.positions.longest
    room = longest - len(src) if longest else N_PADDED
    padding = [run.recipe.model.ids.pad] * min(N_PADDED, room)
    return traced(run, (*src, *padding), tgt, layer)


def erased(run: Run, src: Ids, tgt: Ids, layer: int, position: int) -> experiments.ErasureEffect:
    """How an encoder layer's outputs change when the input of one position is set to zero."""
    inputs = traced(run, src, tgt, layer).encoder
    return _erased(str(run.folder.path), run.step, src, (layer, position), run, inputs)


def flows(
    run: Run, src: Ids, tgt: Ids
) -> tuple[experiments.GradientFlow, experiments.GradientFlow]:
    """The gradient, layer by layer, of the loss of `tgt`: with the residual connections and without."""
    return _flows(str(run.folder.path), run.step, src, tgt, run)


def update(run: Run, src: Ids, tgt: Ids, rate: float) -> WeightUpdate:
    """One step of gradient descent on the mean loss of `tgt`, in a copy of the model."""
    return _update(str(run.folder.path), run.step, src, tgt, rate, run)


@by_sentence(16)  # megabytes each with a large vocabulary
def _traced(folder: str, step: int, src: Ids, tgt: Ids, layer: int, _run: Run) -> ForwardTrace:
    return trace_forward(_run.model, src, tgt, layer)


@by_sentence(64)
def _erased(
    folder: str, step: int, src: Ids, where: tuple[int, int], _run: Run, _inputs: LayerTrace
) -> experiments.ErasureEffect:
    layer, position = where
    return experiments.erasure_effect(_run.model, _inputs, layer, position)


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
