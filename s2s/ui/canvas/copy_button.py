"""A button that copies a text to the clipboard, which only the browser can."""

from pathlib import Path

import streamlit as st

FILE = Path(__file__)


def copy_button(text: str, *, key: str, label: str = "Copy", is_primary: bool = False) -> None:
    """Draw a button that copies `text`, and says so."""
    COPY_BUTTON(
        key=key.replace("_", "_."),  # Streamlit refuses two underscores, which an id may have
        data={"text": text, "label": label, "kind": "primary" if is_primary else ""},
        width="content",
        height="content",
    )


COPY_BUTTON = st.components.v2.component(
    "copy_button",
    html="""<button type="button"></button>
<span role="status"></span>
""",
    css=FILE.with_name("picture_button.css").read_text(encoding="utf-8"),
    js=FILE.with_suffix(".js").read_text(encoding="utf-8"),
)
