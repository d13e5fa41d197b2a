"""The Share button: the page's view as a link, or as a file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from s2s.config import UserError, asker
from s2s.jobs import run_copies, run_records, run_service
from s2s.library import Thing, sharing
from s2s.links import share
from s2s.links import short as short_links
from s2s.links.short import Content
from s2s.plots import Picture
from s2s.reports import pictures as reports
from s2s.ui.kit import address, as_markdown, file_name, in_view, plain
from s2s.ui.kit import shown as shown_pictures
from s2s.ui.shell import lesson
from s2s.ui.shell.arrival import ARRIVED
from s2s.ui.shell.lesson_builder import build_lesson, is_building
from s2s.ui.shell.pages import LESSONS, Page
from s2s.ui.shell.short_link_form import (
    LOCAL_HELP,
    is_local,
    make_short_link,
    reach,
    short_link_form,
)

KEY = "share"  # of the popover: whether it is open


def share_button(page: Page) -> None:
    """Draw a popover with the link; on a hosted server it shares what the link shows of the visitor's own."""
    own = in_view.own() if asker.is_hosted() else []
    content = None if st.session_state.get("no link") else Content(page.url_path, _view(page))
    with st.popover(
        "Share", icon=":material/link:", key=KEY, on_change=_share, args=(own, content)
    ) as box:
        if not box.open:
            return
        if content is None:
            st.caption(st.session_state["no link"])
        else:
            _link(page, content, own)


def _link(page: Page, content: Content, own: list[in_view.Shown]) -> None:
    url = page_url(page)
    st.caption(f"This link opens what you see now, {reach(url)}.")
    short_link_form(content, home_url(page))
    for shown in own:
        _switches(shown)
    if is_local(url):
        st.caption(LOCAL_HELP)
    if page.url_path != LESSONS and not is_building():  # the list of lessons is no step of one
        st.button(
            "Add to a lesson",
            key="add to a lesson",
            icon=":material/school:",
            on_click=_add_to_lesson,
            help="This page, as you see it, becomes a step of a lesson of your own, with your note.",
        )
    pictures = shown_pictures()
    more = "Full link, snapshot" if pictures else "Full link"
    with st.expander(more, icon=":material/more_horiz:"):
        st.code(url, language=None, wrap_lines=True)
        if pictures:
            _snapshot(page, pictures, url)


def _snapshot(page: Page, pictures: Sequence[Picture], url: str) -> None:
    """Draw a button to download the page's pictures, with the sentence and the link's title and note."""
    about = [str(st.session_state.get("src") or "") if "src" in page.keys else ""]
    link = st.session_state.get(ARRIVED)
    if link and link.content.page == page.url_path:
        about += [link.content.title, link.content.note]
    file = partial(
        reports.page,
        page.title,
        pictures,
        about=" · ".join(filter(None, about)),
        link=url,
        drawn_at=datetime.now(UTC),
    )
    st.download_button(
        "Snapshot (HTML)",
        asker.for_this_visitor(file),
        f"{file_name(page.title)}-snapshot.html",
        "text/html",
        key="snapshot",
        on_click="ignore",
        icon=":material/photo_camera:",
        help="The pictures of this page, with findings and tables, as one HTML file that opens without a network.",
    )


def _add_to_lesson() -> None:
    st.session_state[KEY] = False
    build_lesson()


def home_url(page: Page) -> str:
    """The full address of the first page."""
    return page_url(page).partition("?")[0].removesuffix(page.url_path)


def _share(own: list[in_view.Shown], content: Content | None) -> None:
    """Make the short link and share what it shows, except what its owner has shared or stopped sharing before."""
    if content and st.session_state.get(KEY):
        make_short_link(content)
    for shown in own:
        if not sharing.is_decided(shown.thing):
            _set(shown.thing, sharing.Sharing(link=True))


def _switches(shown: in_view.Shown) -> None:
    thing = shown.thing
    said = sharing.sharing(thing.kind, thing.id)
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
    try:
        return run_copies.why_private(run_id)
    except UserError:
        return "It has nothing to copy yet."


def _change(thing: Thing, key: str) -> None:
    link = bool(st.session_state[key])
    data, copy = (link and bool(st.session_state.get(f"{key} {what}")) for what in ("data", "copy"))
    _set(thing, sharing.Sharing(link, data, copy))


def _set(thing: Thing, what: sharing.Sharing) -> None:
    """Share a run or evaluation, unless it was deleted since the page was drawn."""
    try:
        if thing.kind == "run":  # of one that waits the queue says whose it is
            row = run_service.find(thing.id, asker.current())
            thing = sharing.thing("run", row.id, row.owner)
        sharing.share(thing, what)
        if thing.kind == "run" and not run_records.may_record(thing.id):
            short_links.drop_records(thing.id)
    except UserError as error:
        st.toast(as_markdown(str(error)), icon=":material/error:")


def page_url(page: Page) -> str:
    """The page's full address, every value written out."""
    return share.link(st.context.url or "", _view(page))


def _view(page: Page) -> dict[str, str]:
    return lesson.with_lesson(address.view_values(page.keys))
