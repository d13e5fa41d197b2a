"""How good hypotheses are, given their references.

Each metric is one row; its name and meaning are in s2s.words. Knows nothing of models.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as SacreMetric

Texts = Sequence[str]


@dataclass(frozen=True)
class Score:
    """A corpus score with its signature: papers can be compared where signatures are equal."""

    value: float
    signature: str


@dataclass(frozen=True)
class Metric:
    """`compute` takes hypotheses and references; `source` is the paper."""

    compute: Callable[[Texts, Texts], Score]
    source: str


def sacre(name: str) -> SacreMetric:
    """sacrebleu's metric `bleu`, `chrf` or `ter`; `bleu_sentence` leaves out the n-gram orders that a text is too short
    for.
    """
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    if name == "chrf":
        return CHRF()
    return TER() if name == "ter" else BLEU(force=True, effective_order=name == "bleu_sentence")


def _sacre_score(name: str, hypotheses: Texts, references: Texts) -> Score:
    metric = sacre(name)
    score = metric.corpus_score(list(hypotheses), [list(references)]).score
    return Score(score, str(metric.get_signature()))


def bleu(hypotheses: Texts, references: Texts) -> Score:
    """0 to 100."""
    return _sacre_score("bleu", hypotheses, references)


def chrf(hypotheses: Texts, references: Texts) -> Score:
    """0 to 100."""
    return _sacre_score("chrf", hypotheses, references)


def ter(hypotheses: Texts, references: Texts) -> Score:
    """Edits as a percentage of the reference's words; 0 is perfect, more than 100 is possible."""
    return _sacre_score("ter", hypotheses, references)


class _WhitespaceTokenizer:
    """Lowercased words. (rouge-score's own tokenizer drops every letter that is not ASCII.)"""

    def tokenize(self, text: str) -> list[str]:
        return text.lower().split()


def rouge_each(kind: str, hypotheses: Texts, references: Texts) -> list[float]:
    """F1 of each hypothesis, 0 to 1; `kind` is rouge-score's name: rouge1, rouge2, rougeL."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([kind], tokenizer=_WhitespaceTokenizer())
    return [
        scorer.score(reference, text)[kind].fmeasure
        for text, reference in zip(hypotheses, references, strict=True)
    ]


def _rouge(kind: str, hypotheses: Texts, references: Texts) -> Score:
    scores = rouge_each(kind, hypotheses, references)
    version = importlib.metadata.version("rouge-score")
    signature = f"{kind}|f1:mean|case:lc|tok:blanks|version:{version}"
    return Score(100 * sum(scores) / len(scores), signature)


def rouge_1(hypotheses: Texts, references: Texts) -> Score:
    """Mean F1 of words, 0 to 100."""
    return _rouge("rouge1", hypotheses, references)


def rouge_2(hypotheses: Texts, references: Texts) -> Score:
    """Mean F1 of word bigrams, 0 to 100."""
    return _rouge("rouge2", hypotheses, references)


def rouge_l(hypotheses: Texts, references: Texts) -> Score:
    """Mean F1 of the longest common subsequence of words, 0 to 100."""
    return _rouge("rougeL", hypotheses, references)


def is_exact(hypothesis: str, reference: str) -> bool:
    """Whether the two are equal, apart from spaces at the ends."""
    return hypothesis.strip() == reference.strip()


def exact_match(hypotheses: Texts, references: Texts) -> Score:
    """Percentage of hypotheses that equal their reference, apart from spaces at the ends."""
    hits = sum(is_exact(*pair) for pair in zip(hypotheses, references, strict=True))
    return Score(100 * hits / len(references), "exact|case:mixed|strip:ends")


METRICS: MappingProxyType[str, Metric] = MappingProxyType(
    {
        "bleu": Metric(bleu, "Papineni et al. 2002; Post 2018"),
        "chrf": Metric(chrf, "Popović 2015"),
        "ter": Metric(ter, "Snover et al. 2006"),
        "rouge_1": Metric(rouge_1, "Lin 2004"),
        "rouge_2": Metric(rouge_2, "Lin 2004"),
        "rouge_l": Metric(rouge_l, "Lin 2004"),
        "exact_match": Metric(exact_match, ""),
    }
)


def score_all(hypotheses: Texts, references: Texts) -> dict[str, Score]:
    """Every metric of METRICS by its key."""
    return {key: metric.compute(hypotheses, references) for key, metric in METRICS.items()}
