"""Properties of all texts of one side, computed in blocks with numpy. Knows nothing of rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from s2s.data.lint.characters import CharacterKind, Codes, kinds, scripts

BLOCK = 1_000_000  # characters measured at once
MIN_LETTERS = 4  # with fewer, the script of a text is unknown
MIN_KANA = 0.05  # share of the letters from which a text in Han is Japanese
MIN_JAPANESE = 0.2  # share of all letters from which a side written in Han is Japanese
HAN = "CJK"
HANGUL = "HANGUL"
JAPANESE = "JAPANESE"
KANA = ("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HENTAIGANA")
MIXES = {JAPANESE: {HAN}, HANGUL: {HAN}}  # scripts that are mixed with others

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Side:
    """Properties of all sources or all targets of a corpus; every array has one entry per text."""

    texts: Sequence[str]

    @cached_property
    def lengths(self) -> Numbers:
        return np.fromiter(map(len, self.texts), np.int64, len(self.texts))

    @cached_property
    def words(self) -> Numbers:
        """The number of words, split on spaces."""
        counts = (len(text.split()) for text in self.texts)
        return np.fromiter(counts, np.int64, len(self.texts))

    def has(self, kind: CharacterKind) -> npt.NDArray[np.bool_]:
        return np.asarray(self._kinds & kind, np.bool_)

    @cached_property
    def _kinds(self) -> Codes:
        table = kinds()
        blocks = [np.bitwise_or.reduceat(table[codes], starts) for codes, starts in self._blocks()]
        return np.concatenate([np.zeros(0, np.uint8), *blocks])

    @cached_property
    def scripts(self) -> tuple[Codes, tuple[str, ...]]:
        """The script number of most letters of each text (0 for none, or too few letters), and the script names."""
        blocks = [_script(codes, starts) for codes, starts in self._blocks()]
        return np.concatenate([np.zeros(0, np.uint8), *blocks]), _names()

    @cached_property
    def home(self) -> str:
        """The script of most texts, weighted by their lengths; "" if no text has one."""
        written, names = self.scripts
        totals = np.bincount(written, self.lengths, len(names))
        totals[0] = 0
        japanese = names.index(JAPANESE)
        if totals[japanese] > MIN_JAPANESE * totals.sum():
            # A Japanese text may have no kana.
            totals[japanese] += totals[names.index(HAN)]
        if not totals.any():
            return ""
        return names[int(totals.argmax())]

    @cached_property
    def is_strange(self) -> npt.NDArray[np.bool_]:
        """Which texts are in another script than most."""
        written, names = self.scripts
        expected = {self.home} | MIXES.get(self.home, set())
        numbers = [names.index(name) for name in expected]
        return ~np.isin(written, [0, *numbers])

    def script(self, row: int) -> str:
        written, names = self.scripts
        return names[int(written[row])]

    def _blocks(self) -> Iterator[tuple[npt.NDArray[np.uint32], Numbers]]:
        ends = np.cumsum(self.lengths + 1)
        start = 0
        while start < len(self.texts):
            done = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, done + BLOCK)))
            lines = "".join(f"{text}\n" for text in self.texts[start:stop])
            codes = np.frombuffer(lines.encode("utf-32-le", "surrogatepass"), np.uint32)
            starts = np.r_[0, ends[start : stop - 1] - done]
            yield codes, starts
            start = stop


def script_of(texts: Sequence[str]) -> str:
    """The script of most letters of these texts, such as `LATIN`; "" if none has most."""
    return Side([" ".join(texts)]).script(0)


def _names() -> tuple[str, ...]:
    _, names = scripts()
    return (*names, JAPANESE)


def _script(codes: npt.NDArray[np.uint32], starts: Numbers) -> Codes:
    """The script number of each text of a block: (texts,)."""
    counts = _letters(codes, starts)
    if not counts:
        return np.zeros(len(starts), np.uint8)
    total = sum(counts.values(), np.zeros(len(starts), np.int64))
    _join_mixed(counts)
    names = _names()
    numbers = np.array([names.index(name) for name in counts], np.uint8)  # (scripts,)
    table = np.stack([*counts.values()])  # (scripts, texts)
    is_clear = (total >= MIN_LETTERS) & (2 * table.max(0) > total)
    most = numbers[table.argmax(0)]  # (texts,)
    return np.where(is_clear, most, 0).astype(np.uint8)


def _letters(codes: npt.NDArray[np.uint32], starts: Numbers) -> dict[str, Numbers]:
    table, names = scripts()
    letters = table[codes]
    present = np.flatnonzero(np.bincount(letters)).tolist()
    return {names[number]: _count(letters == number, starts) for number in present if number}


def _join_mixed(counts: dict[str, Numbers]) -> None:
    """Counts kana with Han as Japanese and Hangul with Han as Hangul; Han alone stays Han."""
    none = np.zeros_like(next(iter(counts.values())))
    han = counts.get(HAN, none)
    kana = sum((counts.pop(name, none) for name in KANA), none)
    japanese = kana + han
    counts[JAPANESE] = np.where(kana > MIN_KANA * japanese, japanese, 0)
    if HANGUL in counts:
        hangul = counts[HANGUL]
        korean = hangul + han
        counts[HANGUL] = np.where(hangul > MIN_KANA * korean, korean, hangul)


def _count(flags: npt.NDArray[np.bool_], starts: Numbers) -> Numbers:
    return np.add.reduceat(flags.view(np.uint8), starts, dtype=np.int64)
