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
MOST_COMPARED = 20_000  # lines whose features are all compared
LEAST_GAIN = 2.0  # of the cost of all lines, by a place that is named
MARGIN = 1.25  # times what the best of the wrong orders is better than their mean
MIN_SPREAD = 0.002  # of the mean costs per line; less where all lines are alike
MIN_SHARE = 0.02  # of features
MARKS = frozenset("?؟？")  # of questions
DIGITS = re.compile(r"\d+")
FEATURES = re.compile(
    r"\d+|[^\W\d_]{4,}|[?!:;,\"«»„“”()]"
)  # numbers, names and marks that partners share

Numbers = npt.NDArray[np.float64]


class Misalignment(NamedTuple):
    """Where texts become misaligned: `side` has `n` extra lines from `line` (from 1) on; without them all align."""

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
    why = "so few lines" if len(shorter) < FEW else "lines so much alike"
    doubt = (
        "" if belong else f"; {why} do not tell whether the two belong together, so compare them"
    )
    found = find_misalignment(src, tgt)
    line = found.line if found else belong and _line_by_features(longer, shorter)
    if line:
        n_lines = "1 line" if n == 1 else f"{n:,} lines"
        where = f"from about line {line:,} on" if found else f"somewhere around line {line:,}"
        text = shortened(longer[line - 1].strip().replace("`", "'"), QUOTED_LINE)
        return (
            f"`{longer_name}` seems to have {n_lines} too many {where}"
            f" (`{text}`){doubt or '; compare the lines around it'}"
        )
    for number, (one, other) in enumerate(zip(src, tgt, strict=False), start=1):
        short, long = sorted((len(one.strip()), len(other.strip())))
        if (short == 0) != (long == 0) or long > 5 * short + 20:
            return f"line {number:,} is the first that looks wrong, check there and above{doubt}"
    doubt = doubt or "; lines so much alike do not tell where one is missing" * (belong is True)
    return f"nothing looks wrong before line {len(shorter) + 1:,}, where one file ends{doubt}"


def _line_by_features(longer: Sequence[str], shorter: Sequence[str]) -> int | None:
    """Roughly where, by questions, numbers, names and marks of all lines, for lines that are all about as long; None
    where these tell nothing.
    """
    n = len(longer) - len(shorter)
    if n == 0 or len(shorter) > MOST_COMPARED:
        return None
    here, there = _traits(longer), _traits(shorter)
    here[0] -= np.median(here[0]) - np.median(there[0])
    before, after = (
        _costs(here[:, offset : offset + len(shorter)], there)
        - _shared(longer[offset : offset + len(shorter)], shorter)
        for offset in (0, n)
    )
    position, cost = _best_split(before, after)
    gain = min(float(before.sum()), float(after.sum())) - cost * len(before)
    return position + 1 if gain > LEAST_GAIN else None


def _belong(longer: Sequence[str], shorter: Sequence[str]) -> bool | None:
    """Whether lines look like partners anywhere: stretches of the shorter side are compared with the longer side's,
    up to as many lines further down as it has more, and with these in other orders. None where nothing can be said:
    for too few lines, and for lines that are all alike.
    """
    n = len(longer) - len(shorter)
    size = min(STRETCH, len(shorter) // 2 * 2)
    here, there = _traits(longer), _traits(shorter)
    if len(shorter) < FEWEST:
        return None
    here[0] -= np.median(here[0]) - np.median(there[0])
    offsets = np.unique(np.concatenate([np.arange(n + 1)[:NEAR], np.arange(n + 1)[-NEAR:]]))
    n_starts = min(STRETCHES, len(shorter) // size)  # without overlap
    starts = np.linspace(0, len(shorter) - size, n_starts).astype(int)
    orders = _orders(size, n)
    windows = sliding_window_view(here, size, axis=1)  # (traits, lines, size)
    costs = np.zeros(len(orders))
    for start in starts:
        near = windows[:, start + offsets]
        stretch = there[:, start : start + size]
        costs += [_distances(near, stretch[:, order]).min() for order in orders]
    if costs[0] < costs[1:].min() and len(shorter) >= MIN_LINES:
        typical = costs[1:].mean()
        return True if typical - costs[0] > MARGIN * (typical - costs[1:].min()) else None
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


def _orders(size: int, n: int) -> list[npt.NDArray[np.intp]]:
    """The order as given, and others in which no line has its place: reversed and rotated, so that a text's own rhythm,
    long and short lines alternating say, is no evidence. Few lines are shuffled. Where `n` lines could undo it, none is
    only rotated.
    """
    given = np.arange(size)
    if size < MIN_LINES:
        draw = np.random.default_rng(0)
        return [given, *(draw.permutation(size) for _ in range(SHUFFLES))]
    reversed_ = [np.roll(given[::-1], n_lines) for n_lines in range(size)]
    rotated = [np.roll(given, n_lines) for n_lines in range(size // 4, size - size // 4)]
    return [given, *reversed_, *(rotated if n < size // 4 else ())]


def _traits(lines: Sequence[str]) -> Numbers:
    """The logarithm of each line's length, whether it asks, and a code of its numbers: (3, lines)."""
    asks = [not MARKS.isdisjoint(line) for line in lines]
    numbers = [zlib.crc32(" ".join(DIGITS.findall(line)).encode()) for line in lines]
    return np.array([_logs(lines), asks, numbers], np.float64)


def _distances(near: Numbers, stretch: Numbers) -> Numbers:
    """The mean cost of pairing a stretch (3, size) with each of several (3, n, size)."""
    distances: Numbers = _costs(near, stretch).mean(-1)
    return distances


def _costs(near: Numbers, stretch: Numbers) -> Numbers:
    lengths = np.minimum(np.abs(near[0] - stretch[0]), MAX_DIFFERENCE)
    others = (near[1] != stretch[1]) + (near[2] != stretch[2]).astype(np.float64)
    costs: Numbers = lengths + others / 2
    return costs


def _are_like(longer: Sequence[str], shorter: Sequence[str]) -> bool:
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
    return np.minimum(np.abs(longer[offset : offset + len(shorter)] - shorter), MAX_DIFFERENCE)


def _best_split(before: Numbers, after: Numbers) -> tuple[int, float]:
    """The split that minimizes `before` up to it plus `after` from it on, and the mean cost per line."""
    totals = np.concatenate([[0.0], np.cumsum(before - after)]) + after.sum()  # (lines + 1,)
    position = int(totals.argmin())
    return position, float(totals[position]) / len(before)


def _shared(longer: Sequence[str], shorter: Sequence[str]) -> Numbers:
    features = [
        ({*FEATURES.findall(one)}, {*FEATURES.findall(other)})
        for one, other in zip(longer, shorter, strict=True)
    ]
    return np.array([len(one & other) / max(1, len(one | other)) for one, other in features])
