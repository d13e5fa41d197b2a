"""Word differences of two texts. Knows nothing of models or screens."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from s2s.scores import comparable

SHARED = "shared"
ADDED = "added"
MISSING = "missing"


class Segment(NamedTuple):
    """Consecutive words of one kind: SHARED, ADDED (only in the first text) or MISSING (only in the second)."""

    kind: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class WordDiff:
    """Two texts as one sequence of segments.

    Where neither text has spaces, characters are compared and `separator` is empty.
    """

    segments: tuple[Segment, ...]
    separator: str

    @property
    def is_empty(self) -> bool:
        return all(segment.kind == SHARED for segment in self.segments)

    def text(self, only: str) -> str:
        """The first text (`only` ADDED) or the second (`only` MISSING), with single spaces."""
        kept = [segment for segment in self.segments if segment.kind in (SHARED, only)]
        return self.separator.join(word for segment in kept for word in segment.words)


def diff_words(text: str, other: str) -> WordDiff:
    """The words that only `text` has and that only `other` has; missing words come before those that replaced them."""
    separator = " " if len(text.split()) > 1 or len(other.split()) > 1 else ""
    ours, theirs = (
        tuple(side.split()) if separator else tuple(side.strip())
        for side in map(comparable, (text, other))
    )
    segments: list[Segment] = []
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for operation, first, last, start, end in matcher.get_opcodes():
        if operation == "equal":
            segments.append(Segment(SHARED, ours[first:last]))
            continue
        changed = (Segment(MISSING, theirs[start:end]), Segment(ADDED, ours[first:last]))
        segments += [segment for segment in changed if segment.words]
    return WordDiff(tuple(segments), separator)
