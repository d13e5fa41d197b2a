"""What a theme cannot say: style rules, and the tab's icon."""

from pathlib import Path

import streamlit as st

from s2s.versions import NAME

RULES = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
MARK = """<rect width="32" height="32" rx="7" fill="#00224e"/>
<rect x="6" y="6" width="9" height="9" rx="2" fill="#fee838"/>
<rect x="17" y="6" width="9" height="9" rx="2" fill="#575d6d"/>
<rect x="6" y="17" width="9" height="9" rx="2" fill="#575d6d"/>
<rect x="17" y="17" width="9" height="9" rx="2" fill="#c3b369"/>
</svg>"""
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 32" width="{width}" height="32">{text}'
ICON = SVG.format(width=32, text="") + MARK
INK = {"dark": "#E8ECF1", "light": "#0C131D"}  # of the name, by theme


def apply_style() -> None:
    """Add the style rules, and the name and mark that lead Home."""
    ink = INK[st.context.theme.type or "light"]
    font = 'font-family="Source Sans Pro, Source Sans, sans-serif" font-size="20" font-weight="600"'
    name = f'<text x="42" y="23" {font} fill="{ink}">{NAME}</text>'
    st.logo(SVG.format(width=160, text=name) + MARK, size="large", icon_image=ICON)
    st.html(f"<style>{RULES}</style>")
