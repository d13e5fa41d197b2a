"""Views of the models that ship, which Home shows and the search finds; and the small pictures of cards."""

from __future__ import annotations

import html
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from s2s.config import shipped

CURATED = "curated"  # the address below which the pictures are
FOLDER = Path(__file__).with_name("curated")
THEMES = ("light", "dark")


class CuratedView(NamedTuple):
    """A recommended view: page, values and a sentence on what to see."""

    title: str  # Markdown
    about: str
    name: str  # of its pictures
    page: str
    values: Mapping[str, str]


CURATED_VIEWS = tuple(
    CuratedView(title, row.pop("about"), row.pop("picture"), row.pop("page"), MappingProxyType(row))
    for title, row in shipped(__file__, "curated_views.toml").items()
)


def picture_file(name: str, theme: str) -> Path:
    """The file of a card's small picture in one of THEMES; `benchmarks.make.curated_pictures` makes them."""
    return FOLDER / f"{name}-{theme}.webp"


def small_picture(name: str, alt: str = "") -> str:
    """The picture of a card in the theme of the visitor, as HTML; without `alt`, the text beside it says all."""
    file = picture_file(name, st.context.theme.type or THEMES[0]).name
    said = html.escape(alt, quote=True)
    return f'<img class="card" src="{CURATED}/{file}" width="480" height="270" loading="lazy" alt="{said}">'


async def curated_picture(request: Request) -> Response:
    """Answers with a card's picture, by the name of its file; 404 where there is none."""
    files = {file.name: file for file in FOLDER.glob("*.webp")}
    if (file := files.get(request.path_params["file"])) is None:
        return PlainTextResponse("There is no such picture.\n", 404)
    return FileResponse(file, headers={"cache-control": "public, max-age=86400"})
