"""The banner on every page of a hosted server when something of the visitor's expires soon."""

from __future__ import annotations

import time

import streamlit as st

from s2s import hosted as workspaces
from s2s import settings
from s2s.config import UserError, asker
from s2s.hosted import Expiring
from s2s.ui.kit import forms, plain
from s2s.ui.shell.pages import WORKSPACE, Page, page_link

NAMED = 3  # as many things are named
FAILED = "not kept"  # in the session: why nothing could be kept


def show_expiry(page: Page) -> None:
    """Draw the names of what expires within three days, and offer to keep or export it."""
    if failed := st.session_state.pop(FAILED, None):
        forms.show_error(failed)
    if not asker.is_hosted() or page == WORKSPACE:
        return
    if soon := _all_soon(str(settings.home())).get(asker.current(), []):
        with st.container(border=True, key="expiry"):
            st.markdown(_sentence(soon), help=_help())
            with st.container(horizontal=True, vertical_alignment="center"):
                keep_button()
                page_link(WORKSPACE.url_path, "Export", icon=":material/download:")


def keep_button() -> None:
    """Draw a button that keeps everything of the visitor's as long again."""
    days = settings.expire_days()
    st.button(f"Keep for another {days} days", key="keep", icon=":material/update:", on_click=_keep)


def day(when: float) -> str:
    """A date as text, in UTC: `12 March`."""
    return time.strftime("%d %B", time.gmtime(when)).lstrip("0")


def _sentence(soon: list[Expiring]) -> str:
    named = [f"the {each.item.kind.name} {plain(each.item.name)}" for each in soon[:NAMED]]
    more = [f"{len(soon) - NAMED} more"] if len(soon) > NAMED else []
    listed = named + more
    what = listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
    return (
        f":material/hourglass_bottom: Expires on {day(soon[0].when or 0.0)}, or soon after: {what}."
    )


def _help() -> str:
    return (
        f"What you have not changed for {settings.expire_days()} days is deleted from this server. Keeping it"
        " restarts that period for everything that you have stored."
    )


@st.cache_resource(ttl=600, max_entries=1, show_spinner=False)
def _all_soon(home: str) -> dict[str, list[Expiring]]:
    try:
        return workspaces.expiring_soon()
    except UserError:  # the database is away: the pages say so where it matters
        return {}


def forget_expiring(workspace: str) -> None:
    """Drop what is cached about the expiry of a deleted workspace."""
    _all_soon(str(settings.home())).pop(workspace, None)


def _keep() -> None:
    try:
        workspaces.keep(asker.current())
    except UserError as error:
        st.session_state[FAILED] = error
    _all_soon.clear()
