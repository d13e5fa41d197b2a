"""A sweep: one run for every combination of the values of a few settings."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from s2s.config import Recipe, UserError, flat, settings_of
from s2s.jobs import sweep, training
from s2s.links import share
from s2s.ui.kit import action_button, as_markdown, cached, duration, forms, plain
from s2s.ui.kit.queueing import free_group, queue_runs
from s2s.ui.kit.recipe_state import RECIPE_KEYS
from s2s.ui.shell import page_link
from s2s.ui.train.recipe_form import MAIN_KEYS, RunRequest
from s2s.ui.train.view_state import STATE, sweep_as_text

NONE = ""
SETTINGS = tuple(dict.fromkeys((*MAIN_KEYS, *RECIPE_KEYS)))  # the main ones first
CAPTION = (
    f"One run for each combination of these values, at most {sweep.MOST} runs;"
    " everything else as in the form."
)
SWEPT = "swept"  # in the session: the name of the sweep that was queued last
REFUSED = "not swept"  # in the session: why the last one was refused


def panel(request: RunRequest, why_not: UserError | None) -> None:
    """Draw up to three settings with their values, the runs that result, and the button."""
    with st.expander(
        "Sweep", icon=":material/grid_view:", key="sweeping", on_change="rerun"
    ) as box:
        if box.open:
            _form(request, why_not)
    if name := st.session_state.pop(SWEPT, ""):
        st.success(
            f"The sweep {plain(name)} is queued; its runs train one after another.",
            icon=":material/check_circle:",
        )
        page_link("runs", "See it on Runs", set=share.pack({"tab": "sweeps", "sweep": name}))
    if refused := st.session_state.pop(REFUSED, None):
        forms.show_error(refused)


def _form(request: RunRequest, why_not: UserError | None) -> None:
    st.caption(CAPTION)
    chosen: list[tuple[str, str]] = []
    # one more row for each that is filled in
    while len(chosen) < sweep.MAX_SETTINGS and (row := _row(request, len(chosen))):
        chosen.append(row)
    STATE.remember(sweep=sweep_as_text(chosen))
    if why_not:
        st.caption("First correct the settings above.")
        return
    try:
        orders = _orders(request, chosen)
        seconds = sum(cached.planned_forecast(order).seconds for order in orders)
    except UserError as wrong:
        forms.show_error(wrong)
        return
    _button(orders, seconds)


def _row(request: RunRequest, number: int) -> tuple[str, str] | None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = st.selectbox(
            f"Setting {number + 1}",
            [NONE, *SETTINGS],
            format_func=_label,
            key=f"sweep key {number}",
            persist_state="session",
            width=280,
        )
        if not key:
            return None
        current = _as_text(flat(request.recipe)[key])
        text = st.text_input(
            "Values, separated by commas",
            key=f"sweep values {number}",
            persist_state="session",
            placeholder=f"now {current}; for example {sweep.example(request.recipe, key)}",
            width=360,
        )
    return key, text


def _label(key: str) -> str:
    return f"{settings_of(Recipe)[key].label} · {key}" if key else "none"


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _orders(request: RunRequest, chosen: list[tuple[str, str]]) -> list[training.RunRequest]:
    given = [(key, text) for key, text in chosen if text.strip()]
    if not given:
        return []
    if len({key for key, _ in given}) < len(given):
        raise UserError("One setting is chosen twice; give all its values in one row.")
    choices = {key: sweep.values(request.recipe, key, text) for key, text in given}
    return sweep.grid(request.order(), choices, free_group(request.name, sweep.TAG))


def _button(orders: list[training.RunRequest], seconds: float) -> None:
    n = len(orders)
    if n:
        names = [order.name.rpartition(": ")[2] for order in orders[:3]]
        listed = "; ".join(names + ["…"] * (n > 3))
        st.caption(as_markdown(f"{n} run{'s' * (n > 1)}, {duration(seconds)} in total: {listed}"))
    click = action_button(
        f"Queue {n} run{'s' * (n != 1)}",
        key="queue sweep",
        icon=":material/queue:",
        disabled=not n,
    )
    if click.is_waiting:
        wrong = _queue(orders) if n else None
        click.done()
        if wrong:
            st.session_state[REFUSED] = wrong
        elif n:
            st.session_state[SWEPT] = orders[0].tags[-1].removeprefix(sweep.TAG)
            cached.refresh_runs()
        st.rerun()


def _queue(orders: list[training.RunRequest]) -> UserError | None:
    try:
        queue_runs(orders)
    except UserError as wrong:
        return wrong
    return None
