"""All ways to cut words into pieces at once, weighed by probability (Kudo, 2018, section 3.2). Knows nothing of files.

Written with arrays and sums in one fixed order: the same words give the same pieces, whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LONGEST = 16  # characters of a piece, as in SentencePiece
LONGEST_WORD = 32  # characters; longer words must be given in parts, or the products of probabilities leave float64
LEAST = 1e-8  # probability of a character that hardly occurs on its own; LEAST ** LONGEST_WORD is 1e-256
KEPT = 0.75  # of the pieces, in each round of pruning, as in SentencePiece
STEPS = 2  # of expectation-maximisation before each pruning, as in SentencePiece
SELDOM = 0.5  # expected uses under which a piece is dropped, as in SentencePiece
NONE = -1


def learn(words: Mapping[str, int], size: int) -> dict[str, float]:
    """Log-probabilities, in nats, of at most `size` pieces; every character of the words stays, even if those are more.

    Raises ValueError for words that are empty or longer than 32 characters.
    """
    if not all(0 < len(word) <= LONGEST_WORD for word in words):
        raise ValueError(f"words must have 1 to {LONGEST_WORD} characters")
    ordered = sorted(words, key=lambda word: (-len(word), word))
    if not ordered:
        return {}
    counts = np.array([words[word] for word in ordered], np.float64)
    seeds = seeds_of(ordered, counts)
    found = _pruned(seeds, Paths.of(ordered, counts, seeds), size)
    text = "".join(ordered)
    spans = zip(seeds.first, seeds.length, found, strict=True)
    return {text[start : start + length]: float(np.log(p)) for start, length, p in spans if p > 0}


class Seeds(NamedTuple):
    """The pieces to begin with. `grid[n, i]` is the one of n characters at character i of all words, or -1."""

    grid: npt.NDArray[np.int32]  # (LONGEST + 1, characters)
    first: Ints  # (pieces,) where it first stands
    length: Ints  # (pieces,) characters
    total: Floats  # (pieces,) how often; 0 for those that always stand in the same longer one


def seeds_of(words: Sequence[str], counts: Floats) -> Seeds:
    """Characters, and what stands at least twice; grown a character at a time from what is frequent already.

    The words go from long to short.
    """
    lengths = np.array([len(word) for word in words])
    often = np.repeat(counts, lengths)
    left = np.concatenate(
        [np.arange(length, 0, -1) for length in lengths]
    )  # characters to the word's end
    codes = np.frombuffer("".join(words).encode("utf-32-le"), np.uint32)
    grid = np.full((LONGEST + 1, len(codes)), NONE, np.int32)
    _, first, grid[1] = np.unique(codes, return_index=True, return_inverse=True)
    firsts = [first]
    totals = [_sums(grid[1], often, len(first))]
    size = [1] * len(first)
    for n in range(2, LONGEST + 1):
        at = np.flatnonzero(
            (left[:-1] >= n) & (grid[n - 1, :-1] != NONE) & (grid[n - 1, 1:] != NONE)
        )
        known = len(size)
        keys = grid[n - 1, at].astype(np.int64) * known + grid[n - 1, at + 1]
        _, where, which = np.unique(keys, return_index=True, return_inverse=True)
        total = _sums(which, often[at], len(where))
        frequent = total >= 2
        names = np.where(frequent, known + np.cumsum(frequent) - 1, NONE)
        grid[n, at] = names[which]
        firsts.append(at[where[frequent]])
        _drop_covered(totals[-1], known - len(totals[-1]), grid[n - 1], firsts[-1], total[frequent])
        totals.append(total[frequent])
        size += [n] * int(frequent.sum())
    return Seeds(grid, np.concatenate(firsts), np.array(size), np.concatenate(totals))


def _drop_covered(
    shorter: Floats, offset: int, row: npt.NDArray[np.int32], first: Ints, longer: Floats
) -> None:
    """Sets to 0 the count of each shorter piece that stands nowhere but in one longer one; characters stay."""
    if offset == 0:
        return
    most = np.zeros(len(shorter))
    for shift in (0, 1):
        np.maximum.at(most, row[first + shift] - offset, longer)
    shorter[most == shorter] = 0


def _sums(groups: npt.NDArray[np.integer[Any]], values: Floats, n: int) -> Floats:
    """The sum of each group's values, added in their order."""
    return np.bincount(groups, values, n).astype(np.float64, copy=False)


