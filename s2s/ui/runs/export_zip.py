"""A run for other libraries: a zip for each that can load it, and why the rest cannot."""

from __future__ import annotations

from functools import partial

import streamlit as st

from s2s.config import UserError, asker
from s2s.jobs import run_export
from s2s.ui.kit import as_markdown, cached, file_name, forms
from s2s.ui.runs.downloadable import is_downloadable

HELP = (
    "Its best checkpoint in the format of that library, with a README (dataset, recipe, scores, a license to fill in)"
    " and a short script that translates with it."
)


def popover(run_id: str) -> None:
    """Draw the export menu of a run, unless it has no checkpoint or may only be looked at."""
    if not is_downloadable(run_id):
        return
    box = st.popover(
        "Export", icon=":material/output:", key=f"export {run_id}", on_change="rerun", help=HELP
    )
    if box.open:
        with box:
            _targets(run_id)


def _targets(run_id: str) -> None:
    try:
        offers = run_export.offers(run_id)
    except UserError as error:
        forms.show_error(error)
        return
    if not all(verdict.reason for verdict in offers.values()):
        st.caption(as_markdown(run_export.scores_note(run_id)))
    for target, verdict in offers.items():
        if verdict.reason:
            st.caption(as_markdown(f"Not for {verdict.label}: {verdict.reason}"))
            continue
        name = f"{file_name(cached.title(run_id))}-{target}"
        st.download_button(
            f"For {verdict.label}",
            asker.for_this_visitor(partial(run_export.download, run_id, target, name)),
            f"{name}.zip",
            "application/zip",
            key=f"export {target}",
            on_click="ignore",
            icon=":material/download:",
        )
