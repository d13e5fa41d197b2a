"""Which words two texts share, and which only one of them has. Knows nothing of models or screens."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

SHARED = "shared"
ADDED = "added"
MISSING = "missing"


class Part(NamedTuple):
    """Words in a row of one kind: in both texts, only in the first, or only in the second."""

    kind: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Differences:
    """Two texts as one row of parts. `gap` stands between words: nothing where neither text has blanks, and signs are compared."""

    parts: tuple[Part, ...]
    gap: str

    @property
    def are_none(self) -> bool:
        """Whether the texts have the same words."""
        return all(part.kind == SHARED for part in self.parts)

    def text(self, only: str) -> str:
        """The first text (`only` ADDED) or the second (`only` MISSING), with single blanks."""
        return self.gap.join(
            word for part in self.parts if part.kind in (SHARED, only) for word in part.words
        )


def differences(text: str, other: str) -> Differences:
    """What `text` has that `other` doesn't, and the other way round; what is missing stands before what was written instead."""
    gap = " " if len(text.split()) > 1 or len(other.split()) > 1 else ""
    ours, theirs = (tuple(each.split()) if gap else tuple(each.strip()) for each in (text, other))
    parts: list[Part] = []
    for what, first, last, start, end in SequenceMatcher(
        None, ours, theirs, autojunk=False
    ).get_opcodes():
        if what == "equal":
            parts.append(Part(SHARED, ours[first:last]))
        else:
            parts += [
                part
                for part in (Part(MISSING, theirs[start:end]), Part(ADDED, ours[first:last]))
                if part.words
            ]
    return Differences(tuple(parts), gap)
