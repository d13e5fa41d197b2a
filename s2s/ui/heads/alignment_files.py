"""A visitor's own sentences with their gold alignment: three files."""

from __future__ import annotations

import streamlit as st

from s2s.config import UserError
from s2s.data import Numbering, Pair
from s2s.jobs import head_service
from s2s.ui.kit import forms, read_once

MEGABYTES = 5  # of one file
FILES = (
    ("Sources, one per line", "alignment sources"),
    ("Targets, one per line", "alignment targets"),
    ("Alignment", "alignment links"),
)
NUMBERED = ("alignment counted from", "alignment side")  # keys of what says how files count
FIRST = {0: "0: the first word is 0", 1: "1: the first word is 1"}
SIDES = {False: "source", True: "target"}


def uploaded() -> list[Pair] | None:
    """Draw the upload fields; returns the pairs with their gold links, empty without files; None, and an error, for
    files that do not match.
    """
    with st.expander(
        "Your own sentences and their alignment",
        icon=":material/upload_file:",
        key="own alignment",
    ):
        st.caption(
            "The alignment: a line of links per pair, `0-0 1-2 3p4` (source-target, `-` sure, `p` possible); or a .wa"
            " file, whose lines `1 2 3 S` are pair, source word, target word, S(ure) or P(ossible), from 1. Words are"
            " separated by spaces and tabs only."
        )
        with st.container(horizontal=True):
            files = [
                st.file_uploader(label, key=key, max_upload_size=MEGABYTES, width=260)
                for label, key in FILES
            ]
        with st.container(horizontal=True):
            first = st.selectbox(
                "Words are counted from",
                [*FIRST],
                format_func=FIRST.__getitem__,
                key=NUMBERED[0],
                width=210,
            )
            is_target_first = st.selectbox(
                "In a link stands first",
                [*SIDES],
                format_func=SIDES.__getitem__,
                key=NUMBERED[1],
                width=210,
            )
        given = [file for file in files if file]
        if len(given) < len(FILES):
            return []
        numbering = Numbering(first, is_target_first)
        try:
            return read_once("alignment", given, head_service.aligned_pairs, numbering)
        except UserError as wrong:
            forms.show_error(wrong)
            return None
