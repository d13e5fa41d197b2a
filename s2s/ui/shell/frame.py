"""The script that runs at every visit: settings, navigation, what stands around the page, then the page."""

from __future__ import annotations

import streamlit as st

from s2s.config import UserError
from s2s.ui.kit import address, forms
from s2s.ui.shell import chrome
from s2s.ui.shell.pages import PAGES

st.set_page_config(
    page_icon=chrome.ICON, layout="wide"
)  # before the navigation, which would fetch an icon from Google
chrome.arrive()
sections = dict.fromkeys(row.section for row in PAGES)
page = st.navigation(
    {section: [row.screen() for row in PAGES if row.section == section] for section in sections}
)
row = next(row for row in PAGES if row.url_path == page.url_path)
st.set_page_config(page_title=f"{row.title} · s2s")
address.turn_page(row.url_path, row.keys)

chrome.styled()
place, is_open = chrome.header(row)
notes = st.container()
if is_open:
    try:
        page.run()
    except UserError as wrong:  # that no control is to blame for: a sentence longer than the model's positions, say
        forms.show_error(wrong)
with notes:
    sentences = chrome.lost()
with place:
    chrome.share_button(row)
chrome.settle(sentences)
