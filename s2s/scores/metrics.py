"""How good hypotheses are beside their references. Each metric is one row. Knows nothing of models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

Texts = Sequence[str]


@dataclass(frozen=True)
class Score:
    """A corpus score and how it was computed, in a form that can be compared between papers."""

    value: float
    signature: str


@dataclass(frozen=True)
class Metric:
    """One row: hypotheses and references in, a Score out; what it means, its range, which way is better (None: neither), its source."""

    compute: Callable[[Texts, Texts], Score]
    label: str
    summary: str
    is_higher_better: bool | None
    source: str


def bleu(hypotheses: Texts, references: Texts) -> Score:
    """0 to 100."""
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU()
    return Score(
        metric.corpus_score(list(hypotheses), [list(references)]).score, str(metric.get_signature())
    )


def chrf(hypotheses: Texts, references: Texts) -> Score:
    """0 to 100."""
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF()
    return Score(
        metric.corpus_score(list(hypotheses), [list(references)]).score, str(metric.get_signature())
    )


def ter(hypotheses: Texts, references: Texts) -> Score:
    """Edits in percent of the reference's words; 0 is perfect, more than 100 is possible."""
    from sacrebleu.metrics.ter import TER

    metric = TER()
    return Score(
        metric.corpus_score(list(hypotheses), [list(references)]).score, str(metric.get_signature())
    )


class _Blanks:
    """rouge-score's own tokenizer drops every letter that is not ASCII."""

    def tokenize(self, text: str) -> list[str]:
        return text.lower().split()


def rouge_each(kind: str, hypotheses: Texts, references: Texts) -> list[float]:
    """F1 of each hypothesis, 0 to 1; `kind` is rouge-score's name: rouge1, rouge2, rougeL."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([kind], tokenizer=_Blanks())
    return [
        scorer.score(reference, text)[kind].fmeasure
        for text, reference in zip(hypotheses, references, strict=True)
    ]


def _rouge(kind: str, hypotheses: Texts, references: Texts) -> Score:
    import importlib.metadata

    found = rouge_each(kind, hypotheses, references)
    version = importlib.metadata.version("rouge-score")
    return Score(
        100 * sum(found) / len(found), f"{kind}|f1:mean|case:lc|tok:blanks|version:{version}"
    )


def rouge_1(hypotheses: Texts, references: Texts) -> Score:
    """Mean F1 of words, 0 to 100."""
    return _rouge("rouge1", hypotheses, references)


def rouge_2(hypotheses: Texts, references: Texts) -> Score:
    """Mean F1 of pairs of neighbouring words, 0 to 100."""
    return _rouge("rouge2", hypotheses, references)


def rouge_l(hypotheses: Texts, references: Texts) -> Score:
    """Mean F1 of the longest common subsequence of words, 0 to 100."""
    return _rouge("rougeL", hypotheses, references)


def is_exact(hypothesis: str, reference: str) -> bool:
    """Equal, but for blanks at the ends."""
    return hypothesis.strip() == reference.strip()


def exact_match(hypotheses: Texts, references: Texts) -> Score:
    """Percent of lines that equal their reference, but for blanks at the ends."""
    hits = sum(is_exact(*pair) for pair in zip(hypotheses, references, strict=True))
    return Score(100 * hits / len(references), "exact|case:mixed|strip:ends")


METRICS: MappingProxyType[str, Metric] = MappingProxyType(
    {
        "bleu": Metric(
            bleu,
            "BLEU",
            "Shared runs of up to four words, 0 to 100.",
            True,
            "Papineni et al. 2002; Post 2018",
        ),
        "chrf": Metric(
            chrf, "chrF", "Shared runs of up to six characters, 0 to 100.", True, "Popović 2015"
        ),
        "ter": Metric(
            ter,
            "TER",
            "Edits in percent of the reference's words; lower is better.",
            False,
            "Snover et al. 2006",
        ),
        "rouge_1": Metric(rouge_1, "ROUGE-1", "Shared words, 0 to 100.", True, "Lin 2004"),
        "rouge_2": Metric(
            rouge_2, "ROUGE-2", "Shared pairs of neighbouring words, 0 to 100.", True, "Lin 2004"
        ),
        "rouge_l": Metric(
            rouge_l, "ROUGE-L", "Longest common subsequence of words, 0 to 100.", True, "Lin 2004"
        ),
        "exact_match": Metric(
            exact_match, "Exact match", "Percent of lines that equal their reference.", True, ""
        ),
    }
)


def score_all(hypotheses: Texts, references: Texts) -> dict[str, Score]:
    """Every metric by its key."""
    return {key: metric.compute(hypotheses, references) for key, metric in METRICS.items()}
