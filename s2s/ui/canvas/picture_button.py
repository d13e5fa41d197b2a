"""A button that saves an SVG by the dialog of `save_picture`."""

from pathlib import Path

import streamlit as st

FILE = Path(__file__)


def picture_button(svg: str, name: str, *, label: str, key: str) -> None:
    """Draw a button that saves `svg` in a chosen format, width and font; `name` is the file's, without its ending."""
    data = {"svg": svg, "name": name, "label": label}
    PICTURE_BUTTON(key=key, data=data, width="content", height="content")


PICTURE_BUTTON = st.components.v2.component(
    "picture_button",
    html="""<button type="button">
<svg viewBox="0 -960 960 960" aria-hidden="true"><path d="M480-320 280-520l56-58 104 104v-326h80v326l104-104
 56 58-200 200ZM240-160q-33 0-56.5-23.5T160-240v-120h80v120h480v-120h80v120
 q0 33-23.5 56.5T720-160H240Z"/></svg><span></span></button>
""",
    css=FILE.with_suffix(".css").read_text(encoding="utf-8"),
    js=FILE.with_suffix(".js").read_text(encoding="utf-8"),
)
