"""Translation edit rate of one sentence, edit by edit, as plain data (Snover et al. 2006)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from s2s.scores.one_form import comparable

# sacrebleu's letter for an edit -> its name.
KINDS: MappingProxyType[str, str] = MappingProxyType(
    {" ": "same", "s": "substituted", "i": "inserted", "d": "deleted"}
)


class Edit(NamedTuple):
    """One edit of one word; "" on the side that lacks it. "inserted": it is missing from the hypothesis."""

    kind: str
    hypothesis: str
    reference: str


@dataclass(frozen=True)
class Ter:
    """The edits that turn a hypothesis into its reference: first phrases move (one edit each, however far), then single
    words change.
    """

    hypothesis: tuple[str, ...]  # lower-cased, split at white space
    reference: tuple[str, ...]
    shifts: tuple[tuple[str, ...], ...]  # the words that move together
    edits: tuple[Edit, ...]  # after the shifts, unchanged words included

    def n(self, kind: str) -> int:
        """The number of edits of a kind."""
        return sum(edit.kind == kind for edit in self.edits)

    @property
    def n_edits(self) -> int:
        return len(self.shifts) + len(self.edits) - self.n("same")

    @property
    def score(self) -> float:
        """TER: edits as a percentage of the reference's words; 100 for words where the reference is empty."""
        if not self.reference:
            return 100.0 if self.hypothesis else 0.0
        return 100 * self.n_edits / len(self.reference)


def ter(hypothesis: str, reference: str) -> Ter:
    """A sentence's TER: the edits that sacrebleu's heuristic search finds, which may not be the fewest."""
    from sacrebleu.metrics.lib_ter import BeamEditDistance

    ours = comparable(hypothesis).lower().split()
    theirs = comparable(reference).lower().split()
    if not theirs:
        deleted = [Edit("deleted", word, "") for word in ours]
        return Ter(tuple(ours), (), shifts=(), edits=tuple(deleted))
    distance = BeamEditDistance(theirs)
    orders = [ours, *_shifted(ours, theirs, distance)]  # of the words, after each shift
    shifts = tuple(_moved(before, after) for before, after in pairwise(orders))
    shifted = orders[-1]
    _, trace = distance(shifted)
    edits = tuple(_edits(trace, shifted, theirs))
    return Ter(tuple(ours), tuple(theirs), shifts, edits)


def _shifted(words: list[str], reference: list[str], distance: object) -> Iterator[list[str]]:
    from sacrebleu.metrics import lib_ter

    n_tried = 0
    while True:
        saved, words, n_tried = lib_ter._shift(words, reference, distance, n_tried)
        if saved <= 0 or n_tried >= lib_ter._MAX_SHIFT_CANDIDATES:
            return
        yield words


def _moved(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """The shorter of two adjacent phrases that were swapped: `_moved("abcd", "cabd")` -> `("c",)`."""
    n = len(before)
    first = _common_prefix(before, after)
    last = n - _common_prefix(before[::-1], after[::-1])
    swaps = (
        (start, middle, end)
        for start in range(first + 1)
        for end in range(last, n + 1)
        for middle in range(start + 1, end)
        # The ends first: they are enough to reject nearly all.
        if before[middle] == after[start]
        and before[middle - 1] == after[end - 1]
        and [*before[middle:end], *before[start:middle]] == [*after[start:end]]
    )
    start, middle, end = min(swaps, key=lambda swap: min(swap[1] - swap[0], swap[2] - swap[1]))
    left = before[start:middle]
    right = before[middle:end]
    return tuple(left if len(left) <= len(right) else right)


def _common_prefix(left: Sequence[str], right: Sequence[str]) -> int:
    for n, (one, other) in enumerate(zip(left, right, strict=True)):
        if one != other:
            return n
    return len(left)


def _edits(trace: str, words: Sequence[str], reference: Sequence[str]) -> Iterator[Edit]:
    ours = iter(words)
    theirs = iter(reference)
    for letter in trace:
        our_word = "" if letter == "i" else next(ours)
        their_word = "" if letter == "d" else next(theirs)
        yield Edit(KINDS[letter], our_word, their_word)
