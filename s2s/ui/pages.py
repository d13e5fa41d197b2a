"""The pages, as data."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[2] / "pages"


class Page(NamedTuple):
    """One screen. Its `url_path` and `keys` are in links that people keep: a rename keeps the old one working."""

    section: str
    file: str  # below pages/
    title: str
    icon: str
    url_path: str  # empty: the root address
    keys: tuple[str, ...]  # what its address holds, at most five
    summary: str


PAGES = (
    Page(
        section="",
        file="start/home.py",
        title="Home",
        icon=":material/home:",
        url_path="",
        keys=("run", "src", "layer", "head"),
        summary="Watch a transformer translate",
    ),
)
