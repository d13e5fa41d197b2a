"""The words in which two texts differ, as HTML."""

from __future__ import annotations

import html

from s2s.analysis import ADDED, MISSING, WordDiff, diff_words

TAGS = {ADDED: ("ins", "only here"), MISSING: ("del", "not here")}


def highlighted(text: str, other: str | None) -> tuple[str, WordDiff | None]:
    """`text` as HTML with its differences from `other` marked; no differences where `other` is None."""
    if other is None:
        return html.escape(text), None
    found = diff_words(text, other)
    return found.separator.join(
        _tagged(segment.kind, found.separator.join(segment.words)) for segment in found.segments
    ), found


def _tagged(kind: str, words: str) -> str:
    if kind not in TAGS:
        return html.escape(words)
    tag, title = TAGS[kind]
    return f'<{tag} title="{title}">{html.escape(words)}</{tag}>'
