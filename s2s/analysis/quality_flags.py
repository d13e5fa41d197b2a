"""Quality flags: rules that point at suspicious translations. Text in, flags out; knows nothing of models.

The names follow work on hallucinations: oscillatory and detached ones (Lee et al. 2018; Raunak et al. 2021),
omissions (Guerreiro et al. 2023). Their thresholds are for long sentences or need human judgments; ours are for
sentences of a dozen words. A flag is a reason to look, not a verdict: most errors, and every fluent error of normal
length, have none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from s2s.scores import grams

# relative to the expected number of words
SHORT = 0.6
LONG = 1.6
SLACK = 2  # a text may always be fewer than so many words shorter or longer
LOOPS = 2  # so many times more often than in source or reference
# below both, a text has almost nothing in common with its reference
UNRELATED_CHRF = 20.0
UNRELATED_WORDS = 0.25
WORD = re.compile(r"\w+(?:[.,:'’-]\w+)*")  # 3.5 and Jean-Paul are one word


@dataclass(frozen=True)
class Texts:
    """The texts of one translation that the rules compare."""

    source: str
    reference: str
    hypothesis: str
    expected: float | None  # number of words; None where it is not known
    chrf: float  # of the hypothesis against the reference

    @cached_property
    def n_words(self) -> int:
        """The number of words in the hypothesis."""
        return len(self.hypothesis.split())


class QualityFlag(NamedTuple):
    """The key of a rule that applies, and its evidence, which quotes words of the texts."""

    rule: str
    evidence: str


class Rule(NamedTuple):
    """A suspicious property of a translation."""

    label: str
    kind: str  # what it suggests: "omission" or "hallucination"
    about: str
    find: Callable[[Texts], str]  # the evidence; "" where the rule does not apply


def _short(texts: Texts) -> str:
    """Evidence of a hypothesis with fewer than 60 % of the expected words, at least 2 fewer, and fewer than the
    reference has.

    It misses an omission in a text of normal length. Text without spaces is one word, and never flagged.
    """
    expected = texts.expected or 0.0
    most = min(SHORT * expected, len(texts.reference.split()))
    is_short = texts.n_words < most and expected - texts.n_words >= SLACK
    return f"{_words(texts.n_words)}, about {expected:.0f} expected" if is_short else ""


def _long(texts: Texts) -> str:
    """Evidence of a hypothesis with more than 160 % of the expected words, at least 2 more, and more than the reference
    has.

    A free translation may be long, too.
    """
    if not (expected := texts.expected):
        return ""
    least = max(LONG * expected, len(texts.reference.split()))
    is_long = texts.n_words > least and texts.n_words - expected >= SLACK
    return f"{_words(texts.n_words)}, about {expected:.0f} expected" if is_long else ""


def _uncopied(texts: Texts) -> str:
    """Evidence of a lost number, or a name in mid-sentence, that source and reference share and the hypothesis lacks,
    ignoring case.

    Names are capitalized words: none in scripts without capitals, and none that is translated or inflected.
    """
    written = {word.casefold() for word in WORD.findall(texts.hypothesis)}
    missing = [
        word for word in _copied(texts.source, texts.reference) if word.casefold() not in written
    ]
    return f"without {', '.join(missing)}" if missing else ""


def _copied(source: str, reference: str) -> list[str]:
    """Words that both texts have: with a digit, or capitalized, of two letters or more and not at the start of both."""
    src = WORD.findall(source)
    ref = WORD.findall(reference)
    names = {word for word in (*src[1:], *ref[1:]) if len(word) > 1 and word != word.lower()}
    shared = {*src} & {*ref}
    return [
        word
        for word in dict.fromkeys(src)
        if word in shared and (word in names or any(map(str.isdigit, word)))
    ]


def _loops(texts: Texts) -> str:
    """Evidence of a loop: the most frequent bigram occurs at least twice more often than any in source or reference.

    After Raunak et al. 2021, who compare with the source. A loop of three words is found at its third repetition.
    """
    pair, n = _most_frequent(texts.hypothesis)
    normal = max(_most_frequent(text)[1] for text in (texts.source, texts.reference))
    return f"{pair}: {n} times" if n - normal >= LOOPS else ""


def _most_frequent(text: str) -> tuple[str, int]:
    """The most frequent bigram and its count."""
    counts = Counter(grams(text, 2)).most_common(1)
    return (" ".join(counts[0][0]), counts[0][1]) if counts else ("", 0)


def _unrelated(texts: Texts) -> str:
    """Evidence of another text: chrF below 20, and fewer than a quarter of its distinct words are in the reference.

    A good paraphrase can be flagged.
    """
    words, known = ({*text.casefold().split()} for text in (texts.hypothesis, texts.reference))
    n_shared = len(words & known)
    if not words or texts.chrf >= UNRELATED_CHRF or n_shared >= UNRELATED_WORDS * len(words):
        return ""
    return f"{n_shared} of {_words(len(words))} in the reference"


def _words(n: int) -> str:
    return f"{n:,} {'word' if n == 1 else 'words'}"


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "short": Rule(
            "Short",
            "omission",
            "Far fewer words than is usual for a source of this length.",
            _short,
        ),
        "uncopied": Rule(
            "Not copied",
            "omission",
            "A number or name of the source that the reference keeps is missing.",
            _uncopied,
        ),
        "long": Rule(
            "Long",
            "hallucination",
            "Far more words than is usual for a source of this length.",
            _long,
        ),
        "loops": Rule(
            "Repetition",
            "hallucination",
            "The same two words again and again, more often than in source and reference.",
            _loops,
        ),
        "loose": Rule(
            "Unrelated",
            "hallucination",
            "Almost nothing in common with the reference.",
            _unrelated,
        ),
    }
)


def find_flags(texts: Texts) -> tuple[QualityFlag, ...]:
    """One flag for every rule that applies, in the order of `RULES`."""
    return tuple(
        QualityFlag(key, evidence) for key, rule in RULES.items() if (evidence := rule.find(texts))
    )


def longest_repeated(text: str) -> str:
    """The longest sequence of two or more words that occurs at least twice, the first of equals; "" without one."""
    longest: Sequence[str] = ()
    for n in range(2, len(text.split())):
        counts = Counter(grams(text, n))
        if not (repeated := next((gram for gram, count in counts.items() if count > 1), None)):
            break
        longest = repeated
    return " ".join(longest)
