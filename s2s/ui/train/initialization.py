"""Start from a run: its weights and its vocabulary instead of random ones, and its twin from scratch beside it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from s2s.config import UserError
from s2s.jobs import origin
from s2s.ui.kit import cached, forms
from s2s.ui.kit.recipe_state import INIT_FROM, PREFIX, RECIPE_KEYS
from s2s.ui.kit.text import plain, unique_names
from s2s.ui.train.recipe import Asked

SCRATCH = ""
TAKEN = tuple(
    key
    for key in RECIPE_KEYS
    if key.startswith(("model.", "tokenizer.")) or key == "data.max_length"
)
HELP = (
    "Two ways that people go: denoise, then summarize (teach a model the language on plain text, then the task),"
    " and translate, then reverse the direction. The vocabulary and the shape of the model must be those of that run."
)


def panel(asked: Asked) -> Asked:
    """What the form says, with the run that it starts from."""
    held = st.session_state.get(INIT_FROM) or SCRATCH
    if held and held not in cached.trained_runs():  # deleted meanwhile
        held = st.session_state[INIT_FROM] = SCRATCH
    with st.expander(
        "Start from a run", icon=":material/fork_right:", key="from a run", on_change="rerun"
    ) as part:
        if part.open:
            _widgets(held)
    if not held:
        return asked
    taken = (
        "model, tokenizer and `data.max_length` are taken from it, since its weights fit no others"
    )
    st.caption(f":material/fork_right: Starts from {plain(cached.title(held))}: {taken}.")
    asked = replace(asked, init_from=held, has_twin=bool(st.session_state.get("with a twin")))
    return asked if asked.wrong else replace(asked, wrong=_mismatch(asked))


def _widgets(held: str) -> None:
    names = {SCRATCH: "none: from scratch"} | unique_names(cached.trained_runs())
    st.session_state.setdefault(INIT_FROM, SCRATCH)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Start from",
            list(names),
            format_func=names.__getitem__,
            key=INIT_FROM,
            help=HELP,
            on_change=_take,
            persist_state="session",
            width=360,
        )
        st.toggle(
            "Train its twin from scratch beside it",
            key="with a twin",
            disabled=not held,
            persist_state="session",
            help="A second run with the same settings and random first weights: Runs shows both side by side.",
        )


def _take() -> None:
    """Fill the form with what the weights need."""
    if (held := st.session_state.get(INIT_FROM)) and (known := cached.recipe(held)):
        forms.fill(known, TAKEN, PREFIX)


def _mismatch(asked: Asked) -> UserError | None:
    """Why the weights do not fit this recipe; said at once, with the way back."""
    try:
        origin.check(origin.origin(asked.init_from), asked.recipe)
    except UserError as wrong:
        forms.show_error(wrong)
        st.button(
            "Take its model and tokenizer",
            key="take origin",
            icon=":material/healing:",
            on_click=_take,
        )
        return wrong
    return None
