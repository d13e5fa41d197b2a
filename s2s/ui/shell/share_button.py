"""The Share button: the page's view as a full link."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from s2s import access, settings, share, short_links
from s2s.config import UserError
from s2s.jobs import run_copies, run_records, run_service
from s2s.short_links import Content
from s2s.ui.canvas import copy_button
from s2s.ui.kit import address, as_markdown, in_view, plain
from s2s.ui.shell import lesson
from s2s.ui.shell.add_to_lesson import LAST, add_to_lesson
from s2s.ui.shell.pages import LESSONS, Page
from s2s.ui.shell.short_link_form import short_link_form
from s2s.ui.snapshot import snapshot_button

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
LOCAL_HELP = (
    "Its address begins with a name that every computer uses for itself, so nobody else can open it. On a computer that"
    " others reach by a name of its own they can: the documentation says how to host the dashboard."
)


def share_button(page: Page) -> None:
    """A popover with the link; on a hosted server it shares what the link shows of the visitor's own."""
    own = in_view.own() if settings.is_hosted() else []
    opens: dict[str, Any] = {"key": "share", "on_change": _share, "args": (own,)} if own else {}
    with st.popover("Share", icon=":material/link:", **opens):
        if why := st.session_state.get("no link"):
            st.caption(why)
            return
        if page.url_path == LESSONS:  # the list of lessons is no view of one
            _link(page, own)
            return
        names = ["Link", "Add to a lesson"]
        first = names[LAST in st.session_state]  # who makes a lesson adds the next step
        link, step = st.tabs(names, default=first, key="share tab", on_change="rerun")
        with link:
            _link(page, own)
        with step:
            if step.open:
                add_to_lesson(page, _home(page))


def _link(page: Page, own: list[in_view.Shown]) -> None:
    """The full link, what it shows of the visitor's own, and the way to a short one."""
    url = page_url(page)
    is_local = urlsplit(url).hostname in LOCAL
    reach = "only on this computer" if is_local else "on any computer that can reach this server"
    st.caption(f"This link opens what you see now, {reach}.")
    st.code(url, language=None, wrap_lines=True)
    copy_button(url, key="copy link")
    snapshot_button(page.title, url)
    for shown in own:
        _switches(shown)
    if is_local:
        st.caption(LOCAL_HELP)
    short_link_form(Content(page.url_path, _view(page)), _home(page), is_local=is_local)


def _home(page: Page) -> str:
    """The full address of the first page."""
    return page_url(page).partition("?")[0].removesuffix(page.url_path)


def _share(own: list[in_view.Shown]) -> None:
    """Pressing Share shares what nobody has decided on yet; who has ended it must say so again."""
    for shown in own:
        if not access.is_decided(shown.thing):
            _set(shown.thing, access.Sharing(link=True))


def _switches(shown: in_view.Shown) -> None:
    """What anyone with the link may see of one thing."""
    thing = shown.thing
    said = access.sharing(thing.kind, thing.id)
    key = f"share {thing.kind} {thing.id}"
    st.session_state[key] = said.link
    st.session_state[f"{key} data"] = said.data
    st.session_state[f"{key} copy"] = said.copy
    st.toggle(
        f"Anyone with the link may explore the {thing.kind} *{plain(shown.name)}*",
        key=key,
        on_change=_change,
        args=(thing, key),
        help="They translate with it and look inside it, but cannot list, rename, stop, download or delete it.",
    )
    st.toggle(
        "… and read sentences of its dataset",
        key=f"{key} data",
        on_change=_change,
        args=(thing, key),
        disabled=not said.link,
        help="Without this they see only the probe sentences that training translated.",
    )
    if thing.kind == "run":
        why = _why_not_copied(thing.id)
        st.toggle(
            "… and copy it into their own workspace",
            key=f"{key} copy",
            on_change=_change,
            args=(thing, key),
            disabled=not said.link or bool(why),
            help=plain(why) or "The copy is theirs: it stays when you end this, or delete the run.",
        )


def _why_not_copied(run_id: str) -> str:
    """Why nobody could copy a run, whatever its owner says; "" where they could."""
    try:
        return run_copies.why_private(run_id)
    except UserError:
        return "It has nothing to copy yet."


def _change(thing: access.Thing, key: str) -> None:
    link = bool(st.session_state[key])
    data, copy = (link and bool(st.session_state.get(f"{key} {what}")) for what in ("data", "copy"))
    _set(thing, access.Sharing(link, data, copy))


def _set(thing: access.Thing, what: access.Sharing) -> None:
    """Share it, unless it was deleted since the page was drawn."""
    try:
        if thing.kind == "run":  # of one that waits the queue says whose it is
            row = run_service.find(thing.id, access.current())
            thing = access.run_of(row.id, row.owner)
        access.share(thing, what)
        if thing.kind == "run" and not run_records.may_record(thing.id):
            short_links.drop_records(thing.id)
    except UserError as error:
        st.toast(as_markdown(str(error)), icon=":material/error:")


def page_url(page: Page) -> str:
    """The page's full address, every value written out."""
    return share.link(st.context.url or "", _view(page))


def _view(page: Page) -> dict[str, str]:
    return lesson.with_lesson(address.view_values(page.keys))
