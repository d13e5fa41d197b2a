"""A run's report: the button that downloads it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from s2s import reports
from s2s.config import asker
from s2s.ui.kit import cached, file_name
from s2s.ui.runs.downloadable import is_downloadable
from s2s.ui.shell import page, page_url

HELP = (
    "One HTML file with its model card, data, recipe, curves, scores, samples and attention. It opens without a"
    " network, prints well, and quotes sentences of its dataset. Where Data has not shown the dataset yet, or not"
    " all validation pairs are scored yet, it takes up to a minute."
)


def download_button(run_id: str) -> None:
    """Draw the button for a run's report, unless it has no checkpoint or may only be looked at."""
    if not is_downloadable(run_id):
        return
    link = page_url(page("runs")) if st.context.url else ""
    st.download_button(
        "Report (HTML)",
        asker.for_this_visitor(partial(reports.download, run_id, link)),
        f"{file_name(cached.title(run_id))}-report.html",
        "text/html",
        key="download report",
        on_click="ignore",
        icon=":material/description:",
        help=HELP,
    )
