"""A published model on Train: what it is, and the button that fine-tunes it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from s2s.links.share import Column
from s2s.ui.kit import cached, plain
from s2s.ui.kit.recipe_state import INIT_FROM
from s2s.ui.shell import page_link
from s2s.ui.train import initialization
from s2s.ui.train.recipe_form import RunRequest


def is_published(run_id: str) -> bool:
    """Whether a run was opened and not trained here."""
    return isinstance(cached.metadata(run_id).get("imported"), Mapping)


def panel(run_id: str, request: RunRequest) -> None:
    about = cached.metadata(run_id)
    with st.container(border=True, key="published"):
        st.subheader(plain(cached.title(run_id)), anchor=False)
        st.markdown(
            f"A published {plain(str(about['imported'].get('family')))} model, opened on"
            f" {plain(str(about.get('created', ''))[:10])}. It was not trained here, so there are no curves and no"
            " sample translations. Fine-tuning continues its training on your dataset, as a run of its own."
        )
        for note in cached.run_notes(run_id):
            st.caption(plain(note))
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Fine-tune it",
                key="fine-tune",
                icon=":material/fork_right:",
                on_click=_fine_tune,
                args=(run_id, request),
                help="Fills the form above: its model and tokenizer, and a learning rate that suits it.",
            )
            page_link("compare", "Translate", c1=str(Column(run_id)))
            page_link("attention", "Attention")


def _fine_tune(run_id: str, request: RunRequest) -> None:
    st.session_state[INIT_FROM] = run_id
    initialization.take_settings(request, request.init_from)
