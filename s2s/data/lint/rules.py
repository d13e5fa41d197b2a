"""The rules of the linter: which pairs match, and what is wrong with each. Knows nothing of files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from s2s.config import Cleaning, nfc
from s2s.data.lint import problems
from s2s.data.lint.characters import CharacterKind
from s2s.data.lint.texts import Numbers, Side
from s2s.data.overlap import normalized
from s2s.data.pair import Pair

MAX_WORDS = 100  # if the setting is empty
MAX_RATIO = 3.0
SLACK = 10  # characters that a side may always be longer: "hi" and "bonjour" are a pair
Hits = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LintedCorpus:
    """A corpus with the properties that rules use; `valid` are the normalized sources of its validation split."""

    pairs: Sequence[Pair]
    valid: Collection[str]
    cleaning: Cleaning
    is_plain: bool = False  # the same text on both sides, which is not a copy

    @cached_property
    def src(self) -> Side:
        return Side([pair.src for pair in self.pairs])

    @cached_property
    def tgt(self) -> Side:
        return Side([pair.tgt for pair in self.pairs])

    @property
    def sides(self) -> tuple[tuple[str, Side], tuple[str, Side]]:
        """Both sides with their names."""
        return ("source", self.src), ("target", self.tgt)

    @property
    def texts(self) -> Iterable[tuple[str, str]]:
        """Source and target of each pair."""
        return zip(self.src.texts, self.tgt.texts, strict=True)

    @property
    def max_words(self) -> int:
        """The limit of words per side."""
        return self.cleaning.max_words or MAX_WORDS

    @property
    def max_ratio(self) -> float:
        """The limit of actual to expected length."""
        return float(self.cleaning.max_ratio or MAX_RATIO)

    @cached_property
    def ratio(self) -> float:
        """The median ratio of target to source characters."""
        has_both = (self.src.lengths > 0) & (self.tgt.lengths > 0)
        return (
            float(np.median(self.tgt.lengths[has_both] / self.src.lengths[has_both]))
            if has_both.any()
            else 1.0
        )

    @cached_property
    def hashes(self) -> Numbers:
        """64-bit hashes of the pairs in Unicode's composed form: for a million pairs, a collision in one of 30 million
        corpora.
        """
        return np.fromiter(
            (hash((nfc(src), nfc(tgt))) for src, tgt in self.texts), np.int64, len(self.pairs)
        )

    @cached_property
    def first(self) -> Numbers:
        """For each pair, the row (from 0) of the first pair that equals it."""
        _, rows, which = np.unique(self.hashes, return_index=True, return_inverse=True)
        return rows[which]


class Rule(NamedTuple):
    """A rule: `finds` marks matching pairs, `says` describes the problem of a row (from 0).

    `note` is the reason for removal; a rule without a setting of its name has none, and removes no pair.
    """

    label: str
    about: str
    note: str  # may name {max_words} and {max_ratio}
    finds: Callable[[LintedCorpus], Hits]
    says: Callable[[LintedCorpus, int], str]


def _empty(texts: LintedCorpus) -> Hits:
    return ~(texts.src.has(CharacterKind.VISIBLE) & texts.tgt.has(CharacterKind.VISIBLE))


def _says_empty(texts: LintedCorpus, row: int) -> str:
    return _sentence(
        f"nothing is visible in the {name}"
        for name, side in texts.sides
        if not side.has(CharacterKind.VISIBLE)[row]
    )


def _duplicates(texts: LintedCorpus) -> Hits:
    hits: Hits = texts.first != np.arange(len(texts.pairs))
    return hits


def _says_duplicate(texts: LintedCorpus, row: int) -> str:
    first = int(texts.first[row])
    return f"The same pair is in row {texts.pairs[first].line or first + 1:,}."


def _copies(texts: LintedCorpus) -> Hits:
    is_likely = (texts.src.words == texts.tgt.words) & (texts.src.words > 0) & (not texts.is_plain)
    return _where(
        is_likely, lambda row: _folded(texts.src.texts[row]) == _folded(texts.tgt.texts[row])
    )


def _folded(text: str) -> list[str]:
    return nfc(text).casefold().split()


def _says_copy(texts: LintedCorpus, row: int) -> str:
    is_same = nfc(texts.src.texts[row]) == nfc(texts.tgt.texts[row])
    return (
        "Both sides are the same."
        if is_same
        else "Both sides are the same except for case or spaces."
    )


def _max_words(texts: LintedCorpus) -> Hits:
    return np.maximum(texts.src.words, texts.tgt.words) > texts.max_words


def _says_words(texts: LintedCorpus, row: int) -> str:
    return _sentence(
        f"the {name} has {side.words[row]:,} words"
        for name, side in texts.sides
        if side.words[row] > texts.max_words
    )


def _max_ratio(texts: LintedCorpus) -> Hits:
    expected = texts.src.lengths * texts.ratio
    tgt = texts.tgt.lengths
    is_longer = np.maximum(expected, tgt) > texts.max_ratio * np.minimum(expected, tgt) + SLACK
    return np.asarray(is_longer & (expected > 0) & (tgt > 0))


def _says_ratio(texts: LintedCorpus, row: int) -> str:
    src = int(texts.src.lengths[row])
    tgt = int(texts.tgt.lengths[row])
    return f"{src:,} characters became {tgt:,}; about {src * texts.ratio:,.0f} were expected."


def _script(texts: LintedCorpus) -> Hits:
    return texts.src.is_strange | texts.tgt.is_strange


def _says_script(texts: LintedCorpus, row: int) -> str:
    return _sentence(
        f"the {name} is in {_called(side.script(row))} letters, most others are in {_called(side.home)} ones"
        for name, side in texts.sides
        if side.is_strange[row]
    )


def _called(script: str) -> str:
    return {"CJK": "Han"}.get(script, script.title())


def _each(
    kind: CharacterKind, problem: Callable[[str], str | None]
) -> tuple[Callable[[LintedCorpus], Hits], Callable[[LintedCorpus, int], str]]:
    """`finds` and `says` of a rule about single texts; only texts with a character of this kind are checked."""

    def hits(side: Side) -> Hits:
        return _where(side.has(kind), lambda row: problem(side.texts[row]) is not None)

    def finds(texts: LintedCorpus) -> Hits:
        return hits(texts.src) | hits(texts.tgt)

    def says(texts: LintedCorpus, row: int) -> str:
        found = ((name, problem(side.texts[row])) for name, side in texts.sides)
        return _sentence(f"the {name} {wrong}" for name, wrong in found if wrong)

    return finds, says


def _invisible(texts: LintedCorpus) -> Hits:
    return _finds_invisible(texts) | _spaced(texts.src) | _spaced(texts.tgt)


_finds_invisible, _says_invisible = _each(CharacterKind.UNSEEN, problems.invisible)


def _spaced(side: Side) -> Hits:
    return np.fromiter(("  " in text for text in side.texts), np.bool_, len(side.texts))


def _numbers(texts: LintedCorpus) -> Hits:
    has_digits = texts.src.has(CharacterKind.DIGIT) | texts.tgt.has(CharacterKind.DIGIT)
    return _where(
        has_digits,
        lambda row: problems.numbers(texts.src.texts[row], texts.tgt.texts[row]) is not None,
    )


def _says_numbers(texts: LintedCorpus, row: int) -> str:
    return _sentence([problems.numbers(texts.src.texts[row], texts.tgt.texts[row]) or ""])


def _overlap(texts: LintedCorpus) -> Hits:
    if not texts.valid:
        return np.zeros(len(texts.pairs), np.bool_)
    found = (normalized(src) in texts.valid for src in texts.src.texts)
    return np.fromiter(found, np.bool_, len(texts.pairs))


def _says_overlap(texts: LintedCorpus, row: int) -> str:
    return "The source is one of the validation split."


def _where(is_likely: Hits, is_hit: Callable[[int], bool]) -> Hits:
    hits = np.zeros(len(is_likely), np.bool_)
    for row in np.flatnonzero(is_likely).tolist():
        hits[row] = is_hit(row)
    return hits


def _sentence(parts: Iterable[str]) -> str:
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


LINT_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "empty": Rule(
            "Empty",
            "A side with nothing visible: spaces, controls, or no character at all.",
            "a side is empty",
            _empty,
            _says_empty,
        ),
        "duplicates": Rule(
            "Duplicates",
            "The same pair occurs earlier; the first one is kept.",
            "the same pair occurs earlier",
            _duplicates,
            _says_duplicate,
        ),
        "copies": Rule(
            "Copies",
            "The target equals the source, ignoring case and spaces.",
            "the target equals the source",
            _copies,
            _says_copy,
        ),
        "max_words": Rule(
            "Long",
            "A side has too many words, split on spaces.",
            "a side has more than {max_words:,} words",
            _max_words,
            _says_words,
        ),
        "max_ratio": Rule(
            "Length ratio",
            "A side has far more characters than expected from the other.",
            "one side is over {max_ratio:g} times longer than expected",
            _max_ratio,
            _says_ratio,
        ),
        "script": Rule(
            "Wrong script",
            "Most letters are in another script than in most texts of that side.",
            "a side is in another script than the rest",
            _script,
            _says_script,
        ),
        "control": Rule(
            "Control characters",
            "Control, replacement or private characters; usually from a wrong encoding.",
            "a side has control characters",
            *_each(CharacterKind.CONTROL, problems.control),
        ),
        "markup": Rule(
            "Markup",
            "HTML tags or entities, such as <br> and &amp;.",
            "a side has HTML",
            *_each(CharacterKind.MARKUP, problems.markup),
        ),
        "brackets": Rule(
            "Brackets",
            "Brackets or quotation marks that do not pair up.",
            "brackets or quotation marks do not pair up",
            *_each(CharacterKind.BRACKET, problems.brackets),
        ),
        "numbers": Rule(
            "Numbers",
            "A number in digits that the other side does not have; 1,000 is 1.000 and 1 000.",
            "the numbers of both sides differ",
            _numbers,
            _says_numbers,
        ),
        "overlap": Rule(
            "Overlap",
            "The source is in the validation split too.",
            "the source is in the validation split",
            _overlap,
            _says_overlap,
        ),
        "invisible": Rule(
            "Invisible characters",
            "Soft hyphens, needless zero-width spaces and the like; several spaces in a row.",
            "",
            _invisible,
            _says_invisible,
        ),
    }
)
