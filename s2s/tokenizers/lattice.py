"""Learns a unigram vocabulary from all segmentations of the words (Kudo, 2018, section 3.2). Knows nothing of files.

Arrays and sums have one fixed order: the same words give the same vocabulary, whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LONGEST = 16  # characters of a token, as in SentencePiece
LONGEST_WORD = 32  # characters; longer words must be split first, or products of probabilities underflow float64
# Of a character that is rare on its own; MIN_PROBABILITY ** LONGEST_WORD is 1e-256.
MIN_PROBABILITY = 1e-8
KEPT_SHARE = 0.75  # of the tokens, in each round of pruning, as in SentencePiece
EM_STEPS = 2  # of expectation maximization before each pruning, as in SentencePiece
MIN_USES = 0.5  # a token with fewer expected uses is dropped, as in SentencePiece
NONE = -1


def learn(words: Mapping[str, int], size: int) -> dict[str, float]:
    """Log-probabilities, in nats, of at most `size` learned tokens; all characters are kept, even if there are more of
    them.

    Raises ValueError for empty words and for words longer than 32 characters.
    """
    if not all(0 < len(word) <= LONGEST_WORD for word in words):
        raise ValueError(f"words must have 1 to {LONGEST_WORD} characters")
    ordered = sorted(words, key=lambda word: (-len(word), word))
    if not ordered:
        return {}
    counts = np.array([words[word] for word in ordered], np.float64)
    seeds = seeds_of(ordered, counts)
    paths = Paths.of(ordered, counts, seeds)
    probabilities = _pruned(seeds, paths, size)
    text = "".join(ordered)
    log_probs = {}
    for start, length, p in zip(seeds.first, seeds.length, probabilities, strict=True):
        if p > 0:
            token = text[start : start + length]
            log_probs[token] = float(np.log(p))
    return log_probs


class Seeds(NamedTuple):
    """The initial candidate tokens of a unigram model, found in the joined words."""

    grid: npt.NDArray[np.int32]  # (LONGEST + 1, characters)
    first: Ints  # (tokens,) position of its first occurrence
    length: Ints  # (tokens,) in characters
    total: Floats  # (tokens,) occurrences; 0 for tokens that only occur inside one longer token


def seeds_of(words: Sequence[str], counts: Floats) -> Seeds:
    """The candidate tokens: all characters, and all substrings that occur at least twice, grown one character at a
    time.

    Words must be sorted from long to short.
    """
    lengths = np.array([len(word) for word in words])
    often = np.repeat(counts, lengths)  # (characters,) how often each character's word occurs
    # Characters to the word's end.
    left = np.concatenate([np.arange(length, 0, -1) for length in lengths])
    codes = np.frombuffer("".join(words).encode("utf-32-le"), np.uint32)
    grid = np.full((LONGEST + 1, len(codes)), NONE, np.int32)
    _, first, grid[1] = np.unique(codes, return_index=True, return_inverse=True)
    total = _sums(grid[1], often, len(first))
    firsts = [first]  # of each length
    totals = [total]
    sizes = [1] * len(first)
    for n in range(2, LONGEST + 1):
        # A token of n characters is two overlapping tokens of n - 1.
        shorter = grid[n - 1]
        is_seed = shorter != NONE
        at = np.flatnonzero((left[:-1] >= n) & is_seed[:-1] & is_seed[1:])
        known = len(sizes)
        pairs = shorter[at].astype(np.int64) * known + shorter[at + 1]
        _, where, which = np.unique(pairs, return_index=True, return_inverse=True)
        total = _sums(which, often[at], len(where))
        is_frequent = total >= 2
        numbers = np.where(is_frequent, known + np.cumsum(is_frequent) - 1, NONE)
        grid[n, at] = numbers[which]

        first = at[where[is_frequent]]
        total = total[is_frequent]
        _drop_covered(totals[-1], known - len(totals[-1]), shorter, first, total)
        firsts.append(first)
        totals.append(total)
        sizes += [n] * len(first)
    return Seeds(grid, np.concatenate(firsts), np.array(sizes), np.concatenate(totals))


def _drop_covered(
    shorter: Floats, offset: int, row: npt.NDArray[np.int32], first: Ints, longer: Floats
) -> None:
    if offset == 0:
        return
    most = np.zeros(len(shorter))
    for shift in (0, 1):
        np.maximum.at(most, row[first + shift] - offset, longer)
    shorter[most == shorter] = 0


def _sums(groups: npt.NDArray[np.integer[Any]], values: Floats, n: int) -> Floats:
    return np.bincount(groups, values, n).astype(np.float64, copy=False)


@dataclass(frozen=True)
class Paths:
    """All ways to split each word into known tokens, as a graph."""

    base: Ints  # (positions + 1,) first node of each position
    ends: Ints  # (words,) node after the last character
    counts: Floats  # (words,)
    src: Ints  # (edges,) ordered by the position of dst
    dst: Ints
    token: Ints
    back: Ints  # (edges,) the same edges ordered by the position of src

    @classmethod
    def of(cls, words: Sequence[str], counts: Floats, seeds: Seeds) -> Paths:
        """The segmentations of words sorted from long to short, as in `seeds_of`."""
        lengths = np.array([len(word) for word in words])  # falling
        n_words = [(lengths >= position).sum() for position in range(lengths[0] + 1)]
        base = np.concatenate([[0], np.cumsum(n_words)])
        ends = base[lengths] + np.arange(len(words))
        # Of each character of the joined words.
        word = np.repeat(np.arange(len(words)), lengths)
        position = np.concatenate([np.arange(length) for length in lengths])
        # An edge for each token of n characters at each of its characters `at`.
        totals = np.where(seeds.grid == NONE, 0, seeds.total[seeds.grid])
        n, at = np.nonzero(totals > 0)
        src = base[position[at]] + word[at]
        dst = base[position[at] + n] + word[at]
        token = seeds.grid[n, at].astype(np.int64)
        paths = cls(base, ends, counts, src, dst, token, back=src)
        return paths._taking(np.argsort(dst, kind="stable"))

    def only(self, alive: npt.NDArray[np.bool_]) -> Paths:
        return self._taking(np.flatnonzero(alive[self.token]))

    def _taking(self, edges: Ints) -> Paths:
        src = self.src[edges]
        dst = self.dst[edges]
        token = self.token[edges]
        back = np.argsort(src, kind="stable")
        return replace(self, src=src, dst=dst, token=token, back=back)

    def expected(self, p: Floats) -> Floats:
        """The expected number of uses of each token, over all segmentations (forward-backward)."""
        weight = p[self.token]  # (edges,)
        n_nodes = self.base[-1]
        forward = np.zeros(n_nodes)
        forward[: self.base[1]] = 1
        for low, high, edges in self._positions(self.dst):
            into = forward[self.src[edges]] * weight[edges]
            forward[low:high] += _sums(self.dst[edges] - low, into, high - low)

        backward = np.zeros(n_nodes)
        backward[self.ends] = self.counts / forward[self.ends]
        src = self.src[self.back]
        dst = self.dst[self.back]
        weight_back = weight[self.back]
        for low, high, edges in reversed(list(self._positions(src))):
            out = backward[dst[edges]] * weight_back[edges]
            backward[low:high] += _sums(src[edges] - low, out, high - low)

        uses = forward[self.src] * weight * backward[self.dst]  # (edges,)
        return _sums(self.token, uses, len(p))

    def _positions(self, nodes: Ints) -> Iterator[tuple[int, int, slice]]:
        bounds = np.searchsorted(nodes, self.base)
        of_positions = zip(pairwise(self.base), pairwise(bounds), strict=True)
        for (low, high), (start, stop) in of_positions:
            yield int(low), int(high), slice(start, stop)


def _pruned(seeds: Seeds, paths: Paths, size: int) -> Floats:
    single = seeds.length == 1
    size = max(size, int(single.sum()))
    alive = single | (seeds.total > 0)
    p = np.where(alive, seeds.total * seeds.length, 0)  # favors long tokens, as in SentencePiece
    p /= p.sum()
    while True:
        for _ in range(EM_STEPS):
            uses = paths.expected(p)
            shares = np.maximum(uses / uses.sum(), MIN_PROBABILITY)
            p = np.where(alive, shares, 0)
        n_alive = alive.sum()
        wanted = max(size, int(KEPT_SHARE * n_alive))
        if n_alive <= size and (uses[alive & ~single] >= MIN_USES).all():
            return p
        alive = _best(seeds, p, uses, wanted)
        paths = paths.only(alive)
        p = np.where(alive, p, 0)


def _best(seeds: Seeds, p: Floats, uses: Floats, wanted: int) -> npt.NDArray[np.bool_]:
    alive: npt.NDArray[np.bool_] = seeds.length == 1
    others = np.flatnonzero((p > 0) & ~alive & (uses >= MIN_USES))
    loss = uses[others] * (np.log(p[others]) - _without(seeds, p, others))
    by_loss = others[np.argsort(-loss, kind="stable")]
    n_more = max(0, wanted - int(alive.sum()))
    alive[by_loss[:n_more]] = True
    return alive


def _without(seeds: Seeds, p: Floats, tokens: Ints) -> Floats:
    with np.errstate(divide="ignore"):
        score = np.log(np.append(p, 0.0))  # the last for NONE
    best = np.full((LONGEST + 1, len(tokens)), -np.inf)
    best[0] = 0
    for end in range(1, LONGEST + 1):
        here = np.flatnonzero(seeds.length[tokens] >= end)
        start = seeds.first[tokens[here]]
        for n in range(1, end + 1):
            last = seeds.grid[n, start + end - n]  # the segmentation's last token
            total = best[end - n, here] + score[last]
            found = np.where(last == tokens[here], -np.inf, total)
            best[end, here] = np.maximum(best[end, here], found)
    return best[seeds.length[tokens], np.arange(len(tokens))]
