"""T5 by the numbers: five sizes of one machine, as published and as we count."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from s2s.config import PRESETS
from s2s.sizing import PUBLISHED, SOURCE, Machine, Sizes, cost, within
from s2s.ui.architecture.request import Asked

ALT = "Five sizes of T5 with shape and parameters"
LOOK = {
    name: st.column_config.NumberColumn(format="localized")
    for name in ("d_ff", "our count", "with the table twice")
}


def show(asked: Asked) -> None:
    """One table for all."""
    table = frame()
    st.dataframe(
        table,
        hide_index=True,
        placeholder="",
        key="t5",
        height="content",
        alt=ALT,
        column_config=LOOK,
    )
    st.caption(
        f"Shape and published parameters: {SOURCE}. Our count: the presets t5-small to t5-11b, number by number."
    )
    st.markdown(
        "The paper rounds, and does not always count alike. In the published T5 one table of 32,128 rows serves three times: it reads the"
        " source, reads the target and scores the output, so we count it once. Counted a second time, for the output, large comes to"
        " the published 770 million, while small and base come to theirs with one. There are no biases, and norms have a scale alone;"
        " one table of relative positions a stack, 32 ranges for each head, is all that knows the order. From large to 11B neither"
        " depth nor width of the stream changes: only the feed-forward and the heads inside each layer grow."
    )
    st.download_button(
        "T5 (CSV)",
        table.to_csv(index=False),
        "t5.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def frame() -> pd.DataFrame:
    """A row a size."""
    return pd.DataFrame([_row(name) for name in PUBLISHED])


def _row(name: str) -> dict[str, object]:
    published = PUBLISHED[name]
    preset = PRESETS[name]
    found = Machine(preset.recipe, preset.src_vocab_size, preset.tgt_vocab_size).parts(
        Sizes(1, 1, 1)
    )
    ours = cost(found).parameters
    table = cost(within(found, "encoder.tokens")).parameters
    shape = {key: value for key, value in published._asdict().items() if key != "parameters"}
    return {
        "size": name,
        **shape,
        "published": published.parameters,
        "our count": ours,
        "with the table twice": ours + table,
        "in the table (%)": round(100 * table / ours, 1),
    }
