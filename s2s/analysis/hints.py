"""What is suspicious in a translation, by rules that a reader can check: each rule one row. Knows nothing of models, and needs none.

The names follow the study of hallucinations: oscillatory and detached ones (Lee et al. 2018; Raunak et al. 2021), omissions
(Guerreiro et al. 2023). Their thresholds are for long sentences or need people's judgements; those here are set for sentences of a
dozen words. A hint is a place to look, no verdict: most errors, and all that are fluent and of the right length, have none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from s2s.scores.measures import grams

# of the words that were to be expected
SHORT = 0.6
LONG = 1.6
SLACK = 2  # words that a text may always be shorter or longer
LOOPS = 2  # more often than in the source
# below both, a text has next to nothing of its reference
LOOSE_CHRF = 20.0
LOOSE_WORDS = 0.25
WORD = re.compile(r"\w+(?:[.,:'’-]\w+)*")  # 3.5 and Jean-Paul are one


@dataclass(frozen=True)
class Texts:
    """A source, its reference and what was made of it; `expected` words, None where that is not known; `chrf` of the sentence."""

    source: str
    reference: str
    hypothesis: str
    expected: float | None
    chrf: float

    @cached_property
    def n_words(self) -> int:
        """Of the hypothesis."""
        return len(self.hypothesis.split())


class Hint(NamedTuple):
    """The key of a rule that hit, and what it saw; words of the texts stand in it."""

    rule: str
    said: str


class Rule(NamedTuple):
    """`sees` says what is suspicious, "" where nothing is; `kind` is what it hints at: "omission" or "hallucination"."""

    label: str
    kind: str
    about: str
    sees: Callable[[Texts], str]


def _short(texts: Texts) -> str:
    """Fewer than 60 % of the expected words, at least 2 fewer, and fewer than the reference has.

    It can't see what is left out of a text that is as long as others. Writing without blanks is one word, and never short.
    """
    expected = texts.expected or 0.0
    is_short = (
        texts.n_words < min(SHORT * expected, len(texts.reference.split()))
        and expected - texts.n_words >= SLACK
    )
    return f"{_words(texts.n_words)}, about {expected:.0f} expected" if is_short else ""


def _long(texts: Texts) -> str:
    """More than 160 % of the expected words, at least 2 more, and more than the reference has. A free translation may be long, too."""
    if not (expected := texts.expected):
        return ""
    is_long = (
        texts.n_words > max(LONG * expected, len(texts.reference.split()))
        and texts.n_words - expected >= SLACK
    )
    return f"{_words(texts.n_words)}, about {expected:.0f} expected" if is_long else ""


def _uncopied(texts: Texts) -> str:
    """A number, or a name in mid-sentence, that source and reference write alike and the hypothesis lacks, capitals aside.

    Names are words with a capital: it sees none in scripts without capitals, and none that is translated or inflected.
    """
    held = {word.casefold() for word in WORD.findall(texts.hypothesis)}
    lacking = [
        word for word in _copied(texts.source, texts.reference) if word.casefold() not in held
    ]
    return f"without {', '.join(lacking)}" if lacking else ""


def _copied(source: str, reference: str) -> list[str]:
    """Words with a digit, and longer words with a capital that do not merely begin both sentences."""
    ours = WORD.findall(source)
    theirs = WORD.findall(reference)
    names = {word for word in (*ours[1:], *theirs[1:]) if len(word) > 1 and word != word.lower()}
    both = {*ours} & {*theirs}
    return [
        word
        for word in dict.fromkeys(ours)
        if word in both and (word in names or any(map(str.isdigit, word)))
    ]


def _loops(texts: Texts) -> str:
    """Its most frequent pair of words stands there at least twice more often than any stands in source or reference.

    After Raunak et al. 2021, who compare with the source. A loop of three words is seen at its third turn.
    """
    (pair, n), usual = (
        _most_frequent(texts.hypothesis),
        max(_most_frequent(text)[1] for text in (texts.source, texts.reference)),
    )
    return f"{pair}: {n} times" if n - usual >= LOOPS else ""


def _most_frequent(text: str) -> tuple[str, int]:
    """Pair of words, and how often it stands there."""
    found = Counter(grams(text, 2)).most_common(1)
    return (" ".join(found[0][0]), found[0][1]) if found else ("", 0)


def _loose(texts: Texts) -> str:
    """chrF below 20, and fewer than a quarter of its words stand in the reference. A good paraphrase can look like this."""
    words, known = ({*text.casefold().split()} for text in (texts.hypothesis, texts.reference))
    if not words or texts.chrf >= LOOSE_CHRF or len(words & known) >= LOOSE_WORDS * len(words):
        return ""
    return f"{len(words & known)} of {_words(len(words))} in the reference"


def _words(n: int) -> str:
    return f"{n:,} {'word' if n == 1 else 'words'}"


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "short": Rule(
            "Short",
            "omission",
            "Far fewer words than a source of this length usually gets.",
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
            "Far more words than a source of this length usually gets.",
            _long,
        ),
        "loops": Rule(
            "Loops",
            "hallucination",
            "The same two words again and again, more often than in source and reference.",
            _loops,
        ),
        "loose": Rule(
            "Far off", "hallucination", "Next to nothing in common with the reference.", _loose
        ),
    }
)


def hints(texts: Texts) -> tuple[Hint, ...]:
    """Of every rule that hits, in the order of `RULES`."""
    return tuple(Hint(key, said) for key, rule in RULES.items() if (said := rule.sees(texts)))


def longest_repeated(text: str) -> str:
    """The longest run of two words or more that stands there twice or more often, the first of equals; "" without one."""
    words: Sequence[str] = ()
    for n in range(2, len(text.split())):
        counts = Counter(grams(text, n))
        if not (again := next((gram for gram, count in counts.items() if count > 1), None)):
            break
        words = again
    return " ".join(words)
