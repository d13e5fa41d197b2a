"""This server's address, and the view that a pasted link opens."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

import streamlit as st

from s2s.config import UserError, shortened
from s2s.lessons import View, lesson_file
from s2s.links import share
from s2s.ui.shell import PAGES, find_link

SHORT = "s/"  # before the letters of a short link
BESIDE = frozenset({*share.BESIDE, "s"})  # in the address of a page, and not of its view


def home() -> str:
    """The full address of this server's first page; it ends in a slash."""
    return (st.context.url or "").partition("?")[0].removesuffix("lessons")


def given_view(typed: str, home: str) -> View:
    """The view that a typed link opens: a link within this program, a full link of this server, or a short one.

    `home` is the full address of this server's first page. Raises UserError for a link to another server or to no
    page, and for a short link that opens nothing.
    """
    written = _within(typed.strip(), home)
    if written.startswith(f"/{SHORT}"):
        content = find_link(urlsplit(written).path.removeprefix(f"/{SHORT}")).content
        written = f"/{content.page}?{urlencode(content.view)}"
    path, _, query = written.partition("?")
    kept = [
        (key, value) for key, value in parse_qsl(query, keep_blank_values=True) if key not in BESIDE
    ]
    pages = {page.url_path for page in PAGES}
    return lesson_file.view_of(f"{path}?{urlencode(kept)}" if kept else path, pages)


def _within(typed: str, home: str) -> str:
    try:
        given = urlsplit(typed)
    except ValueError:  # `http://[`, which `view_of` says
        return typed
    here = urlsplit(home)
    if given.scheme not in ("http", "https"):
        return typed
    path = given.path or "/"
    if given.netloc.lower() != here.netloc.lower() or not path.startswith(here.path):
        raise UserError(
            f"`{shortened(share.printable(typed), 60)}` is a link to another server; give one that begins with {home},"
            " or one within this program, such as `/attention?src=the+cat`."
        )
    return f"/{path.removeprefix(here.path)}" + (f"?{given.query}" if given.query else "")
