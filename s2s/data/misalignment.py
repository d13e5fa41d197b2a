"""Finds where two line-aligned texts become misaligned, from line lengths, numbers, long words and punctuation."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from s2s.config import shortened

MIN_LINES = 20  # of the shorter side; for fewer, lengths are no evidence
WINDOW = 100  # lines around the estimate from lengths, in which features are compared too
MAX_DIFFERENCE = 1.0  # of log lengths; one odd pair must not outweigh many
QUOTED_LINE = 40  # characters of a line that a hint repeats
MAX_COST = 0.9  # of aligned lines, as a share of the cost of unaligned lines
STRETCH = 50  # lines that are compared at once, to see whether two texts belong together
FEWEST = 6  # lines, below which nothing is said of that
FEW = 100  # lines, of which some are unlike by chance
STRETCHES = 30
NEAR = 500  # distances at either end, of a text that is much longer
SHUFFLES = 50
TURNS = 10
MIN_SPREAD = 0.002  # of the mean costs per line; less where all lines are alike
MIN_SHARE = 0.02  # of features
MARKS = frozenset("?؟？")  # of questions
DIGITS = re.compile(r"\d+")
FEATURES = re.compile(
    r"\d+|[^\W\d_]{4,}|[?!:;,\"«»„“”()]"
)  # numbers, names and marks that partners share

Numbers = npt.NDArray[np.float64]


class Misalignment(NamedTuple):
    """`side` has `n` extra lines from `line` on (counted from 1); without them the texts are aligned."""

    line: int
    side: str  # "src" or "tgt"
    n: int


def find_misalignment(src_lines: Sequence[str], tgt_lines: Sequence[str]) -> Misalignment | None:
    """The most probable misalignment, assuming there is only one; None if counts agree or lengths are no evidence.

    With 1 to 3 lines removed from one side of 2,000 pairs of Multi30k, it is found within two lines in 93 of 100 cases.
    """
    n = len(src_lines) - len(tgt_lines)
    side, longer, shorter = (
        ("src", src_lines, tgt_lines) if n > 0 else ("tgt", tgt_lines, src_lines)
    )
    n = abs(n)
    if n == 0 or len(shorter) < MIN_LINES:
        return None
    here = _logs(longer)
    there = _logs(shorter)
    here -= np.median(here) - np.median(there)
    position, matched = _best_split(_cost(here, there, 0), _cost(here, there, n))
    if matched >= MAX_COST * float(_cost(here, np.roll(there, len(there) // 2), 0).mean()):
        return None
    start = max(0, position - WINDOW)
    stop = min(len(shorter), position + WINDOW)
    before, after = (
        _cost(here[start:], there[start:stop], offset)
        - _shared(longer[start + offset : stop + offset], shorter[start:stop])
        for offset in (0, n)
    )
    return Misalignment(start + _best_split(before, after)[0] + 1, side, n)


def misalignment_hint(src_name: str, tgt_name: str, src: list[str], tgt: list[str]) -> str:
    """Where the misalignment begins: at empty lines, else probably by all lengths, else at the first unlike pair."""
    (longer, longer_name), (shorter, _) = sorted(
        ((src, src_name), (tgt, tgt_name)), key=lambda side: len(side[0]), reverse=True
    )
    n = len(longer) - len(shorter)
    empty = [number for number, line in enumerate(longer, start=1) if not line.strip()]
    if len(empty) == n and all(line.strip() for line in shorter):
        if n == 1:
            return f"`{longer_name}` has an empty line, line {empty[0]:,}, and the other has none; remove it"
        n_lines = f"{n:,} empty lines (line {empty[0]:,} is the first)"
        return f"`{longer_name}` has {n_lines} and the other has none; remove them"
    belong = _belong(longer, shorter)
    if belong is False:
        return "no line looks like its partner, by lengths, numbers and names; check that the two belong together"
    if found := find_misalignment(src, tgt):
        n_lines = "1 line" if n == 1 else f"{n:,} lines"
        text = shortened(longer[found.line - 1].strip().replace("`", "'"), QUOTED_LINE)
        return (
            f"`{longer_name}` seems to have {n_lines} too many from about line {found.line:,} on"
            f" (`{text}`); compare the lines around it"
        )
    why = "so few lines" if len(shorter) < FEW else "lines so much alike"
    doubt = (
        "" if belong else f"; {why} do not tell whether the two belong together, so compare them"
    )
    for number, (one, other) in enumerate(zip(src, tgt, strict=False), start=1):
        short, long = sorted((len(one.strip()), len(other.strip())))
        if (short == 0) != (long == 0) or long > 5 * short + 20:
            return f"line {number:,} is the first that looks wrong, check there and above{doubt}"
    return f"nothing looks wrong before line {len(shorter) + 1:,}, where one file ends{doubt}"


def _belong(longer: Sequence[str], shorter: Sequence[str]) -> bool | None:
    """Whether lines look like partners anywhere: stretches of the shorter side are compared with the longer side's,
    up to as many lines further down as it has more, and with these in random order. None where nothing can be said:
    for too few lines, and for lines that are all alike.
    """
    n = len(longer) - len(shorter)
    size = min(STRETCH, len(shorter))
    here, there = _traits(longer), _traits(shorter)
    if len(shorter) < FEWEST:
        return None
    here[0] -= np.median(here[0]) - np.median(there[0])
    offsets = np.unique(np.concatenate([np.arange(n + 1)[:NEAR], np.arange(n + 1)[-NEAR:]]))
    n_starts = min(STRETCHES, len(shorter) // size)  # without overlap
    starts = np.linspace(0, len(shorter) - size, n_starts).astype(int)
    draw = np.random.default_rng(0)
    orders = [np.arange(size), *(draw.permutation(size) for _ in range(SHUFFLES))]
    windows = sliding_window_view(here, size, axis=1)  # (traits, lines, size)
    costs = np.zeros(len(orders))
    for start in starts:
        near = windows[:, start + offsets]
        stretch = there[:, start : start + size]
        costs += [_distances(near, stretch[:, order]).min() for order in orders]
    if costs[0] < costs[1:].min() and len(shorter) >= MIN_LINES:
        return True
    if len(shorter) < FEW and costs[0] < np.quantile(
        costs, 0.5 if len(shorter) < MIN_LINES else 0.1
    ):
        return None
    if np.ptp(costs) < MIN_SPREAD * len(starts):
        return None
    ends = ((0, 0), (max(0, len(longer) - WINDOW), max(0, len(shorter) - WINDOW)))
    return any(
        _are_like(longer[at : at + WINDOW], shorter[there_ : there_ + WINDOW])
        for at, there_ in ends
    )


def _traits(lines: Sequence[str]) -> Numbers:
    """The logarithm of each line's length, whether it asks, and a code of its numbers: (3, lines)."""
    asks = [not MARKS.isdisjoint(line) for line in lines]
    numbers = [zlib.crc32(" ".join(DIGITS.findall(line)).encode()) for line in lines]
    return np.array([_logs(lines), asks, numbers], np.float64)


