"""Prefix matching, attention to copies and direct copying of every head."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd
import streamlit as st

from s2s import plots
from s2s.analysis import heads
from s2s.jobs import head_roles
from s2s.questions import KIND_NAMES
from s2s.ui.heads.request import HeadsRequest
from s2s.ui.heads.role_picture import in_line
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import chart, file_name
from s2s.ui.kit.tables import frame_csv

LABELS: Mapping[str, str] = MappingProxyType(
    {"prefix": "Prefix matching", "copying": "Attention to copies", "direct": "Direct copying"}
)
MEANING: Mapping[str, str] = MappingProxyType(
    {
        "prefix": "The weight that a row puts on the tokens right after other occurrences of the token that it reads"
        " (Olsson et al. 2022): after A B ... A, attention to B. In cross-attention, these occurrences are in the"
        " source; in the decoder, they are earlier target tokens.",
        "copying": "The weight that a row puts on tokens equal to the one that it predicts; in the encoder, on other"
        " occurrences of the token that it reads. It says where a head attends, not what it writes.",
        "direct": "Of the weight on tokens that the model can write, the share on tokens whose own logit the head"
        " raises above the mean of all logits, by the direct path from the head to the output (Elhage et al. 2021).",
    }
)


def show(request: HeadsRequest, result: head_roles.RolesResult, title: str) -> None:
    """All heads by one of the scores, and the table of the best."""
    scores = result.induction
    known = {
        name: label for name, label in LABELS.items() if any(name in one for one in scores.values())
    }
    chosen = STATE.choice("score", "Score", known, default=next(iter(known)), width=220)
    grids = [_grid(kind, one[chosen]) for kind, one in scores.items() if chosen in one]
    name = f"{known[chosen]}\n{title}"
    scale = "share of the weight" if chosen == "direct" else "mean weight"
    figure = plots.head_roles(grids, title=name, scale=scale)
    chart(figure, alt=f"{known[chosen]} of all heads, {in_line(title)}", file_name=file_name(name))
    st.caption(
        f"{MEANING[chosen]} Special tokens are not counted. *Baseline*: a head that spreads its weight evenly; of"
        " direct copying, a head without preference, one half."
    )
    st.dataframe(
        table(scores).round(3),
        hide_index=True,
        column_config={
            name: st.column_config.NumberColumn(format="percent")
            for name in ("Its score", "Baseline")
        },
        alt=f"The best heads of either score, {in_line(title)}",
    )
    st.download_button(
        "Scores (CSV)",
        frame_csv(by_head(scores)),
        f"{file_name(f'induction {title}')}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def table(scores: Mapping[str, Mapping[str, heads.MatchScore]]) -> pd.DataFrame:
    """One row per kind of attention and score."""
    rows = []
    for kind, by_name in scores.items():
        for name, one in by_name.items():
            layer, head = np.unravel_index(int(one.score.argmax()), one.score.shape)
            rows.append(
                {
                    "Attention": kind,
                    "Score": LABELS[name],
                    "Best head": f"layer {layer + 1}, head {head + 1}",
                    "Its score": float(one.score[layer, head]),
                    "Baseline": one.uniform,
                    "Rows": one.n_rows,
                }
            )
    return pd.DataFrame(rows)


def by_head(scores: Mapping[str, Mapping[str, heads.MatchScore]]) -> pd.DataFrame:
    """One row per kind of attention, score and head; layers and heads are counted from 1."""
    frames = []
    for kind, by_name in scores.items():
        for name, one in by_name.items():
            layers, numbers = np.indices(one.score.shape).reshape(2, -1) + 1
            columns = {"Attention": kind, "Score": name, "Layer": layers, "Head": numbers}
            values = {"Value": one.score.ravel(), "Baseline": one.uniform, "Rows": one.n_rows}
            frames.append(pd.DataFrame(columns | values))
    return pd.concat(frames, ignore_index=True)


def _grid(kind: str, one: heads.MatchScore) -> plots.HeadGrid:
    n_layers, n_heads = one.score.shape
    hovers = [
        [
            f"layer {layer + 1}, head {head + 1}: {one.score[layer, head]:.0%}, baseline {one.uniform:.0%}"
            for head in range(n_heads)
        ]
        for layer in range(n_layers)
    ]
    words = [[""] * n_heads for _ in range(n_layers)]
    name = f"{KIND_NAMES[kind]}, {one.n_rows:,} rows, baseline {one.uniform:.0%}"
    return plots.HeadGrid(name, words, one.score, hovers)
