"""A dataset at a glance: its size, how it was read, its first pairs, and the button that leads to training."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from s2s.config import UserError
from s2s.data import Preview
from s2s.links import share
from s2s.ui.data.sources import ChosenDataset
from s2s.ui.kit import Card, as_markdown, cards, forms
from s2s.ui.shell import page


def train_button(chosen: ChosenDataset) -> None:
    """Leads to Train with what was chosen here; an upload is saved first."""
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


def counts(preview: Preview) -> None:
    """Pairs, lengths and vocabulary."""
    distinct = (
        f"{preview.n_distinct_sources:,} distinct sources, {preview.n_duplicates:,} duplicate pairs"
    )
    cards(
        (
            Card("Pairs", f"{preview.n_pairs:,}", distinct),
            Card(
                "Words per source",
                f"{preview.src_median:g}",
                f"median; the longest has {preview.src_longest:,}",
            ),
            Card(
                "Words per target",
                f"{preview.tgt_median:g}",
                f"median; the longest has {preview.tgt_longest:,}",
            ),
            Card(
                "Distinct words",
                f"{preview.src_words:,}",
                f"in the sources, {preview.tgt_words:,} in the targets; split at spaces",
            ),
        )
    )


def notes(preview: Preview) -> None:
    """How the dataset was read, what was dropped and why."""
    lines = list(preview.notes)
    if preview.is_plain:
        lines.append("Plain text without targets: both columns show the same.")
    elif preview.n_same:
        lines.append(f"{preview.n_same:,} pairs have the same text on both sides; they are kept.")
    if lines:
        st.info(as_markdown(" ".join(lines)), icon=":material/filter_alt:", title="How it was read")


def pairs(preview: Preview) -> None:
    """The first pairs as the dataset has them."""
    st.subheader("Pairs", anchor=False)
    st.dataframe(
        pd.DataFrame(
            preview.rows,
            columns=["source", "target"],
            index=pd.Index(preview.lines or range(1, len(preview.rows) + 1), name="line"),
        ),
        height=300,
        column_config={
            side: st.column_config.TextColumn(width="medium") for side in ("source", "target")
        },
        alt=f"The first {len(preview.rows)} pairs: source and target side by side",
    )
    st.caption(f"The first {len(preview.rows):,} of {preview.n_pairs:,}.")
