"""How strongly a head has a role, against how much it matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.analysis import heads
from s2s.plots import PLOTS, HeadPoint
from s2s.questions import KIND_NAMES
from s2s.runs import Sentences
from s2s.ui.heads.experiment_panel import measured_of
from s2s.ui.heads.picture import download, draw
from s2s.ui.heads.request import HeadsRequest
from s2s.ui.heads.view_state import STATE

DEFAULT_ROLE = "previous"  # of CORPUS_ROLES
Rows = Sequence[tuple[str, int, int, HeadPoint]]  # kind, layer, head, and its importance


def show(
    request: HeadsRequest, sample: Sentences, importance: Mapping[str, Rows], title: str
) -> None:
    """A scatter for one role, from the roles of the same sentences; offers to measure them."""
    st.markdown("**Do heads matter because of their role?**")
    found = measured_of(request, "roles", sample)
    if found is None:
        return
    roles = {
        slug: row.label
        for slug, row in heads.CORPUS_ROLES.items()
        if any(slug in found["kinds"][kind]["strengths"] for kind in importance)
    }
    role = STATE.choice("strength", "Role", roles, default=_default(roles), width=240)
    kinds = {
        KIND_NAMES[kind]: [
            point._replace(x=found["kinds"][kind]["strengths"][role][layer][head])
            for _, layer, head, point in rows
        ]
        for kind, rows in importance.items()
        if role in found["kinds"][kind]["strengths"]
    }
    title = f"Importance, and the role: {roles[role]}\n{title}"
    figure = plots.head_scatter(
        kinds,
        title=title,
        x_label=f"strength of the role {roles[role].lower()}",
        y_label="change of the loss, nats per token",
    )
    draw(figure, title)
    st.caption(
        f"{PLOTS['head_scatter'].caption} Across: the role's strength over the same sentences, as the view Roles"
        " defines it. Up: the change of the loss when the head is ablated."
    )
    table: list[dict[str, Any]] = [
        {"head": point.name, "strength": point.x, "importance": point.y}
        | {"low": point.low, "high": point.high}
        for points in kinds.values()
        for point in points
    ]
    download(pd.DataFrame(table), "Role and importance (CSV)", title)


def _default(roles: Mapping[str, str]) -> str:
    return DEFAULT_ROLE if DEFAULT_ROLE in roles else next(iter(roles))
