"""Before a picture of attention is drawn: what is left out of it, and what is put together."""

from __future__ import annotations

from s2s.analysis import Picture


def tidied(picture: Picture) -> tuple[Picture, str]:
    """The picture as the page's switches want it, and one sentence on what was done to it; empty where nothing was."""
    return picture, ""
