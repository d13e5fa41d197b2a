"""Views of the models that ship, each with what there is to see: Home shows them, and the search finds them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from s2s.config import shipped

CURATED = "curated"  # the address below which the pictures are
THEMES = ("light", "dark")


class CuratedView(NamedTuple):
    """A page's address and its values, with what there is to see."""

    title: str  # Markdown
    about: str
    name: str  # of its pictures
    page: str
    values: Mapping[str, str]

    def picture(self, theme: str) -> Path:
        """A small picture of it, in `light` or `dark`; `benchmarks.make.curated_pictures` makes them."""
        return Path(__file__).with_name("curated") / f"{self.name}-{theme}.webp"


CURATED_VIEWS = tuple(
    CuratedView(title, row.pop("about"), row.pop("picture"), row.pop("page"), MappingProxyType(row))
    for title, row in shipped(__file__, "curated_views.toml").items()
)


async def curated_picture(request: Request) -> Response:
    """A picture by the name of its file."""
    files = {file.name: file for view in CURATED_VIEWS for file in map(view.picture, THEMES)}
    if (file := files.get(request.path_params["file"])) is None:
        return PlainTextResponse("There is no such picture.\n", 404)
    return FileResponse(file, headers={"cache-control": "public, max-age=86400"})
