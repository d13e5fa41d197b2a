"""What stands out in a dataset, in words: each sentence is said only where its predicate holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from s2s.config import DataConfig
from s2s.data import LINT_RULES, LintReport, Preview, Statistics, Vocabulary, enabled_rules
from s2s.questions.finding import Finding, first
from s2s.tokenizers import TOKENIZERS, TokenizerComparison

if TYPE_CHECKING:
    from s2s.questions.dataset_profile import TaskExamples

OUTLIER = 10  # times the median length, from which the longest text is one
LONG = 50  # words, below which no text is an outlier
REPEATED = 0.5  # share of pairs with a source of their own, below which sources repeat
UNEVEN = 1.25  # times as many words on one side
SEEN = 0.99  # of validation words in training, from which no word is missed
RARE = 0.4  # of distinct words that occur once, from which they are many
TOO_LONG = 0.01  # of the pairs, from which a tokenizer loses too many


class Lengths(NamedTuple):
    """What the preview of a dataset says of its size."""

    n_pairs: int
    pairs: str
    src: float
    tgt: float
    is_plain: bool
    distinct: int
    repeats: int
    same: int
    longest: int

    @property
    def times(self) -> float:
        """The longest text in medians."""
        return self.longest / max(1.0, self.src, self.tgt)


SIZE = (
    Finding(
        lambda found: found.is_plain,
        "{n_pairs:,} texts without targets, for tasks that need none. Words per text (median): {src:g}.",
    ),
    Finding(
        lambda found: True,
        "{pairs}. Words per text (median): {src:g} in the source, {tgt:g} in the target.",
    ),
)
OF_PAIRS = (
    Finding(lambda found: found.repeats == 1, "1 repeats an earlier one exactly."),
    Finding(lambda found: found.repeats > 1, "{repeats:,} repeat an earlier one exactly."),
    Finding(
        lambda found: found.distinct < REPEATED * found.n_pairs,
        "Sources repeat: only {distinct:,} distinct.",
    ),
    Finding(
        lambda found: found.same == 1 and not found.is_plain, "1 has the same text on both sides."
    ),
    Finding(
        lambda found: found.same > 1 and not found.is_plain,
        "{same:,} have the same text on both sides.",
    ),
    Finding(
        lambda found: found.longest >= LONG and found.times >= OUTLIER,
        "The longest text has {longest:,} words, {times:.0f} times the median.",
    ),
)


def of_pairs(preview: Preview) -> str:
    """Its size, and what repeats or is far longer than the rest."""
    n = preview.n_pairs
    found = Lengths(
        n,
        _pairs(n),
        preview.src_median,
        preview.tgt_median,
        preview.is_plain,
        preview.n_distinct_sources,
        preview.n_duplicates,
        preview.n_same,
        max(preview.src_longest, preview.tgt_longest),
    )
    return _joined(first(SIZE, found), *_all(OF_PAIRS, found))


class Dropped(NamedTuple):
    """How many pairs the enabled rules drop, and which rule that drops none matches most."""

    n: int
    of: int
    rule: str
    matches: int

    @property
    def left(self) -> int:
        """Pairs that stay."""
        return self.of - self.n

    @property
    def share(self) -> str:
        """Of the pairs, in percent."""
        return percent(self.n / self.of)

    @property
    def matched(self) -> str:
        """`1 pair`, `20 pairs`."""
        return _pairs(self.matches)


DROPS = (
    Finding(lambda found: found.n, "Drops {n:,} of {of:,} pairs ({share}), leaves {left:,}."),
    Finding(lambda found: True, "Drops nothing: all {of:,} pairs stay."),
)
LEFT = (
    Finding(
        lambda found: found.matches,
        "Of the rules that drop none, “{rule}” matches most: {matched}.",
    ),
    Finding(lambda found: not found.n, "No rule matches any pair."),
)
SEVERAL = (
    Finding(
        lambda n: n == 1,
        "1 source has several targets: a model is trained on all of them, and greedy search writes one.",
    ),
    Finding(
        lambda n: n,
        "{real:,} sources have several targets: a model is trained on all of them, and greedy search writes one.",
    ),
)


def of_faults(report: LintReport, data: DataConfig) -> str:
    """What the enabled rules drop, which other rule matches most, and how many sources have several targets."""
    dropping = enabled_rules(data.clean)
    others = [name for name, found in report.found.items() if found.n and name not in dropping]
    most = max(others, key=lambda name: report.found[name].n, default="")
    found = Dropped(
        report.dropped(dropping),
        report.n_pairs,
        LINT_RULES[most].label if most else "",
        report.found[most].n if most else 0,
    )
    is_reversed = data.task == "reverse_direction"
    several = report.several_sources if is_reversed else report.several_targets
    return _joined(first(DROPS, found), first(LEFT, found), first(SEVERAL, several or 0))


LIMIT = (
    Finding(
        lambda found: found.too_long > 0,
        "About {too_long_shown} of the pairs are longer than the {limit} tokens of data.max_length and will be"
        " dropped, not truncated.",
    ),
    Finding(
        lambda found: True,
        "Probably no pair is longer than the {limit} tokens of data.max_length.",
    ),
)


def of_task(found: TaskExamples) -> str:
    """About how many pairs the length limit will drop."""
    return first(LIMIT, found)


class WordFacts(NamedTuple):
    """Median ratio of target to source words, and of the side with more of each: words of the validation pairs that
    training lacks, and words that occur once.
    """

    ratio: float
    side: str
    missing: float
    rare_side: str
    rare: float

    @property
    def shown(self) -> str:
        """The missing words, in percent."""
        return percent(self.missing)

    @property
    def once(self) -> str:
        """The words that occur once, in percent."""
        return percent(self.rare)

    @property
    def inverse(self) -> float:
        """Source words per target word."""
        return 1 / self.ratio


OF_WORDS = (
    Finding(
        lambda found: found.missing > 1 - SEEN,
        "{shown} of the {side} words in validation never occur in training: a tokenizer of whole words does not know"
        " them.",
    ),
    Finding(lambda found: found.ratio >= UNEVEN, "Targets have {ratio:.3g} words per source word."),
    Finding(
        lambda found: 0 < found.ratio <= 1 / UNEVEN,
        "Sources have {inverse:.3g} words per target word.",
    ),
    Finding(
        lambda found: found.rare >= RARE, "{once} of the distinct {rare_side} words occur once."
    ),
    Finding(
        lambda found: found.missing <= 1 - SEEN and found.rare < RARE,
        "Nearly every word of the validation pairs occurs in training.",
    ),
)


def of_words(found: Statistics) -> str:
    """Whether training has the words of validation, sides that differ in length, and rare words."""
    sides = {"source": found.src, "target": found.tgt}
    side = max(sides, key=lambda name: _missing(sides[name]))
    rare = max(sides, key=lambda name: _once(sides[name]))
    facts = WordFacts(found.ratio_median, side, _missing(sides[side]), rare, _once(sides[rare]))
    return _joined(*_all(OF_WORDS, facts))


def _missing(words: Vocabulary) -> float:
    return 1 - words.covered[0].running if words.covered else 0.0


def _once(words: Vocabulary) -> float:
    return words.n_once / max(1, words.n_distinct)


class TokenizerFacts(NamedTuple):
    """The tokenizer with the most unknown tokens, the one that loses most pairs, and the shortest of the subwords."""

    unknown_name: str
    unknown: float
    long_name: str
    too_long: float
    shortest: str
    tokens: float
    most_tokens: float  # of the subword tokenizers

    @property
    def unknown_share(self) -> str:
        """In percent."""
        return percent(self.unknown)

    @property
    def long_share(self) -> str:
        """In percent."""
        return percent(self.too_long)


OF_TOKENIZERS = (
    Finding(
        lambda found: found.unknown > 0,
        "“{unknown_name}” does not know {unknown_share} of the held-out tokens.",
    ),
    Finding(
        lambda found: found.too_long >= TOO_LONG,
        "With “{long_name}”, {long_share} of the pairs are too long and would be dropped.",
    ),
    Finding(
        lambda found: found.tokens < found.most_tokens,
        "Of the subword tokenizers, “{shortest}” makes the shortest targets: {tokens:g} tokens (median).",
    ),
)


def of_tokenizers(found: TokenizerComparison) -> str:
    """What to consider where words are not separated by spaces, and which tokenizers stand out."""
    if not found.rows:
        return "No tokenizer has been measured on these pairs."
    unknown = {
        name: max(row.src.unknown_rate or 0, row.tgt.unknown_rate or 0)
        for name, row in found.named.items()
    }
    too_long = {name: row.too_long for name, row in found.named.items()}
    lengths = {
        name: row.tgt.median for name, row in found.named.items() if TOKENIZERS[row.kind].is_subword
    }
    least = max(unknown, key=unknown.__getitem__)
    longest = max(too_long, key=too_long.__getitem__)
    shortest = min(lengths, key=lengths.__getitem__, default="")
    facts = TokenizerFacts(
        least,
        unknown[least],
        longest,
        too_long[longest],
        shortest,
        lengths.get(shortest, 0),
        max(lengths.values(), default=0),
    )
    return _joined(found.advice.replace("`", ""), *_all(OF_TOKENIZERS, facts))


def percent(share: float) -> str:
    """`4.31 %`, `less than 0.1 %`: at most three digits."""
    return f"{100 * share:.3g} %" if share >= 0.001 else "less than 0.1 %"


def _pairs(n: int) -> str:
    return "1 pair" if n == 1 else f"{n:,} pairs"


def _all(findings: Sequence[Finding], facts: object) -> Iterable[str]:
    return (each.said(facts) for each in findings)


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
