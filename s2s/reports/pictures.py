"""Pictures in one HTML file."""

from __future__ import annotations

from collections.abc import Sequence

from s2s.plots import Picture
from s2s.reports import document


def page(title: str, pictures: Sequence[Picture], *, link: str = "") -> str:
    """The file."""
    parts = [document.section(one.one_line, document.paragraph(one.finding)) for one in pictures]
    return document.page(title, "".join(parts))
