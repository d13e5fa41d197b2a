"""How good hypotheses are, given their references.

One more metric is a function and a row of METRICS. Knows nothing of models.
"""

from __future__ import annotations

import importlib.metadata
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from s2s.config import UserError
from s2s.words import MetricName

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as SacreMetric

Texts = Sequence[str]
References = Sequence[str | Sequence[str]]  # of each hypothesis: one, or several
TOKENIZERS = ("13a", "intl", "char", "zh", "none")  # sacrebleu's, as far as they need no download


@dataclass(frozen=True)
class Scoring:
    """How sacrebleu counts; the defaults are its own."""

    tokenize: str = "13a"  # of BLEU, from TOKENIZERS
    lowercase: bool = False  # of BLEU and chrF; TER and ROUGE always ignore case
    chrf_words: int = 0  # word n-grams of chrF: 2 is chrF++ (Popović 2017)

    def __post_init__(self) -> None:
        if self.tokenize not in TOKENIZERS:
            raise UserError(
                f"`{self.tokenize}` is not a tokenizer of BLEU here; choose from {', '.join(TOKENIZERS)}."
            )
        if self.chrf_words not in (0, 2):
            raise UserError(
                f"chrF has no `{self.chrf_words}` word n-grams here; give 0 for chrF or 2 for chrF++."
            )


DEFAULT = Scoring()
SACREBLEU = ("bleu", "chrf", "ter")


@dataclass(frozen=True)
class Score:
    """A corpus score with its signature: papers can be compared where signatures are equal."""

    value: float
    signature: str


@dataclass(frozen=True, kw_only=True)
class Metric(MetricName):
    """A row: names, and `compute`, which takes hypotheses and references; `source` is the paper."""

    compute: Callable[[Texts, References], Score]
    source: str = ""


def all_of(reference: str | Sequence[str]) -> Sequence[str]:
    """The references of one sentence."""
    return (reference,) if isinstance(reference, str) else reference


def streams(references: References) -> list[list[Any]]:
    """sacrebleu's form: the first reference of every sentence, then the second, ...; None where there is none.

    >>> streams(["a", ["b", "c"]])
    [['a', 'b'], [None, 'c']]
    """
    return [list(stream) for stream in itertools.zip_longest(*map(all_of, references))]


def sacre(name: str, scoring: Scoring = DEFAULT) -> SacreMetric:
    """sacrebleu's metric `bleu`, `chrf` or `ter`; `bleu_sentence` leaves out the n-gram orders that a text is too short
    for.
    """
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    from s2s.scores.pruned_ter import PrunedTER

    if name == "chrf":
        return CHRF(word_order=scoring.chrf_words, lowercase=scoring.lowercase)
    if name == "ter":
        return PrunedTER()
    return BLEU(
        force=True,
        effective_order=name == "bleu_sentence",
        tokenize=scoring.tokenize,
        lowercase=scoring.lowercase,
    )


def _sacre_score(
    name: str, hypotheses: Texts, references: References, scoring: Scoring = DEFAULT
) -> Score:
    metric = sacre(name, scoring)
    score = metric.corpus_score(list(hypotheses), streams(references)).score
    return Score(score, str(metric.get_signature()))


def bleu(hypotheses: Texts, references: References, scoring: Scoring = DEFAULT) -> Score:
    """0 to 100."""
    return _sacre_score("bleu", hypotheses, references, scoring)


def chrf(hypotheses: Texts, references: References, scoring: Scoring = DEFAULT) -> Score:
    """0 to 100."""
    return _sacre_score("chrf", hypotheses, references, scoring)


def ter(hypotheses: Texts, references: References, scoring: Scoring = DEFAULT) -> Score:
    """Edits as a percentage of the reference's words; 0 is perfect, more than 100 is possible."""
    return _sacre_score("ter", hypotheses, references, scoring)


class _WhitespaceTokenizer:
    """Lowercased words. (rouge-score's own tokenizer drops every letter that is not ASCII.)"""

    def tokenize(self, text: str) -> list[str]:
        return text.lower().split()


