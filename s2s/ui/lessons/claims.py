"""The segment Claims: what papers claim, what was measured of it here, and the views that prove it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from s2s import plots
from s2s.lessons import claims
from s2s.lessons.claims import CLAIMS, Claim, Level, Measured, Picture
from s2s.plots import LineSeries, SweepLine
from s2s.ui.kit import action_button, cached, chart, file_name
from s2s.ui.kit.tables import frame_csv
from s2s.ui.lessons.view_state import STATE
from s2s.ui.shell import page_link

LIVE = "parallel"  # the claim that every server can measure in a moment
HERE = "claims measured here"
MOST_ROWS = 12  # a longer table is folded
SECONDS = 60.0  # for which visitors share what was measured on this server


class LevelLook(NamedTuple):
    """Color and icon of a claim's verdict."""

    label: str
    icon: str
    color: Literal["green", "orange", "red"]


LEVELS: Mapping[Level, LevelLook] = MappingProxyType(
    {
        "holds": LevelLook("holds here", ":material/check_circle:", "green"),
        "partly": LevelLook("holds partly here", ":material/contrast:", "orange"),
        "fails": LevelLook("does not hold here", ":material/cancel:", "red"),
    }
)


def draw() -> None:
    st.caption(
        "Each claim of a paper was measured on small models of this program. What it says of them is computed from the"
        " numbers below it; larger models and other data may differ."
    )
    labels = {id: f"{LEVELS[row.measured.level].icon} {row.title}" for id, row in CLAIMS.items()}
    chosen = STATE.choice("claim", "Claim", labels, widget=st.pills, required=True)
    claim = CLAIMS[chosen]
    with st.container(border=True, key="claim"):
        st.subheader(claim.statement, anchor=False)
        _show(claim, _live(claim.measured) if claim.id == LIVE else claim.measured)


def _show(claim: Claim, measured: Measured) -> None:
    _show_finding(measured)
    picture = measured.picture
    name = file_name(claim.title)
    chart(_figure(picture), alt=f"{picture.title}: {picture.caption}", file_name=name)
    st.caption(picture.caption)
    table = pd.DataFrame(measured.table)
    few = len(table) <= MOST_ROWS
    with st.container() if few else st.expander("All numbers", icon=":material/table_rows:"):
        st.table(table.map(_cell), hide_index=True)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Download data (CSV)",
            frame_csv(table),
            f"{name}.csv",
            "text/csv",
            on_click="ignore",
            icon=":material/download:",
            key=f"download claim {claim.id}",
        )
        st.markdown("**See it alive:**")
        for label, view in claim.proofs:
            page_link(view.page, label, **view.values)
    st.caption(f"**Source.** {claim.source}.\n\n**When it holds.** {claim.criterion}")
    st.caption(f"**How it was measured.** {measured.method}")


def _show_finding(measured: Measured) -> None:
    look = LEVELS[measured.level]
    st.badge(look.label, icon=look.icon, color=look.color)
    st.markdown(measured.finding)
    if "[" in measured.finding:
        st.caption("In brackets: the 95 % interval.")


def _figure(picture: Picture) -> go.Figure:
    if picture.bars:
        series = {one.name: one.y for one in picture.series}
        return plots.bars(picture.bars, series, title=picture.title, x_label=picture.x_label)
    title, x_label, y_label = picture.title, picture.x_label, picture.y_label
    if picture.is_log:
        swept = [SweepLine(*one) for one in picture.series]
        return plots.sweep_curve(swept, title=title, x_label=x_label, y_label=y_label)
    lines = [LineSeries(*one) for one in picture.series]
    return plots.line_chart(lines, title=title, x_label=x_label, y_label=y_label)


def _cell(value: str | float) -> str:
    return f"{value:,g}" if isinstance(value, float) else str(value)


def _live(shipped: Measured) -> Measured:
    click = action_button(
        "Measure on this server", key="measure claim", icon=":material/timer:", type="primary"
    )
    if click.is_waiting:
        st.session_state[HERE] = _measured_here()
        click.done()
    found: Measured = st.session_state.get(HERE, shipped)
    return found


@st.cache_data(max_entries=1, ttl=SECONDS, show_spinner="Encoding sentences of 4 to 128 tokens ...")
def _measured_here() -> Measured:
    return claims.parallel.measure(cached.open_run(claims.parallel.RUN).model)
