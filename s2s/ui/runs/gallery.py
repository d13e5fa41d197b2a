"""The view Gallery of Runs: what its owners have published, as cards; who publishes it is not said."""

from __future__ import annotations

import html
from collections.abc import Iterator
from itertools import islice

import numpy as np
import streamlit as st

from s2s import gallery, settings
from s2s.config import UserError
from s2s.gallery import Entry
from s2s.ui.kit import as_markdown, cached, plain
from s2s.ui.runs import table
from s2s.ui.runs.view_state import STATE
from s2s.ui.shell import PAGES, View, copy_button, may_copy, page_link, preview_of, view_of
from s2s.versions import NAME

AT_ONCE = 9  # cards, before more are asked for
SHOWN = "gallery cards"  # in the session: how many
HOSTED = (
    "Views that their owners have published here: open one, or copy its run where its owner allows that. To publish one"
    " of yours, press Share, make a short link, and switch on “Publish in the gallery”."
)
LOCAL = (
    "Views that you have published on this computer; nobody else sees them. To publish one, press Share, make a short"
    " link, and switch on “Publish in the gallery”."
)
COPY_HELP = (
    "Copies the run into your own workspace, where you can rename, resume, download and delete it."
)


def tab(run_id: str) -> None:
    """Cards of the published views that a search finds, newest first."""
    st.caption(HOSTED if settings.is_hosted() else LOCAL)
    query = _search()
    shown = int(st.session_state.get(SHOWN, AT_ONCE))
    found = list(islice(_known(query), shown + 1))
    if not found:
        _empty(query)
        return
    with st.grid(3, min_column_width=260, border=True) as grid:
        for entry, view in found[:shown]:
            with grid.cell():
                _card(entry, view)
    if len(found) > shown:
        st.button("Show more", key="more of the gallery", on_click=_show_more)


def _known(query: str) -> Iterator[tuple[Entry, View]]:
    """Those whose page this version has."""
    pages = {page.url_path: page for page in PAGES}
    for entry in gallery.entries(query):
        if page := pages.get(entry.content.page):
            yield entry, view_of(page, entry.content.view)


def _search() -> str:
    return STATE.text(
        "search",
        "Search",
        placeholder="words of a title or note",
        live="300ms",
        max_chars=gallery.MAX_QUERY,
        width=300,
    )


def _show_more() -> None:
    st.session_state[SHOWN] = int(st.session_state.get(SHOWN, AT_ONCE)) + AT_ONCE


def _empty(query: str) -> None:
    with st.container(border=True, horizontal_alignment="center"):
        st.subheader("Nothing found" if query else "Nothing is published yet", anchor=False)
        st.caption(
            f"No published view has the words “{plain(query)}” in its title or note."
            if query
            else "What is published appears here."
        )


def _card(entry: Entry, view: View) -> None:
    preview = preview_of(view)
    title = entry.content.title or preview.title.removesuffix(f" · {NAME}")
    alt = html.escape(f"Picture of the view {title}")
    source = html.escape(preview.picture)
    st.html(f'<img class="published" loading="lazy" alt="{alt}" src="{source}">')
    st.markdown(f"**{plain(title)}**")
    facts = " · ".join(filter(None, (view.page.title, _scores(entry.run))))
    st.caption(f"{plain(entry.content.note)}  \n{facts}" if entry.content.note else facts)
    with st.container(horizontal=True, vertical_alignment="center"):
        page_link(view.page.url_path, "Open", **dict(view.values))
        if may_copy(entry.run):
            copy_button(
                "Make a copy",
                entry.run,
                key=f"copy {entry.letters}",
                icon=":material/content_copy:",
                help=COPY_HELP,
            )
        if entry.is_own:
            st.button(
                "Unpublish",
                key=f"unpublish {entry.letters}",
                type="tertiary",
                on_click=_unpublish,
                args=(entry.letters,),
            )
        else:
            _report_form(entry.letters)


def _scores(run: str) -> str:
    """Those of the best validation; "" of a run that has none."""
    curves = cached.curves(run)
    best = table.best_validation(run)
    if best is None:
        return ""
    loss, bleu = float(curves.valid_loss[best]), float(curves.valid_bleu[best])
    accuracy = float(curves.valid_token_accuracy[best])
    return " · ".join(
        (
            *([f"BLEU {bleu:.1f}"] if np.isfinite(bleu) else ()),
            f"validation loss {loss:.3f}",
            *([f"token accuracy {accuracy:.1%}"] if np.isfinite(accuracy) else ()),
        )
    )


def _report_form(letters: str) -> None:
    key = f"reason {letters}"
    with (
        st.popover("Report", icon=":material/flag:", type="tertiary"),
        st.form(f"report {letters}", border=False),
    ):
        st.text_input("What is wrong with it?", key=key, max_chars=gallery.MAX_REASON)
        st.form_submit_button("Report to the operator", on_click=_report, args=(letters, key))


def _report(letters: str, key: str) -> None:
    try:
        gallery.report(letters, str(st.session_state[key] or ""))
    except UserError as error:
        st.toast(as_markdown(str(error)), icon=":material/error:")
        return
    st.toast("The operator of this server reads your report.", icon=":material/check:")


def _unpublish(letters: str) -> None:
    try:
        gallery.unpublish(letters)
    except UserError as error:
        st.toast(as_markdown(str(error)), icon=":material/error:")
