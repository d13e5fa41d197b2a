"""The view Rotation: moving by a number of positions rotates every pair of columns by the same angle."""

from __future__ import annotations

import numpy as np
import streamlit as st

from s2s import plots
from s2s.analysis import Matrix
from s2s.analysis import positions as engine
from s2s.ui.positions.figures import (
    N_RANDOM,
    SHIFT,
    chosen_pair,
    rotated_query,
    show_figure,
    sinusoids,
)
from s2s.ui.positions.request import EncodingRequest
from s2s.ui.positions.settings import PositionSettings

ARMS = 3  # angles that are drawn
DEGREES_APART = 110  # between the positions where they start, where there are enough positions


def sinusoidal(request: EncodingRequest) -> None:
    """One pair on its circle, and the identity as a number."""
    settings = request.settings
    vectors = sinusoids(settings)
    width = settings.d_model
    pair = chosen_pair(settings, width)
    sine, cosine = engine.wave_columns(width, settings.layout)[pair]
    _show_circle(vectors[:, [cosine, sine]], settings, width, "Sinusoidal", ("cosine", "sine"))
    error = engine.rotation_error(vectors, settings.offset, settings.positions("sinusoidal"))
    label = f"Largest difference between PE(pos + {settings.offset}) and PE(pos) rotated"
    st.metric(label, f"{error:.1e}")
    odd = " The last sine of an odd width is left out: it has no cosine." if width % 2 else ""
    st.caption(
        f"From any position, moving by {settings.offset} rotates this pair by the same angle, and so do all"
        f" {width // 2} pairs: one matrix maps each of {settings.length - settings.offset} positions to the one"
        f" {settings.offset} later, up to rounding.{odd} A model could use this; the picture does not show that it"
        " does."
    )


def rotary(request: EncodingRequest) -> None:
    """One pair of a query as it rotates."""
    settings = request.settings
    width = settings.d_head
    pair = chosen_pair(settings, width)
    columns = [*engine.wave_columns(width, settings.layout)[pair]]
    axes = ("first column", "second column")
    _show_circle(rotated_query(settings)[:, columns], settings, width, "Rotary", axes)
    at_start = _scores_at(settings, 0)
    later = _scores_at(settings, SHIFT)
    label = f"Largest difference of q·k {settings.offset} apart, at the start and {SHIFT} positions later"
    st.metric(label, f"{np.abs(later - at_start).max():.1e}")
    st.caption(
        "From one position to the next, each pair of a query rotates by the same angle, and so does the key's."
        f" Between a query and a key {settings.offset} positions apart, the angle is therefore always the same, and"
        f" their dot product does not depend on where in the sentence they are. The number is over {N_RANDOM} random"
        " queries and keys."
    )


def _scores_at(settings: PositionSettings, start: int) -> Matrix:
    """Of random queries and keys `offset` apart: (pairs,)."""
    queries, keys = (engine.random_vectors(N_RANDOM, settings.d_head, seed=seed) for seed in (1, 2))
    positions = settings.positions("rotary")
    return engine.rotary_scores(queries, keys, settings.offset + 1, positions, start)[:, -1]


def _show_circle(
    points: Matrix, settings: PositionSettings, width: int, name: str, axes: tuple[str, str]
) -> None:
    """`points` (positions, 2) of the chosen pair, with angles between positions `offset` apart."""
    pair = chosen_pair(settings, width)
    period = engine.wavelengths(width, settings.base)[pair]
    angle = 360 * settings.offset / period
    last_start = len(points) - 1 - settings.offset
    stride = min(last_start // (ARMS - 1), max(1, round(DEGREES_APART / 360 * period)))
    starts = sorted({arm * stride for arm in range(ARMS)})
    which = f"pair {pair + 1} of {width // 2}"
    title = f"{name} · {which}: {settings.offset} positions later is {angle % 360:.1f}°"
    figure = plots.rotations(points, settings.offset, starts, title=title, axes=axes)
    x, y = points.T
    columns = {"position": np.arange(len(points)), axes[0]: x, axes[1]: y}
    alt = f"Positions of one pair of columns on a circle: {title}"
    show_figure(figure, title, alt, lambda: plots.columns_csv(columns))
