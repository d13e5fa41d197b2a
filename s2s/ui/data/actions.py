"""What is done with a dataset: train on it, take its pairs along."""

from __future__ import annotations

import streamlit as st

from s2s.config import UserError
from s2s.data import PROFILE_SECTIONS
from s2s.links import share
from s2s.ui.data import profiles, views
from s2s.ui.data.sources import ChosenDataset
from s2s.ui.kit import file_name, forms
from s2s.ui.shell import page


def train_button(chosen: ChosenDataset) -> None:
    """Draw the button that leads to Train with what was chosen here; an upload is saved first."""
    if st.button(
        "Train on these pairs", type="primary", icon=":material/model_training:", key="train on"
    ):
        try:
            spec = chosen.save()
        except UserError as wrong:
            forms.show_error(wrong)
        else:
            st.switch_page(
                page("train").screen(), query_params={"set": share.pack({"source": spec})}
            )


def export(chosen: ChosenDataset) -> None:
    """Draw the button that downloads the pairs that would be trained on."""
    with st.popover("Export", icon=":material/download:", on_change="rerun") as box:
        if not box.open:
            return
        st.caption(
            "The pairs that would be trained on, cleaned and as the task makes them, as a parquet file"
            " for datasets, pandas and others."
        )
        try:
            data = views.recipe().data
            exported = profiles.section(chosen.profile, "export", data)
        except UserError as wrong:
            forms.show_error(wrong)
            return
        if exported:
            section = PROFILE_SECTIONS["export"].name("export", data)
            st.download_button(
                f"{exported['n_pairs']:,} pairs",
                (chosen.profile.folder / f"{section}.parquet").read_bytes,
                f"{file_name(chosen.name)}.parquet",
                on_click="ignore",
                icon=":material/download:",
            )
