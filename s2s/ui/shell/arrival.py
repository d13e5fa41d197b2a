"""What a visitor who opened a link reads: that the view was shared, what its sender wrote, how to have it oneself."""

from __future__ import annotations

from typing import Any

import streamlit as st

from s2s.config import UserError, asker
from s2s.jobs import run_copies
from s2s.links.short import Content, ShortLink
from s2s.ui.kit import action_button, as_markdown, cached, pickers, plain
from s2s.ui.shell.gone_run import show_gone_run
from s2s.ui.shell.short_link_route import KEY, find

ENDS = (".", "!", "?", "…", "。", "！", "？", "؟", "।")  # of a title that needs no full stop
ARRIVED = "arrived by"  # in the session: the short link
DISMISSED = "arrival dismissed"  # in the session: for which run
MINE = "Make it mine"
MINE_HELP = (
    "Copies the run into your own workspace, and shows this sentence and these settings with the copy. It is yours: you"
    " can rename, resume, download and delete it."
)


def read_letters() -> None:
    """At a visitor's first run, note which short link they came by."""
    letters = st.query_params.get(KEY)
    if letters is None:
        return
    try:
        st.session_state[ARRIVED] = find(letters)
    except UserError:
        st.session_state[ARRIVED] = None


def show_arrival(page: str, run_id: str) -> bool:
    """Say above the page what the short link or shared run shows, until it is dismissed.

    If the run is gone, what the link kept of it comes below. Returns whether that stands in place of the page.
    """
    link: ShortLink | None = st.session_state.get(ARRIVED)
    _show_line(page, run_id, link)
    return link is not None and show_gone_run(page, link)


def _show_line(page: str, run_id: str, link: ShortLink | None) -> None:
    content = link.content if link and link.content.page == page else None
    is_foreign = _is_foreign(run_id) and st.session_state.get(DISMISSED) != run_id
    if content is None and not is_foreign:
        return
    with st.container(
        key="arrival", horizontal=True, vertical_alignment="center", border=True, gap="small"
    ):
        st.markdown(f":material/link: {_words(content)}", width="stretch")
        if is_foreign and may_copy(run_id):
            copy_button(MINE, run_id, key="make it mine", help=MINE_HELP)
        st.button(
            "Dismiss",
            key="dismiss arrival",
            icon=":material/close:",
            type="tertiary",
            on_click=_dismiss,
            args=(run_id,),
        )


def _words(content: Content | None) -> str:
    said = "You are looking at a shared view"
    end = "."
    if content and content.title:
        said += f": **{plain(content.title)}**"
        end = "" if content.title.endswith(ENDS) else "."
    return f"{said}{end} {plain(content.note) if content else ''}".rstrip()


def _is_foreign(run_id: str) -> bool:
    is_known = asker.is_hosted() and cached.runs().get(run_id) is not None
    return is_known and not cached.is_own(run_id)


def may_copy(run_id: str) -> bool:
    """Whether the visitor may copy a run of somebody else."""
    try:
        return run_copies.may_copy(run_id)
    except UserError:  # deleted a moment ago, or unreadable, as the page says
        return False


def copy_button(label: str, run_id: str, *, key: str, **look: Any) -> None:
    """Draw a button that copies a run into the visitor's workspace, and makes the copy the page's."""
    click = action_button(label, key=key, **look)
    if not click.is_waiting:
        return
    made = ""
    try:
        made = run_copies.copy(run_id)
    except UserError as error:
        st.toast(as_markdown(str(error)), icon=":material/error:")
    click.done()
    if made:
        cached.refresh_runs()
        pickers.choose_run(made, cached.label(made))
        st.toast("The run is copied into your workspace, and shown.", icon=":material/check:")
        st.rerun()


def _dismiss(run_id: str) -> None:
    st.session_state[ARRIVED] = None
    st.session_state[DISMISSED] = run_id
