"""The views of the page Runs; the address says which one is open and what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from s2s.config import UserError
from s2s.ui.kit import forms
from s2s.ui.runs import comparison
from s2s.ui.runs.view_state import SIDE_BY_SIDE, STATE


class Tab(NamedTuple):
    """One view of Runs, with the fields that a link to it carries."""

    label: str
    draw: Callable[[str], None]  # takes the run's id
    fields: tuple[str, ...] = ()


def tabs(views: Mapping[str, Tab], run_id: str) -> None:
    """Draw the open view; `views` are keyed by their names in a link."""
    if STATE.from_url() is not None:
        comparison.keep_for(run_id)
    labels = {name: view.label for name, view in views.items()}
    open_view = STATE.segments("tab", "View", labels, label_visibility="collapsed")
    STATE.remember(**_hidden(views, open_view))
    _draw(views[open_view], run_id)


def compare(run_id: str, other: str) -> None:
    """Open two runs side by side when the page is next drawn."""
    STATE.show(tab=SIDE_BY_SIDE, compared=f"{run_id} {other}")
    comparison.keep_for(run_id)


def _hidden(views: Mapping[str, Tab], open_view: str) -> dict[str, Any]:
    fields = {field for view in views.values() for field in view.fields}
    hidden = fields - {*views[open_view].fields}
    return {field: STATE.fields[field].default for field in hidden}


def _draw(view: Tab, run_id: str) -> None:
    try:
        view.draw(run_id)
    except UserError as error:
        forms.show_error(error)
