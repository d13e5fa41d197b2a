"""What makes one dataset like another, as far as expected quality goes. Knows nothing of models."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from s2s.data import Preview, script_of

WORD = re.compile(r"[^\W\d_]+")
# Two datasets are alike within these factors and differences. On what they were chosen from: English-German and
# English-French captions, and the English-French and English-Spanish sentences of our grammars, are alike in pairs;
# these are like none of them: short everyday sentences, parliament debates, pronunciation, commands, logical forms,
# summaries, answers, copies, and another spelling of the same words.
LENGTHS = 1.5  # of the mean words per side
RICHNESS = 2.0
SIZES = 2.0  # beyond the smallest and the largest dataset that was measured
OVERLAP = 0.15
SAME_LENGTH = 0.25
ALIKE = (
    "Alike are datasets in the same scripts whose sentences differ in mean length by a factor of at most"
    f" {LENGTHS:g}, whose pairs and distinct words differ in number by a factor of at most {SIZES:g}, and whose sources"
    " and targets share words, and equal lengths, about as often."
)


@dataclass(frozen=True)
class Traits:
    """Traits of a dataset's pairs. `overlap` is the mean share of a target's words that are in its source,
    `same_length` the share of pairs with as many words on both sides.
    """

    src_script: str
    tgt_script: str
    src_length: float  # mean words
    tgt_length: float
    overlap: float
    same_length: float


def richness(preview: Preview) -> float:
    """Distinct target words over the root of word tokens (Heaps' law): 2 for a grammar, 20 to 50 for natural text."""
    running = sum(n * count for n, count in enumerate(preview.tgt_counts))
    return preview.tgt_words / math.sqrt(max(1, running))


def turned(preview: Preview) -> Preview:
    """The preview of the same pairs with sources and targets exchanged."""
    swapped = {
        f"{mine}_{name}": getattr(preview, f"{other}_{name}")
        for name in ("counts", "median", "words", "characters", "alphabet")
        for mine, other in (("src", "tgt"), ("tgt", "src"))
    }
    return replace(preview, rows=tuple((tgt, src) for src, tgt in preview.rows), **swapped)


def traits_of(preview: Preview) -> Traits:
    """The traits of a dataset; scripts, overlap and the share of equal lengths are those of the first rows."""
    rows = preview.rows
    shares = [
        len(words & _words(source)) / len(words)
        for source, target in rows
        if (words := _words(target))
    ]
    n_same = sum(len(source.split()) == len(target.split()) for source, target in rows)
    return Traits(
        script_of([source for source, _ in rows]),
        script_of([target for _, target in rows]),
        round(_mean(preview.src_counts), 2),
        round(_mean(preview.tgt_counts), 2),
        round(sum(shares) / max(1, len(shares)), 3),
        round(n_same / max(1, len(rows)), 3),
    )


def differences(own: Traits, other: Traits) -> list[str]:
    """How a dataset differs from that of a measured run, `other`: clauses about `own`, the most telling first."""
    found = []
    for side, script, theirs in (
        ("sources", own.src_script, other.src_script),
        ("targets", own.tgt_script, other.tgt_script),
    ):
        if script != theirs:
            written = f"in {script.capitalize()}" if script else "mostly in no one script"
            found.append(f"its {side} are {written}, theirs in {theirs.capitalize()}")
    if abs(own.overlap - other.overlap) > OVERLAP:
        found.append(
            f"{own.overlap:.0%} of its targets' words are in their sources, {other.overlap:.0%} of theirs"
        )
    if abs(own.same_length - other.same_length) > SAME_LENGTH:
        found.append(
            f"{own.same_length:.0%} of its pairs have as many words on both sides, {other.same_length:.0%} of theirs"
        )
    for side, length, measured in (
        ("sources", own.src_length, other.src_length),
        ("targets", own.tgt_length, other.tgt_length),
    ):
        if not within(length, measured, LENGTHS):
            found.append(f"its {side} have {length:.1f} words on average, theirs {measured:.1f}")
    return found


def within(value: float, other: float, factor: float) -> bool:
    """Whether two positive numbers differ by at most this factor."""
    return value > 0 and other > 0 and abs(math.log(value / other)) <= math.log(factor)


def _words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)}


def _mean(counts: Sequence[int]) -> float:
    return sum(n * count for n, count in enumerate(counts)) / max(1, sum(counts))
