"""Views of the models that ship, each with what there is to see: Home shows them, and the search finds them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.config import shipped


class CuratedView(NamedTuple):
    """A page's address and its values, with what there is to see."""

    title: str
    page: str
    values: Mapping[str, str]


CURATED_VIEWS = tuple(
    CuratedView(title, row.pop("page"), MappingProxyType(row))
    for title, row in shipped(__file__, "curated_views.toml").items()
)
