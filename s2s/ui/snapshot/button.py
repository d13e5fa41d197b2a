"""The button that hands the page over as a file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import streamlit as st

from s2s.ui.kit import file_name
from s2s.ui.snapshot.file import snapshot
from s2s.ui.snapshot.record import KEY, Node, PageRecord, values_of

HELP = (
    "This page as one HTML file: its figures, tables and texts as they are drawn now. It opens without a network or"
    " this server; figures keep hover and zoom."
)


def snapshot_button(title: str, link: str) -> None:
    """Downloads the page as it is drawn up to here. `title` is the page's; `link` opens it, or is empty."""
    record = st.session_state.get(KEY)
    if not isinstance(record, PageRecord):
        return
    nodes = record.tree()
    st.download_button(
        "Snapshot (HTML)",
        partial(_file, title, nodes, values_of(nodes), link, datetime.now(UTC)),
        f"{file_name(title)}-snapshot.html",
        "text/html",
        key="snapshot",
        on_click="ignore",
        icon=":material/photo_camera:",
        help=HELP,
    )


def _file(
    title: str, nodes: Sequence[Node], values: dict[str, Any], link: str, drawn_at: datetime
) -> bytes:
    return snapshot(title, nodes, values, link=link, drawn_at=drawn_at).encode()