def _distances(near: Numbers, stretch: Numbers) -> Numbers:
    """The mean cost of pairing a stretch (3, size) with each of several (3, n, size)."""
    lengths = np.minimum(np.abs(near[0] - stretch[0]), MAX_DIFFERENCE)
    others = (near[1] != stretch[1]) + (near[2] != stretch[2]).astype(np.float64)
    distances: Numbers = (lengths + others / 2).mean(-1)
    return distances


def _are_like(longer: Sequence[str], shorter: Sequence[str]) -> bool:
    """Whether lines share more numbers, names and marks with their partners than with the lines after these."""
    n = min(len(longer), len(shorter))
    one, other = longer[:n], shorter[:n]
    shares = [
        float(_shared(one, [*other[turn:], *other[:turn]]).mean())
        for turn in np.linspace(0, n, TURNS, endpoint=False).astype(int)
    ]
    return shares[0] > MIN_SHARE + 1.5 * max(shares[1:])


def _logs(lines: Sequence[str]) -> Numbers:
    return np.log1p(np.fromiter(map(len, lines), np.float64, len(lines)))


def _cost(longer: Numbers, shorter: Numbers, offset: int) -> Numbers:
    """The cost of pairing each line of the shorter side with the longer side's line `offset` further down."""
    return np.minimum(np.abs(longer[offset : offset + len(shorter)] - shorter), MAX_DIFFERENCE)


def _best_split(before: Numbers, after: Numbers) -> tuple[int, float]:
    """The split that minimizes `before` up to it plus `after` from it on, and the mean cost per line."""
    totals = np.concatenate([[0.0], np.cumsum(before - after)]) + after.sum()  # (lines + 1,)
    position = int(totals.argmin())
    return position, float(totals[position]) / len(before)


def _shared(longer: Sequence[str], shorter: Sequence[str]) -> Numbers:
    """The share (0 to 1) of features that both lines of each pair have."""
    features = [
        ({*FEATURES.findall(one)}, {*FEATURES.findall(other)})
        for one, other in zip(longer, shorter, strict=True)
    ]
    return np.array([len(one & other) / max(1, len(one | other)) for one, other in features])
