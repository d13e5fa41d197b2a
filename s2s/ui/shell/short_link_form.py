"""The part of the Share button that makes a short link of the page's view, with title and note; who can open a link."""

from __future__ import annotations

from functools import partial
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from s2s.config import UserError
from s2s.jobs import run_records
from s2s.library.own import delete_short_link
from s2s.links import short as short_links
from s2s.links.short import MAX_NOTE, MAX_TITLE, Content, ShortLink, written
from s2s.ui.canvas import copy_button
from s2s.ui.kit import as_markdown, pickers, qr_code
from s2s.ui.streamlit_parts import DeltaGenerator

LOCAL_HELP = (
    "You opened the dashboard by an address that means “this computer” wherever it is used: on another computer the"
    " link leads to that computer itself. To send a link, open the dashboard by this computer's name or address in its"
    " network, or host it, as the documentation says."
)
# in the session
MADE = "made short link"
REFUSED = "short link refused"
TITLE = "short link title"
NOTE = "short link note"
PATH = "s"
OUTLIVES = "It outlives the run: it keeps its recipe and its curve, and opens that recipe on Train."


@st.fragment
def short_link_form(content: Content, home: str) -> None:
    """Draw the short-link form; `home`: the first page's address."""
    if why := st.session_state.pop(REFUSED, ""):
        st.error(as_markdown(why), icon=":material/error:")
    link: ShortLink | None = st.session_state.get(MADE)
    if link and (link.content.page, link.content.view) == (content.page, content.view):
        _show(link, home)
    else:
        link = None
    make = partial(st.form_submit_button, icon=":material/add_link:", args=(content,))
    with st.form("short link", border=False):
        if link is None:
            make("Make a short link", type="primary", on_click=make_short_link)
        with st.expander("Title and note above the page", icon=":material/title:"):
            st.text_input("Title", key=TITLE, max_chars=MAX_TITLE, placeholder="optional")
            st.text_input("Note", key=NOTE, max_chars=MAX_NOTE, placeholder="optional")
            if link:
                make("Make the link with them", on_click=make_short_link)


def make_short_link(content: Content) -> None:
    """Make a short link with the title and note in their boxes."""
    title, note = (str(st.session_state.get(key) or "") for key in (TITLE, NOTE))
    try:
        st.session_state[MADE] = short_links.make(
            Content(content.page, content.view, title, note), record=_record(content)
        )
    except UserError as error:
        st.session_state[REFUSED] = str(error)


def _record(content: Content) -> dict[str, Any] | None:
    try:
        return run_records.record(pickers.run_id_of(content.view.get("run", "")))
    except UserError:  # no run, or one without a checkpoint: its link opens as any other
        return None


def _show(link: ShortLink, home: str) -> None:
    with show_link(url_of(link, home), "the short link", key="short link"):
        st.button(
            "Delete this link",
            key="delete short link",
            type="tertiary",
            on_click=_delete,
            args=(link,),
        )
    st.caption(f"Capital letters or small ones: both open it. {OUTLIVES if link.record else ''}")


def url_of(link: ShortLink, home: str) -> str:
    """The full address of a short link; `home` is that of the first page."""
    return f"{home}{PATH}/{written(link.letters)}"


def show_link(url: str, of: str, *, key: str, label: str = "Copy") -> DeltaGenerator:
    """Draw a link with the button that copies it and, unless only this computer can open it, its QR code, which opens
    `of`.

    Returns the row of the button.
    """
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key} box"):
        with st.container():
            st.code(url, language=None, wrap_lines=True)
            row = st.container(horizontal=True, vertical_alignment="center")
            with row:
                copy_button(url, key=f"copy {key}", label=label, is_primary=True)
        if not is_local(url):
            with st.container(width=150):
                qr_code(url, of)
    return row


def _delete(link: ShortLink) -> None:
    try:
        delete_short_link(link.letters)
        st.session_state[MADE] = None
    except UserError as error:
        st.session_state[REFUSED] = str(error)


def is_local(url: str) -> bool:
    """Whether only this computer can open a link."""
    name = (urlsplit(url).hostname or "").rstrip(".")
    try:
        address = ip_address(name)
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


def reach(url: str) -> str:
    """Who can open a link, in words to follow what it opens: `only on this computer`."""
    return (
        "only on this computer" if is_local(url) else "on any computer that can reach this server"
    )
