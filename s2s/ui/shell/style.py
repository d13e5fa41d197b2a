"""What a theme cannot say: style rules, and the tab's icon."""

from pathlib import Path

import streamlit as st

RULES = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#00224e"/>
<rect x="6" y="6" width="9" height="9" rx="2" fill="#fee838"/>
<rect x="17" y="6" width="9" height="9" rx="2" fill="#575d6d"/>
<rect x="6" y="17" width="9" height="9" rx="2" fill="#575d6d"/>
<rect x="17" y="17" width="9" height="9" rx="2" fill="#c3b369"/>
</svg>"""


def apply_style() -> None:
    """Adds the style rules to the page."""
    st.html(f"<style>{RULES}</style>")