def rouge_each(kind: str, hypotheses: Texts, references: References) -> list[float]:
    """F1 of each hypothesis with its best reference, 0 to 1; `kind` is rouge-score's name: rouge1, rouge2, rougeL."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([kind], tokenizer=_WhitespaceTokenizer())
    return [
        max(scorer.score(one, text)[kind].fmeasure for one in all_of(reference))
        for text, reference in zip(hypotheses, references, strict=True)
    ]


def _with_count(signature: str, references: References) -> str:
    """With the number of references, where it is not 1, as sacrebleu has it: `2`, or `var` where sentences differ."""
    counts = {len(all_of(one)) for one in references}
    if counts == {1}:
        return signature
    return f"{signature}|nrefs:{'var' if len(counts) > 1 else counts.pop()}|of:best"


def _rouge(kind: str, hypotheses: Texts, references: References) -> Score:
    scores = rouge_each(kind, hypotheses, references)
    version = importlib.metadata.version("rouge-score")
    signature = f"{kind}|f1:mean|case:lc|tok:blanks|version:{version}"
    return Score(100 * sum(scores) / len(scores), _with_count(signature, references))


def rouge_1(hypotheses: Texts, references: References) -> Score:
    """Mean F1 of words, 0 to 100."""
    return _rouge("rouge1", hypotheses, references)


def rouge_2(hypotheses: Texts, references: References) -> Score:
    """Mean F1 of word bigrams, 0 to 100."""
    return _rouge("rouge2", hypotheses, references)


def rouge_l(hypotheses: Texts, references: References) -> Score:
    """Mean F1 of the longest common subsequence of words, 0 to 100."""
    return _rouge("rougeL", hypotheses, references)


def is_exact(hypothesis: str, reference: str) -> bool:
    """Whether the two are equal, apart from spaces at the ends."""
    return hypothesis.strip() == reference.strip()


def is_any_exact(hypothesis: str, references: str | Sequence[str]) -> bool:
    """Whether a hypothesis equals one of its references, apart from spaces at the ends."""
    return any(is_exact(hypothesis, one) for one in all_of(references))


def exact_match(hypotheses: Texts, references: References) -> Score:
    """Percentage of hypotheses that equal a reference, apart from spaces at the ends."""
    hits = sum(is_any_exact(*pair) for pair in zip(hypotheses, references, strict=True))
    signature = _with_count("exact|case:mixed|strip:ends", references)
    return Score(100 * hits / len(references), signature)


_ROWS = {
    row.key: row
    for row in (
        Metric(
            "bleu",
            "BLEU",
            "0 to 100",
            "Sequences of up to four words shared with the references. Near 0 where references"
            " have fewer than four words.",
            "higher",
            compute=bleu,
            source="Papineni et al. 2002; Post 2018",
        ),
        Metric(
            "chrf",
            "chrF",
            "0 to 100",
            "Sequences of up to six characters shared with the references. Early in training it"
            " improves before BLEU does.",
            "higher",
            compute=chrf,
            source="Popović 2015",
        ),
        Metric(
            "ter",
            "TER",
            "%",
            "Edits that turn the output into its reference, as a percentage of the reference's words.",
            "lower",
            compute=ter,
            source="Snover et al. 2006",
        ),
        Metric(
            "rouge_1",
            "ROUGE-1",
            "0 to 100",
            "F1 of words shared with the reference.",
            "higher",
            compute=rouge_1,
            source="Lin 2004",
        ),
        Metric(
            "rouge_2",
            "ROUGE-2",
            "0 to 100",
            "F1 of word pairs shared with the reference.",
            "higher",
            compute=rouge_2,
            source="Lin 2004",
        ),
        Metric(
            "rouge_l",
            "ROUGE-L",
            "0 to 100",
            "F1 of the longest common subsequence of words.",
            "higher",
            compute=rouge_l,
            source="Lin 2004",
        ),
        Metric(
            "exact_match",
            "Exact match",
            "%",
            "Outputs that equal their reference.",
            "higher",
            compute=exact_match,
        ),
    )
}
METRICS: Mapping[str, Metric] = MappingProxyType(_ROWS)


def score_all(
    hypotheses: Texts, references: References, scoring: Scoring = DEFAULT
) -> dict[str, Score]:
    """Every metric of METRICS by its key."""
    return {
        key: _sacre_score(key, hypotheses, references, scoring)
        if key in SACREBLEU
        else metric.compute(hypotheses, references)
        for key, metric in METRICS.items()
    }
