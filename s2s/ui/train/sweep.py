"""A sweep: the form's recipe with a few settings varied, every combination queued as a run of its own."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from s2s import share
from s2s.config import Recipe, UserError, flat, settings_of
from s2s.jobs import sweep, training
from s2s.ui.kit import cached, forms
from s2s.ui.kit.queueing import queue_runs
from s2s.ui.kit.recipe_state import RECIPE_KEYS
from s2s.ui.kit.text import as_markdown, duration, plain
from s2s.ui.shell.pages import page_link
from s2s.ui.train.recipe import MAIN, Asked

NOTHING = ""
SETTINGS = tuple(dict.fromkeys((*MAIN, *RECIPE_KEYS)))  # the usual ones first
CAPTION = f"One run for each combination of these values, at most {sweep.MOST}; everything else is as the form says."


def panel(asked: Asked, why_not: UserError | None) -> None:
    """Up to three settings with their values, what that comes to, and the button."""
    with st.expander(
        "Sweep", icon=":material/grid_view:", key="sweeping", on_change="rerun"
    ) as part:
        if part.open:
            _form(asked, why_not)
    if name := st.session_state.pop("swept", ""):
        st.success(
            f"The sweep {plain(name)} is queued; its runs train one after another.",
            icon=":material/check_circle:",
        )
        page_link("runs", "See it on Runs", set=share.pack({"tab": "sweeps", "sweep": name}))
    if refused := st.session_state.pop("not swept", None):
        forms.show_error(refused)


def _form(asked: Asked, why_not: UserError | None) -> None:
    st.caption(CAPTION)
    chosen: list[tuple[str, str]] = []
    while len(chosen) < sweep.MAX_SETTINGS and (
        one := _row(asked, len(chosen))
    ):  # a row more for each that is filled in
        chosen.append(one)
    if why_not:
        st.caption("First mend what stands above.")
        return
    try:
        orders = _orders(asked, chosen)
    except UserError as wrong:
        forms.show_error(wrong)
        return
    _button(orders)


def _row(asked: Asked, number: int) -> tuple[str, str] | None:
    """A setting and its values as they are written; None where none is chosen."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = st.selectbox(
            f"Setting {number + 1}",
            [NOTHING, *SETTINGS],
            format_func=_label,
            key=f"sweep key {number}",
            persist_state="session",
            width=280,
        )
        if not key:
            return None
        now = flat(asked.recipe)[key]
        text = st.text_input(
            "Values, with commas",
            key=f"sweep values {number}",
            persist_state="session",
            placeholder=f"now {_shown(now)}; for example {sweep.example(asked.recipe, key)}",
            width=360,
        )
    return key, text


def _label(key: str) -> str:
    return f"{settings_of(Recipe)[key].label} · {key}" if key else "none"


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _orders(asked: Asked, chosen: list[tuple[str, str]]) -> list[training.Asked]:
    """The runs; none while nothing is chosen. Raises UserError for what cannot be."""
    given = [(key, text) for key, text in chosen if text.strip()]
    if not given:
        return []
    if len({key for key, _ in given}) < len(given):
        raise UserError("One setting is chosen twice; give all its values in one line.")
    choices = {key: sweep.values(asked.recipe, key, text) for key, text in given}
    return sweep.grid(asked.order(), choices, asked.name)


def _button(orders: list[training.Asked]) -> None:
    n = len(orders)
    if n:
        seconds = sum(cached.forecast(order.source, order.recipe).seconds for order in orders)
        each = "; ".join(order.name.rpartition(": ")[2] for order in orders[:3])
        st.caption(
            as_markdown(
                f"{n} run{'s' * (n > 1)}, {duration(seconds)} in all: {each}{'; …' if n > 3 else ''}"
            )
        )
    label = f"Queue {n} run{'s' * (n != 1)}"
    st.button(
        label,
        key="queue sweep",
        icon=":material/queue:",
        disabled=not n,
        on_click=_queue,
        args=(orders,),
    )


def _queue(orders: list[training.Asked]) -> None:
    """All, or none with the reason."""
    try:
        queue_runs(orders)
    except UserError as wrong:
        st.session_state["not swept"] = wrong
        return
    st.session_state["swept"] = orders[0].tags[-1].removeprefix(sweep.TAG)
