"""Views of the models that ship, each with what there is to see: Home shows them, and the search finds them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from s2s.config import shipped


class CuratedView(NamedTuple):
    """A page's address and its values, with what there is to see."""

    title: str
    about: str  # Markdown, as the title is
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
