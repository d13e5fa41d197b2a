"""The script that runs at every visit: settings, navigation, what stands around the page, then the page."""

from __future__ import annotations

import streamlit as st

from s2s.ui import chrome
from s2s.ui.pages import FOLDER, PAGES

st.set_page_config(page_icon=chrome.ICON, layout="wide")  # before the navigation, which would fetch an icon from Google
chrome.arrive()
rows = {row.url_path: row for row in PAGES}
shown = [st.Page(FOLDER / row.file, title=row.title, icon=row.icon, url_path=row.url_path, default=not row.url_path) for row in PAGES]
page = st.navigation(shown, position="hidden" if len(shown) == 1 else "sidebar")
row = rows[page.url_path]
st.set_page_config(page_title=f"{row.title} · s2s")

chrome.styled()
place, is_open = chrome.header(row)
notes = st.container()
if is_open:
    page.run()
with notes:
    chrome.lost()
with place:
    chrome.share_button(row)
