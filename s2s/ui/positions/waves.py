"""The view Waves: columns of an encoding over the positions, and their wavelengths."""

from __future__ import annotations

import numpy as np
import streamlit as st

from s2s.analysis import Matrix
from s2s.analysis import positions as engine
from s2s.plots import LineSeries
from s2s.ui.positions.figures import (
    chosen_pair,
    learned_table,
    rotated_query,
    show_lines,
    sinusoids,
)
from s2s.ui.positions.request import EncodingRequest
from s2s.ui.positions.settings import PositionSettings

N_LEARNED = 5  # columns of a learned table that are drawn
N_PAIRS = 4  # pairs spread over the width, to compare with the chosen one


def sinusoidal(request: EncodingRequest) -> None:
    """One pair and some others, then the wavelengths of all."""
    settings = request.settings
    names = ("sine", "cosine")
    _show_pair(sinusoids(settings), settings, settings.d_model, "Sinusoidal", names)
    st.caption(
        "Each dimension is one wave. Fast waves distinguish neighbors but soon repeat; slow ones distinguish near"
        " from far. Together, they make every position different. The picture does not show which of them a model"
        " uses."
    )
    _show_wavelengths(settings, settings.d_model, "Sinusoidal")


def rotary(request: EncodingRequest) -> None:
    """The same for a rotated query."""
    settings = request.settings
    names = ("first column", "second column")
    _show_pair(rotated_query(settings), settings, settings.d_head, "Rotary", names)
    st.caption(
        "The two columns of a pair as it rotates: two waves, a quarter of a period apart. Only differences between"
        " angles count."
    )
    _show_wavelengths(settings, settings.d_head, "Rotary")


def learned(request: EncodingRequest) -> None:
    """Some columns of the run's table."""
    table = learned_table(request)
    if table is None:
        return
    width = table.shape[1]
    columns = sorted({int(column) for column in np.linspace(0, width - 1, N_LEARNED)})
    x = np.arange(len(table))
    lines = [LineSeries(f"dimension {column}", x, table[:, column]) for column in columns]
    title = f"Learned · {len(columns)} of {width} dimensions"
    show_lines(lines, title, "position", "value")
    st.caption(
        "These come from no formula and have no wavelength: positions differ from each other, but nothing says which"
        " comes next."
    )


def _show_pair(
    values: Matrix, settings: PositionSettings, width: int, name: str, sides: tuple[str, str]
) -> None:
    """Both columns of the chosen pair, and the first column of a few others."""
    pairs = engine.wave_columns(width, settings.layout)
    chosen = chosen_pair(settings, width)
    periods = engine.wavelengths(width, settings.base)
    x = np.arange(len(values))
    lines = [
        LineSeries(f"pair {chosen + 1}, {side}", x, values[:, column])
        for side, column in zip(sides, pairs[chosen], strict=True)
    ]
    others = {int(pair) for pair in np.linspace(0, len(pairs) - 1, N_PAIRS)} - {chosen}
    for other in sorted(others):
        label = f"pair {other + 1}, period {_rounded(periods[other])}"
        lines.append(LineSeries(label, x, values[:, pairs[other][0]]))
    period = f"a period of {_rounded(periods[chosen])} positions"
    show_lines(lines, f"{name} · pair {chosen + 1} of {len(pairs)}: {period}", "position", "value")


def _show_wavelengths(settings: PositionSettings, width: int, name: str) -> None:
    periods = engine.wavelengths(width, settings.base)
    line = LineSeries("wavelength", np.arange(1, len(periods) + 1), periods.astype(np.float32))
    span = f"{_rounded(periods[0])} to {_rounded(periods[-1])}"
    title = f"{name} · wavelengths from {span} positions"
    show_lines([line], title, "pair", "positions per period", is_log=True)


def _rounded(wavelength: float) -> str:
    """`6.28`, `54,410`."""
    return f"{wavelength:.3g}" if wavelength < 100 else f"{wavelength:,.0f}"
