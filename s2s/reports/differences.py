"""The words in which two texts differ, as HTML."""

from __future__ import annotations

from html import escape

from s2s.analysis import ADDED, MISSING, WordDiff, diff_words

TAGS = {ADDED: ("ins", "only here"), MISSING: ("del", "not here")}


def highlighted(text: str, other: str | None) -> tuple[str, WordDiff | None]:
    """`text` as HTML with its differences from `other` marked; no differences where `other` is None."""
    if other is None:
        return escape(text), None
    found = diff_words(text, other)
    return found.separator.join(
        _tagged(segment.kind, found.separator.join(segment.words)) for segment in found.segments
    ), found


def legend(text: str, other: str) -> str:
    """How the differences of a text from another are marked, as HTML; both texts are named by their nouns."""
    return (
        f'<p class="legend"><small><ins>Underlined</ins> words are only in {escape(text)} at that position,'
        f" <del>struck-out</del> words only in {escape(other)}.</small></p>"
    )


def _tagged(kind: str, words: str) -> str:
    if kind not in TAGS:
        return escape(words)
    tag, title = TAGS[kind]
    return f'<{tag} title="{title}">{escape(words)}</{tag}>'
