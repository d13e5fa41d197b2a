"""The gallery ended: owners are told that what they published is theirs as short links; its address leads on."""

from __future__ import annotations

import streamlit as st

from s2s.config import UserError, asker
from s2s.links import share
from s2s.links import short as short_links
from s2s.links.short import ShortLink, written
from s2s.ui.kit import pickers, plain
from s2s.ui.shell.pages import PAGES, Page, page, page_link

TOLD = "links of the gallery"  # in the session: what is said in it until it is dismissed
HIGHEST = 260  # pixels of the list, which scrolls
ENDED = "The gallery has ended. Views to open are listed at the end of Home."
STAYS = (
    "**The gallery has ended.** What you published stays yours: the short links below, with title and note, open as"
    " before. They are listed nowhere else, so copy the letters that you still need."
)
EXPORTED = " The export of your workspace has them, too."


def lead_on(row: Page) -> None:
    """Send the gallery's former address to Home, at the same step of a lesson."""
    view = share.unpack(st.query_params.get("set", ""))
    if row.url_path == "runs" and view.get("tab") == "gallery":
        pickers.notify(ENDED)
        kept = {key: text for key, text in st.query_params.items() if key == share.LESSON}
        st.switch_page(page("").screen(), query_params=kept)


def show_once_published() -> None:
    """Tell visitors who had published in the gallery that it has gone, until they dismiss it."""
    if TOLD not in st.session_state:
        try:
            found = [] if asker.current() == asker.NOBODY else short_links.once_published()
        except UserError:  # the database is away: told next time
            return
        st.session_state[TOLD] = found
    links: list[ShortLink] = st.session_state[TOLD]
    if not links:
        return
    titles = {row.url_path: row.title for row in PAGES}
    with st.container(key="once published", border=True, gap="small"):
        st.markdown(f":material/photo_library: {STAYS}{EXPORTED if asker.is_hosted() else ''}")
        with st.container(height=HIGHEST if len(links) > 5 else "content", border=False):
            for link in links:
                title = plain(link.content.title) or titles.get(link.content.page, "")
                label = f"{written(link.letters)} · {title}"
                if link.content.page in titles:
                    page_link(link.content.page, label, ":material/link:", **link.content.view)
                else:
                    st.markdown(label)
        st.button("Dismiss", key="dismiss published", icon=":material/close:", on_click=_dismiss)


def _dismiss() -> None:
    short_links.forget_that_published()
    st.session_state[TOLD] = []
