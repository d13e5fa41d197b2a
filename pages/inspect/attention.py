"""Attention: one sentence, every layer and head of the encoder, the decoder, and cross-attention."""

import streamlit as st

from s2s.ui.attention import ask, show, show_grid
from s2s.ui.shell import page_link

asked = ask()
if asked:
    with asked.picture:
        show(asked)
    with asked.beside, st.container(border=True, key="heads"):
        show_grid(asked)
    page_link("compare", "How it was decoded", src=asked.question.text)