@dataclass(frozen=True)
class Paths:
    """A node for each place in each word, an edge for each piece that leads on; nodes are numbered place by place."""

    base: Ints  # (places + 1,) first node of each place in a word
    ends: Ints  # (words,) node after the last character
    counts: Floats  # (words,)
    src: Ints  # (edges,) ordered by the place of dst
    dst: Ints
    piece: Ints
    back: Ints  # (edges,) the same edges ordered by the place of src

    @classmethod
    def of(cls, words: Sequence[str], counts: Floats, seeds: Seeds) -> Paths:
        """Of words from long to short, as `seeds_of` was given them."""
        lengths = np.array([len(word) for word in words])  # falling
        base = np.concatenate(
            [[0], np.cumsum([(lengths >= place).sum() for place in range(lengths[0] + 1)])]
        )
        word = np.repeat(np.arange(len(words)), lengths)
        place = np.concatenate([np.arange(length) for length in lengths])
        n, at = np.nonzero(np.where(seeds.grid == NONE, 0, seeds.total[seeds.grid]) > 0)
        src = base[place[at]] + word[at]
        dst = base[place[at] + n] + word[at]
        ends = base[lengths] + np.arange(len(words))
        piece = seeds.grid[n, at].astype(np.int64)
        return cls(base, ends, counts, src, dst, piece, src)._taking(np.argsort(dst, kind="stable"))

    def only(self, alive: npt.NDArray[np.bool_]) -> Paths:
        """Without the edges of dropped pieces."""
        return self._taking(np.flatnonzero(alive[self.piece]))

    def _taking(self, edges: Ints) -> Paths:
        src = self.src[edges]
        return replace(
            self,
            src=src,
            dst=self.dst[edges],
            piece=self.piece[edges],
            back=np.argsort(src, kind="stable"),
        )

    def expected(self, p: Floats) -> Floats:
        """How often each piece is used, over all ways to cut (forward-backward)."""
        weight = p[self.piece]
        forward = np.zeros(self.base[-1])
        forward[: self.base[1]] = 1
        for low, high, edges in self._places(self.dst):
            into = forward[self.src[edges]] * weight[edges]
            forward[low:high] += _sums(self.dst[edges] - low, into, high - low)
        backward = np.zeros(self.base[-1])
        backward[self.ends] = self.counts / forward[self.ends]
        src = self.src[self.back]
        dst = self.dst[self.back]
        out = weight[self.back]
        for low, high, edges in reversed(list(self._places(src))):
            backward[low:high] += _sums(
                src[edges] - low, backward[dst[edges]] * out[edges], high - low
            )
        return _sums(self.piece, forward[self.src] * weight * backward[self.dst], len(p))

    def _places(self, nodes: Ints) -> Iterator[tuple[int, int, slice]]:
        """Of edges ordered by these nodes: the nodes of one place and the edges there."""
        bounds = np.searchsorted(nodes, self.base)
        for low, high, start, stop in zip(
            self.base, self.base[1:], bounds, bounds[1:], strict=False
        ):
            yield int(low), int(high), slice(start, stop)


def _pruned(seeds: Seeds, paths: Paths, size: int) -> Floats:
    """Probabilities of the pieces that are left, 0 of the others."""
    single = seeds.length == 1
    size = max(size, int(single.sum()))
    alive = single | (seeds.total > 0)
    p = np.where(alive, seeds.total * seeds.length, 0)  # longer ones first, as in SentencePiece
    p /= p.sum()
    while True:
        for _ in range(STEPS):
            uses = paths.expected(p)
            p = np.where(alive, np.maximum(uses / uses.sum(), LEAST), 0)
        wanted = max(size, int(KEPT * alive.sum()))
        if alive.sum() <= size and (uses[alive & ~single] >= SELDOM).all():
            return p
        alive = _best(seeds, p, uses, wanted)
        paths = paths.only(alive)
        p = np.where(alive, p, 0)


def _best(seeds: Seeds, p: Floats, uses: Floats, wanted: int) -> npt.NDArray[np.bool_]:
    """The characters, and of the other pieces those without which the words would lose most log-probability."""
    alive: npt.NDArray[np.bool_] = seeds.length == 1
    others = np.flatnonzero((p > 0) & ~alive & (uses >= SELDOM))
    loss = uses[others] * (np.log(p[others]) - _without(seeds, p, others))
    alive[others[np.argsort(-loss, kind="stable")[: max(0, wanted - int(alive.sum()))]]] = True
    return alive


def _without(seeds: Seeds, p: Floats, pieces: Ints) -> Floats:
    """The log-probability of the best way to write each of these pieces with others (Viterbi)."""
    with np.errstate(divide="ignore"):
        score = np.log(np.append(p, 0.0))  # the last for NONE
    best = np.full((LONGEST + 1, len(pieces)), -np.inf)
    best[0] = 0
    for end in range(1, LONGEST + 1):
        here = np.flatnonzero(seeds.length[pieces] >= end)
        start = seeds.first[pieces[here]]
        for n in range(1, end + 1):
            used = seeds.grid[n, start + end - n]
            found = np.where(used == pieces[here], -np.inf, best[end - n, here] + score[used])
            best[end, here] = np.maximum(best[end, here], found)
    return best[seeds.length[pieces], np.arange(len(pieces))]
