"""The five sizes of T5: parameters as published and as counted here."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from s2s.sizing import T5_SOURCE, t5_rows
from s2s.ui.architecture.request import ArchitectureRequest
from s2s.ui.kit.tables import frame_csv

NUMBER_COLUMNS = ("d_ff", "our count", "embedding counted twice")


def show(request: ArchitectureRequest) -> None:
    """The table, and why counts differ."""
    table = pd.DataFrame(t5_rows())
    st.dataframe(
        table,
        hide_index=True,
        placeholder="",
        key="t5",
        height="content",
        alt="Five sizes of T5 with their shapes and parameters",
        column_config={
            name: st.column_config.NumberColumn(format="localized") for name in NUMBER_COLUMNS
        },
    )
    st.caption(
        f"Shapes and published parameters: {T5_SOURCE}. Our count: all parameters of the presets t5-small to t5-11b."
    )
    st.markdown(
        "The paper rounds, and does not always count the same way. In the published T5, one embedding table of 32,128"
        " rows is used three times: for the source, for the target, and as the output projection, so we count it"
        " once. Counted a second time, for the output, large comes to the published 770 million, while small and base"
        " match with one. There are no biases, and norms have only a scale. Positions are one table of relative"
        " biases per stack, with 32 buckets per head. From large to 11B, depth and d_model stay the same: only the"
        " feed-forward and the heads inside each layer grow."
    )
    st.download_button(
        "T5 (CSV)",
        frame_csv(table),
        "t5.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )
