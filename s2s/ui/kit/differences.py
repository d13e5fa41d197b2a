"""A translation beside its reference, with the words in which they differ."""

from __future__ import annotations

from s2s.reports.differences import highlighted
from s2s.ui.kit.text import shortened

LONGEST = 300  # characters of a cell
MARGIN = 40  # characters beyond twice the reference's length: early translations never end


def against_reference(text: str, reference: str, longest: int = LONGEST) -> str:
    """A table cell: a translation as HTML, truncated, with its differences from the reference marked.

    Both have at most `longest` characters where the reference has more; words that only one kept would look missing.
    """
    most = longest if len(reference) > longest else 2 * len(reference) + MARGIN
    reference = shortened(reference, longest).strip()
    text = shortened(text, most).strip()
    shown, _ = highlighted(text, reference)
    return shown if text else f"(nothing) {shown}".rstrip()
