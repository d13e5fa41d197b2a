"""The view Roles: what each head does over many sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from s2s.analysis import KINDS, ROLES
from s2s.ui.heads.experiment_panel import measured
from s2s.ui.heads.request import HeadsRequest, sentences
from s2s.ui.kit import captions, file_name
from s2s.ui.kit.tables import frame_csv


def show(request: HeadsRequest) -> None:
    """The most frequent role of every head."""
    sample = sentences(request.run.folder.id)
    found = measured(request, "roles", sample)
    if found is None:
        return
    frames = []
    for kind in KINDS:
        shares = np.array(found["shares"][kind])  # (roles, layers, heads)
        layers, heads = np.indices(shares.shape[1:]).reshape(2, -1) + 1
        best = shares.argmax(0).ravel()
        frame = pd.DataFrame(
            {
                "Attention": captions.KIND_NAMES[kind],
                "Layer": layers,
                "Head": heads,
                "Role": [ROLES[found["roles"][i]].label for i in best],
                "Share of sentences": shares.max(0).ravel(),
            }
        )
        frames.append(frame)
    table = pd.concat(frames)
    title = f"Roles of heads · {request.title} · {found['n']:,} sentences, {sample.name}"
    st.dataframe(table, hide_index=True, alt=title)
    st.download_button(
        "Roles (CSV)",
        frame_csv(table),
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )
