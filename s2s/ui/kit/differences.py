"""The words in which two texts differ, as HTML."""

from __future__ import annotations

import html

from s2s.analysis.words import ADDED, MISSING, Differences, differences

TAGS = {ADDED: ("ins", "only here"), MISSING: ("del", "not here")}


def highlighted(text: str, other: str | None) -> tuple[str, Differences | None]:
    """`text` as HTML with its differences from `other` marked; no differences where `other` is None."""
    if other is None:
        return html.escape(text), None
    found = differences(text, other)
    return found.gap.join(
        _tagged(part.kind, found.gap.join(part.words)) for part in found.parts
    ), found


def _tagged(kind: str, words: str) -> str:
    if kind not in TAGS:
        return html.escape(words)
    tag, title = TAGS[kind]
    return f'<{tag} title="{title}">{html.escape(words)}</{tag}>'
