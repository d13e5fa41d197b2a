"""The button that hands the page over as a file."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from s2s.config import asker
from s2s.reports import pictures as reports
from s2s.ui.kit import file_name, shown
from s2s.ui.snapshot.file import snapshot
from s2s.ui.snapshot.record import KEY, PageRecord, values_of

HELP = (
    "The figures, tables and texts of this page as one HTML file, as they are drawn now. It opens without a network or"
    " this server; figures keep hover and zoom."
)


def snapshot_button(title: str, link: str, about: str = "") -> None:
    """Downloads the page as it is drawn up to here: what was recorded, or its Pictures. `title` is the page's; `link`
    opens it, or is empty; `about` is its sentence, which a record has anyway.
    """
    record = st.session_state.get(KEY)
    drawn_at = datetime.now(UTC)
    if isinstance(record, PageRecord):
        nodes = record.tree()
        file = partial(snapshot, title, nodes, values_of(nodes), link=link, drawn_at=drawn_at)
    elif pictures := shown():
        file = partial(reports.page, title, pictures, about=about, link=link, drawn_at=drawn_at)
    else:
        return
    st.download_button(
        "Snapshot (HTML)",
        asker.for_this_visitor(file),
        f"{file_name(title)}-snapshot.html",
        "text/html",
        key="snapshot",
        on_click="ignore",
        icon=":material/photo_camera:",
        help=HELP,
    )
