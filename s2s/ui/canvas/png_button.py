"""A button that downloads an SVG as a PNG, which the browser draws."""

from pathlib import Path

import streamlit as st

FILE = Path(__file__)


def png_button(svg: str, file_name: str, *, key: str) -> None:
    """Downloads `svg` as `file_name`, at twice its size."""
    data = {"svg": svg, "name": file_name}
    PNG_BUTTON(key=key, data=data, width="content", height="content")


PNG_BUTTON = st.components.v2.component(
    "png_button",
    html="""<button type="button">
<svg viewBox="0 -960 960 960" aria-hidden="true"><path d="M480-320 280-520l56-58 104 104v-326h80v326l104-104 56 58-200 200ZM240-160q-33
 0-56.5-23.5T160-240v-120h80v120h480v-120h80v120q0 33-23.5 56.5T720-160H240Z"/></svg>PNG</button>
<span role="status"></span>
""",
    css=FILE.with_suffix(".css").read_text(),
    js=FILE.with_suffix(".js").read_text(),
)
