"""The view Distance: what each encoding says about two positions, by the distance between them."""

from __future__ import annotations

import numpy as np
import streamlit as st

from s2s import plots
from s2s.analysis import ByOffset, Matrix
from s2s.analysis import positions as engine
from s2s.config import Positions
from s2s.plots import LineSeries
from s2s.ui.kit import cached, plain
from s2s.ui.positions.figures import (
    N_RANDOM,
    SHIFT,
    learned_table,
    show_figure,
    show_lines,
    sinusoids,
)
from s2s.ui.positions.request import EncodingRequest
from s2s.ui.positions.settings import PositionSettings

MAX_HEADS = 6  # that have a line
VECTORS = {
    "alike": f"{N_RANDOM} random vectors, q = k",
    "unlike": f"{N_RANDOM} random pairs",
    "ones": "query and key all ones",
}


def sinusoidal(request: EncodingRequest) -> None:
    """How similar two positions are: a function of their offset alone."""
    settings = request.settings
    vectors = sinusoids(settings)
    key = (settings.length, settings.d_model, settings.base, settings.layout)
    spread = _show_similarity("Sinusoidal", settings, _similarity(key, settings.measure, vectors))
    depends = (
        "depends only on their offset: pairs with the same offset differ by at most"
        f" {spread:.1g}, which is rounding"
    )
    if settings.d_model % 2:
        depends = (
            "would depend only on their offset, but the last sine of an odd width has no cosine: pairs with the same"
            f" offset differ by up to {spread:.2g}"
        )
    st.caption(
        f"How similar two positions are {depends}. Similarity falls with distance and then oscillates; it is the same"
        " forwards and backwards, so it does not tell the direction."
    )


def learned(request: EncodingRequest) -> None:
    """The same for the run's table, where nothing enforces it."""
    table = learned_table(request)
    if table is None:
        return
    key = (str(request.run.folder.path), request.run.step, len(table))
    similarity = _similarity(key, request.settings.measure, table)
    spread = _show_similarity("Learned", request.settings, similarity)
    st.caption(
        "With learned vectors, similarity need not depend on the offset alone: pairs with the same offset differ by up"
        f" to {spread:.2g} (shaded). A bright band along the diagonal means that neighbors became similar; where"
        " training never reached, everything off the diagonal is as random as at initialization."
    )


