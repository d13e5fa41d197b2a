"""The words in which two texts differ, as HTML."""

from __future__ import annotations

import html

from s2s.analysis import ADDED, MISSING, WordDiff, diff_words
from s2s.ui.kit.text import shortened

LONGEST = 300  # characters of a cell
MARGIN = 40  # characters beyond twice the reference's length: early translations never end
TAGS = {ADDED: ("ins", "only here"), MISSING: ("del", "not here")}


def highlighted(text: str, other: str | None) -> tuple[str, WordDiff | None]:
    """`text` as HTML with its differences from `other` marked; no differences where `other` is None."""
    if other is None:
        return html.escape(text), None
    found = diff_words(text, other)
    return found.separator.join(
        _tagged(segment.kind, found.separator.join(segment.words)) for segment in found.segments
    ), found


def against_reference(text: str, reference: str, longest: int = LONGEST) -> str:
    """A table cell: a translation as HTML, truncated, with its differences from the reference marked.

    Both have at most `longest` characters where the reference has more; words that only one kept would look missing.
    """
    most = longest if len(reference) > longest else 2 * len(reference) + MARGIN
    reference = shortened(reference, longest).strip()
    text = shortened(text, most).strip()
    shown, _ = highlighted(text, reference)
    return shown if text else f"(nothing) {shown}".rstrip()


def legend(text: str, other: str) -> str:
    """How the differences of a text from another are marked, as HTML; both texts are named by their nouns."""
    return (
        f'<p class="legend"><small><ins>Underlined</ins> words are only in {text} at that position,'
        f" <del>struck-out</del> words only in {other}.</small></p>"
    )


def _tagged(kind: str, words: str) -> str:
    if kind not in TAGS:
        return html.escape(words)
    tag, title = TAGS[kind]
    return f'<{tag} title="{title}">{html.escape(words)}</{tag}>'
