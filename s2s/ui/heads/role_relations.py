"""How often heads find the words of a gold relation, beside what random heads reach."""

from __future__ import annotations

from collections.abc import Sequence

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

ACROSS = "verb-subject-across"
PERCENTS = ("Accuracy", "On the other half", "Best offset finds")
HELP = """
- **Accuracy** of the best head: the share of questions in which the largest weight of the first word is on the second.
  In the encoder the row of a word reads it; in the decoder it predicts it, and attends to the words before.
- **Random heads**: 95 % of heads that attend to an allowed token at random are in this range. **Best of all**: the same
  for the best of as many random heads as there are. **Above random**: the best head exceeds it.
- **On the other half**: a head is chosen on every second sentence and measured on the others, both ways.
- **Best offset**: always attending this many words ahead (+) or back (−), which needs no grammar.
"""


def show(request: HeadsRequest, result: head_roles.RolesResult, title: str) -> None:
    """The table of all relations, and all heads of one of them."""
    found = result.relations
    for one in found:
        if one.direction == ACROSS:
            st.markdown(_across(one))
    frame = table(found)
    percents = {name: st.column_config.NumberColumn(format="percent") for name in PERCENTS}
    st.dataframe(
        frame.round(3), hide_index=True, column_config=percents, alt=f"Relations, {in_line(title)}"
    )
    st.caption(HELP)
    _all_heads(found, title)
    st.download_button(
        "Relations (CSV)",
        frame_csv(by_head(found)),
        f"{file_name(f'relations {title}')}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _across(one: heads.RelationAccuracy) -> str:
    chosen = " or ".join(
        dict.fromkeys(f"layer {layer + 1}, head {head + 1}" for layer, head in one.chosen)
    )
    return (
        f"{KIND_NAMES[one.kind].capitalize()}: a head chosen on one half of the sentences ({chosen}) finds the"
        f" subject across a relative clause (*was* → *cat* in *the cat who chased the mouse was black*) in"
        f" **{one.held_out:.0%}** of the other half; the best of {one.hits[0].size} random heads:"
        f" {_range(one.best_random)}. {sum(one.n):,} questions."
    )


def table(found: Sequence[heads.RelationAccuracy]) -> pd.DataFrame:
    """One row per relation, direction and kind of attention."""
    rows = []
    for one in found:
        layer, head = np.unravel_index(int(one.accuracy.argmax()), one.accuracy.shape)
        rows.append(
            {
                "Relation": heads.DIRECTIONS[one.direction].label,
                "Attention": one.kind,
                "Questions": sum(one.n),
                "Best head": f"layer {layer + 1}, head {head + 1}",
                "Accuracy": float(one.accuracy[layer, head]),
                "Random heads": _range(one.one_random),
                "Best of all": _range(one.best_random),
                "Above random": "yes" if one.accuracy.max() > one.best_random.high else "no",
                "On the other half": one.held_out,
                "Best offset": f"{one.offset:+d}".replace("-", "−"),
                "Best offset finds": one.offset_accuracy,
            }
        )
    return pd.DataFrame(rows)


def by_head(found: Sequence[heads.RelationAccuracy]) -> pd.DataFrame:
    """One row per relation, direction, kind of attention and head; layers and heads are counted from 1."""
    frames = []
    for one in found:
        layers, numbers = np.indices(one.accuracy.shape).reshape(2, -1) + 1
        columns = {
            "Relation": one.direction,
            "Attention": one.kind,
            "Layer": layers,
            "Head": numbers,
            "Questions": sum(one.n),
            "Hits": one.hits.sum(0).ravel(),
            "Accuracy": one.accuracy.ravel(),
            "Random low": one.one_random.low,
            "Random high": one.one_random.high,
            "Best random low": one.best_random.low,
            "Best random high": one.best_random.high,
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def _range(limits: heads.Range) -> str:
    return f"{limits.low:.0%} to {limits.high:.0%}"


def _all_heads(found: Sequence[heads.RelationAccuracy], title: str) -> None:
    """The accuracy of every head for one direction."""
    known = {one.direction: heads.DIRECTIONS[one.direction].label for one in found}
    default = ACROSS if ACROSS in known else next(iter(known))
    chosen = STATE.choice("relation", "All heads", known, default=default, width=360)
    grids = [_grid(one) for one in found if one.direction == chosen]
    name = f"{known[chosen]}\n{title}"
    figure = plots.head_roles(grids, title=name, scale="accuracy")
    chart(figure, alt=f"Accuracy of all heads, {in_line(name)}", file_name=file_name(name))


def _grid(one: heads.RelationAccuracy) -> plots.HeadGrid:
    n_layers, n_heads = one.accuracy.shape
    hovers = [
        [
            f"layer {layer + 1}, head {head + 1}: {one.hits[:, layer, head].sum():,} of {sum(one.n):,} questions"
            for head in range(n_heads)
        ]
        for layer in range(n_layers)
    ]
    words = [[""] * n_heads for _ in range(n_layers)]
    return plots.HeadGrid(KIND_NAMES[one.kind], words, one.accuracy, hovers)