@cached.shared(max_entries=12, show_spinner=False)
def _similarity(key: tuple[object, ...], measure: str, _vectors: Matrix) -> tuple[Matrix, ByOffset]:
    """The similarity matrix, downsampled where it is larger than a screen, and a summary of its diagonals."""
    vectors = engine.normalized(_vectors) if measure == "cosine" else _vectors
    few = plots.downsampled(vectors, -(-len(vectors) // plots.MAX_MATRIX_ROWS))
    return engine.similarities(few), engine.by_offset(engine.similarities(vectors))


def _show_similarity(
    name: str, settings: PositionSettings, similarity: tuple[Matrix, ByOffset]
) -> float:
    """Both pictures; returns the widest range at any offset."""
    matrix, offsets = similarity
    measure = {"dot": "dot product", "cosine": "cosine"}[settings.measure]
    n = len(offsets.mean)
    line = LineSeries("mean", np.arange(n), offsets.mean, offsets.low, offsets.high)
    title = f"{name} · {measure} of two positions by their offset"
    show_lines([line], title, "offset", measure)
    step = -(-n // plots.MAX_MATRIX_ROWS)
    cells = f", means of {step} by {step}" if step > 1 else " positions"
    axis = f"position / {step}" if step > 1 else "position"
    title = f"{name} · {measure} of {n} by {n}{cells}"
    figure = plots.matrix(matrix, title=title, x_label=axis, y_label=axis)
    show_figure(figure, title, f"Heatmap: {title}", lambda: plots.matrix_csv(matrix, axis))
    return float((offsets.high - offsets.low).max())


def rotary(request: EncodingRequest) -> None:
    """The dot product of a query and a key by distance."""
    settings = request.settings
    positions = settings.positions("rotary")
    queries, keys = _queries_keys(settings)
    scores = engine.rotary_scores(queries, keys, settings.length, positions)
    shifted = engine.rotary_scores(queries, keys, settings.length, positions, SHIFT)
    mean = scores.mean(0)
    x = np.arange(settings.length)
    line = LineSeries("mean", x, mean)
    if len(scores) > 1:
        deviation = scores.std(0)
        line = LineSeries("mean", x, mean, mean - deviation, mean + deviation)
    title = f"Rotary · q·k / √{settings.d_head} by distance, {VECTORS[settings.vectors]}"
    show_lines([line], title, "positions from key to query", "score")
    st.caption(
        f"The same query and key, farther and farther apart. When both are moved by {SHIFT} positions, no score"
        f" changes by more than {np.abs(shifted - scores).max():.1g}: only the distance counts. Equal vectors match"
        " best nearby, independent ones show no such trend: this is a tendency, not a rule. Shaded: one standard"
        " deviation."
    )


def _queries_keys(settings: PositionSettings) -> tuple[Matrix, Matrix]:
    """Both (pairs, d_head)."""
    if settings.vectors == "ones":
        ones = np.ones((1, settings.d_head), np.float32)
        return ones, ones
    queries = engine.random_vectors(N_RANDOM, settings.d_head, seed=1)
    if settings.vectors == "alike":
        return queries, queries
    return queries, engine.random_vectors(N_RANDOM, settings.d_head, seed=2)


def alibi(request: EncodingRequest) -> None:
    """Slopes by head, and what the penalty leaves of a weight."""
    slopes = engine.slopes(request.settings.heads)
    n = len(slopes)
    line = LineSeries("slope", np.arange(1, n + 1), slopes)
    show_lines([line], f"ALiBi · the slopes of {n} heads", "head", "slope", is_log=True)
    power = 2 ** int(np.log2(n))
    between = ""
    if power < n:
        between = (
            f" {n} is not a power of two: from head {power + 1} on, slopes are every other one of {2 * power} heads, so"
            f" that head {power + 1} has the steepest of all."
        )
    st.caption(
        f"Fixed, not learned: each head subtracts its slope times the distance from the score.{between} Heads with a"
        " steep slope attend to neighbors only, those with a flat one to nearly everything."
    )
    x = np.arange(request.settings.length)
    heads = sorted({int(head) for head in np.linspace(0, n - 1, MAX_HEADS)})
    lines = [LineSeries(f"head {head + 1}", x, np.exp(-slopes[head] * x)) for head in heads]
    title = f"ALiBi · what the penalty leaves of a weight, {len(heads)} of {n} heads"
    show_lines(lines, title, "distance", "share")
    st.caption(
        "If all tokens matched equally well, weights would fall like this. In a trained model, they do not match"
        " equally."
    )


def relative(request: EncodingRequest) -> None:
    """The bucket of every distance, and the run's learned scores."""
    settings = request.settings
    positions = settings.positions("relative")
    x = np.arange(-settings.length + 1, settings.length)
    both = _bucket_line("both directions (encoder)", x, positions, is_causal=False)
    past = _bucket_line("backwards only (decoder)", x, positions, is_causal=True)
    size = f"{settings.buckets} buckets up to distance {settings.max_distance}"
    show_lines(
        [both, past], f"T5 · the bucket of every distance, {size}", "key minus query", "bucket"
    )
    st.caption(
        "Short distances have a bucket each, longer ones share buckets, and all beyond the maximum share one. The"
        " decoder never attends to later tokens and uses all its buckets for earlier ones. A bucket's number has no"
        " meaning; its score is learned."
    )
    _show_learned_scores(request, x)


def _bucket_line(name: str, x: np.ndarray, positions: Positions, *, is_causal: bool) -> LineSeries:
    buckets = engine.buckets(x, positions, is_causal=is_causal)
    return LineSeries(name, x, buckets.astype(np.float32))


def _show_learned_scores(request: EncodingRequest, x: np.ndarray) -> None:
    run = cached.title(request.run.folder.id)
    scores = engine.bucket_scores(request.run.model)  # (buckets, heads)
    if scores is None:
        st.caption(
            f"{plain(run)} has no such scores; a run that has them can be trained under Beyond training length."
        )
        return
    buckets = engine.buckets(x, request.run.recipe.model.positions, is_causal=False)
    heads = range(min(MAX_HEADS, scores.shape[1]))
    lines = [LineSeries(f"head {head + 1}", x, scores[buckets, head]) for head in heads]
    show_lines(
        lines, f"Relative · scores learned by {run}", "key minus query", "added to the score"
    )
    st.caption(
        "From the encoder of the run above: where a line is high, that head prefers tokens at that distance. Long"
        " distances were rarely seen in training."
    )
