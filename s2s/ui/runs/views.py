"""The views of the page Runs, as tabs; the address says which one is open and what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from s2s import share
from s2s.config import UserError
from s2s.ui.kit import address, forms
from s2s.ui.runs import attention_history
from s2s.ui.runs.attention_history import AT

TABS = "runs tab"
OPEN = "runs view"  # the label of the open view
NEXT = "runs next view"  # the view to open when the page is next drawn, packed as in a link


class RunsView(NamedTuple):
    """A tab. `keys` are what a link to it says besides its name."""

    label: str
    draw: Callable[[str], None]  # takes the run's id
    keys: tuple[str, ...] = ()


def tabs(views: Mapping[str, RunsView], run_id: str) -> None:
    """Draw the open view; `views` are keyed by their names in a link."""
    default = next(iter(views))
    labels = [view.label for view in views.values()]
    _read_link(st.session_state.pop(NEXT, address.read("set")), views)
    if st.session_state.get(TABS) not in labels:
        st.session_state[TABS] = st.session_state.get(OPEN, labels[0])
    label = st.session_state[OPEN] = st.session_state[TABS]
    for view, tab in zip(views.values(), st.tabs(labels, key=TABS, on_change="rerun"), strict=True):
        if view.label == label:
            with tab:
                _draw(view, run_id)
    name = next(name for name, view in views.items() if view.label == label)
    address.write("set", "" if name == default else share.pack(_link(name, views[name])))


def open_view(name: str, compared: Sequence[str]) -> None:
    """Open a view when the page is next drawn. (A link from the page to itself would lose this when the run is written
    to it.)
    """
    st.session_state[NEXT] = share.pack({"tab": name, "compared": " ".join(compared)})


def _draw(view: RunsView, run_id: str) -> None:
    """An error in one view leaves the others usable."""
    try:
        view.draw(run_id)
    except UserError as error:
        forms.show_error(error)


def _link(name: str, view: RunsView) -> dict[str, str]:
    values = {key: str(st.session_state.get(key) or "") for key in ("sweep", AT)}
    values["compared"] = " ".join(st.session_state.get("compared", ()))
    return {"tab": name} | {key: values[key] for key in view.keys if values[key]}


def _read_link(packed: str | None, views: Mapping[str, RunsView]) -> None:
    """Put what a link says into the session; an unknown view opens the first."""
    if packed is None:
        return
    values = share.unpack(packed)
    default = next(iter(views))
    st.session_state[TABS] = views.get(values.get("tab", ""), views[default]).label
    if "compared" in values:
        st.session_state["compared"] = values["compared"].split()
        st.session_state["compared for"] = st.session_state["run"]
    if "sweep" in values:
        st.session_state["sweep"] = values["sweep"]
    attention_history.open_at(st.session_state["run"], values.get(AT, ""))
