"""What visitors share of the Walkthrough: a sentence taken apart, and the experiments on it. Nobody may write to these arrays."""

from __future__ import annotations

import streamlit as st

from s2s.analysis import ForwardTrace, LayerTrace, experiments, trace_forward
from s2s.runs import Run

N_PADDED = 2  # places that a longer sentence in the same batch would bring
Ids = tuple[int, ...]


def dissected(run: Run, src: Ids, tgt: Ids, layer: int) -> ForwardTrace:
    """One layer, from 0, while the model reads `src` and is made to write what follows `tgt[0]`."""
    return _dissected(str(run.folder.path), run.step, src, tgt, layer, run)


def padded(run: Run, src: Ids, tgt: Ids, layer: int) -> ForwardTrace:
    """The same with padding behind the source, as far as the model has positions."""
    longest = run.recipe.model.positions.longest
    room = longest - len(src) if longest else N_PADDED
    return dissected(run, (*src, *[run.recipe.model.ids.pad] * min(N_PADDED, room)), tgt, layer)


def erased(run: Run, src: Ids, tgt: Ids, layer: int, position: int) -> experiments.ErasureEffect:
    """What becomes of the encoder layer's outputs when one position's input is erased."""
    seen = dissected(run, src, tgt, layer).encoder
    return _erased(str(run.folder.path), run.step, src, (layer, position), run, seen)


def flows(
    run: Run, src: Ids, tgt: Ids
) -> tuple[experiments.GradientFlow, experiments.GradientFlow]:
    """The gradient by layer of the loss of `tgt[1:]`: as the model is, and without its residual connections."""
    return _flows(str(run.folder.path), run.step, src, tgt, run)


@st.cache_resource(
    max_entries=16, show_spinner=False
)  # some megabytes each where the vocabulary is large
def _dissected(folder: str, step: int, src: Ids, tgt: Ids, layer: int, _run: Run) -> ForwardTrace:
    return trace_forward(_run.model, src, tgt, layer)


@st.cache_resource(max_entries=64, show_spinner=False)
def _erased(
    folder: str, step: int, src: Ids, where: tuple[int, int], _run: Run, _seen: LayerTrace
) -> experiments.ErasureEffect:
    layer, position = where
    return experiments.erasure_effect(_run.model, _seen, layer, position)


@st.cache_resource(max_entries=64, show_spinner="Following the gradient …")
def _flows(
    folder: str, step: int, src: Ids, tgt: Ids, _run: Run
) -> tuple[experiments.GradientFlow, experiments.GradientFlow]:
    kept = experiments.frozen_copy(_run.model)
    cut = experiments.without_residual(_run.model)
    return experiments.gradient_flow(kept, src, tgt), experiments.gradient_flow(cut, src, tgt)
