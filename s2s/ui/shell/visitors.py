"""Who the visitor is, and what a hosted server says about it on every page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

import streamlit as st

from s2s import hosted as workspaces
from s2s import settings
from s2s.config import UserError, asker
from s2s.ui.canvas import mend_downloads
from s2s.ui.kit import as_markdown
from s2s.ui.streamlit_parts import get_script_run_ctx

NO_COOKIE = (
    "Nothing that you make here can be stored, because your browser sends no cookie: you can look at the demo runs and"
    " at what others share. Allow cookies for this page, and open it in a tab of its own."
)
DELETED = "This workspace was deleted on another computer; reload the page to start a new one."
KEY_REPLACED = (
    "This browser's key to its workspace was not valid, so it has a new, empty workspace now; if you made a recovery"
    " link for the old one, open it."
)
FRAMED = (
    "This page is in a frame of another site. What you make here is in a workspace of this frame, not in the one that"
    " you have in a tab. [Open the page in a tab]({address})"
)


def identify() -> None:
    """Let `asker.current()` name the visitor's workspace in every script run."""
    asker.identify_visitors(workspace_of_visitor)


def workspace_of_visitor() -> str:
    """The workspace of the visitor for whom this script runs; nobody's outside a script.

    It belongs to the account of who is signed in, else to the key of the browser.
    """
    try:
        if found := account():
            return workspaces.workspace_of_account(found)
        key = browser_key()
        return workspaces.workspace_of(key) if key else asker.NOBODY
    except UserError:  # the server has no secret, or cannot reach the database that it needs
        return asker.NOBODY


def account() -> str:
    """The account of the visitor who is signed in; "" where nobody is."""
    return workspaces.account_of(user())


def browser_key() -> workspaces.Key | None:
    return workspaces.key_of(cookies())


def is_framed() -> bool:
    """Whether the page is in a frame of another site, which has a workspace of its own."""
    return asker.is_hosted() and workspaces.is_framed(cookies())


def browser() -> str:
    """The id of this browser, where all browsers share one workspace; "" on a hosted server."""
    return "" if asker.is_hosted() else workspaces.browser_of(cookies())


def user() -> Mapping[str, Any]:
    """What the identity provider says of the visitor, like `st.user`, which is slow to read."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.user_info if context else {}


def cookies() -> Mapping[str, str]:
    """The cookies with which the visitor's browser connected."""
    return dict(st.context.cookies)


def show_identity() -> bool:
    """Tell visitors about their workspace. Returns False if the page cannot be drawn."""
    if not asker.is_hosted():
        return True
    if why := settings.why_not_ready():
        st.error(as_markdown(why), icon=":material/error:")
        return False
    if asker.current() == asker.NOBODY:
        st.info(as_markdown(_why_nobody()), icon=":material/cookie_off:")
    elif workspaces.REPLACED in cookies() and "said key replaced" not in st.session_state:
        st.session_state["said key replaced"] = True
        st.info(KEY_REPLACED, icon=":material/key_off:")
    return True


def show_frame() -> None:
    """Say in a frame of another site what differs there."""
    if is_framed():
        st.markdown(f":small[{FRAMED.format(address=_address())}]")
        mend_downloads()


def _address() -> str:
    return quote(urlsplit(st.context.url or "/")._replace(query="", fragment="").geturl(), "/:%[]")


def _why_nobody() -> str:
    key = browser_key()
    if key is None:
        return NO_COOKIE
    try:
        workspaces.workspace_of(key)
    except UserError as error:  # only the database knows which one this key opens
        return f"Your workspace cannot be opened at the moment. {error}"
    return DELETED
