"""A translation with its differences from the reference marked, as HTML."""

from __future__ import annotations

import html
from difflib import SequenceMatcher

from s2s.ui.kit.text import shortened

LONGEST = 300  # characters of a cell
ROOM = 40  # characters beyond twice the reference's length: early translations never end
MISSING = '<b title="words are missing here">⌄</b>'
LEGEND = (
    f"Words that the reference does not have are <u>underlined</u>; {MISSING} marks missing words."
)


def marked(text: str, reference: str) -> str:
    """HTML: words that differ from the reference underlined, `MISSING` where some of its words are missing.

    Texts without spaces are compared character by character.
    """
    reference = shortened(reference, LONGEST).strip()
    text = shortened(text, 2 * len(reference) + ROOM).strip()
    separator = " " if " " in text + reference else ""
    ours, theirs = (each.split() if separator else list(each) for each in (text, reference))
    parts = []
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for what, first, last, _, _ in matcher.get_opcodes():
        part = html.escape(separator.join(ours[first:last]))
        if what == "insert":
            part = MISSING
        elif what != "equal":
            part = f"<u>{part}</u>"
        parts.append(part)
    if not text:
        return f"(nothing) {MISSING if reference else ''}"
    return separator.join(parts)
