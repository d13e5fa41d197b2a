"""How good hypotheses are, given their references.

One more metric is a function and a row of METRICS. Knows nothing of models.
"""

from __future__ import annotations

import importlib.metadata
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from s2s.scores.one_form import References, Texts, all_comparable, all_of, signed
from s2s.scores.scoring import AUTO, DEFAULT, SPACES, Scoring
from s2s.words import MetricName

if TYPE_CHECKING:
    from rouge_score.tokenizers import Tokenizer as RougeTokenizer
    from sacrebleu.metrics.base import Metric as SacreMetric


@dataclass(frozen=True)
class Score:
    """A corpus score with its signature: papers can be compared where signatures are equal."""

    value: float
    signature: str


@dataclass(frozen=True, kw_only=True)
class Metric(MetricName):
    """One metric: names, and `count`, which scores texts that are in one form already; `source` is the paper."""

    count: Callable[[Texts, References, Scoring], Score]
    source: str = ""

    def compute(
        self, hypotheses: Texts, references: References, scoring: Scoring = DEFAULT
    ) -> Score:
        """The corpus score of hypotheses, given one or several references each."""
        texts, expected = all_comparable(hypotheses, references)
        score = self.count(texts, expected, scoring.resolved(expected))
        return Score(score.value, signed(score.signature))


def streams(references: References) -> list[list[Any]]:
    """References in sacrebleu's form: the first of every sentence, then the second, ...; None where there is none.

    >>> streams(["a", ["b", "c"]])
    [['a', 'b'], [None, 'c']]
    """
    return [list(stream) for stream in itertools.zip_longest(*map(all_of, references))]


def sacre(name: str, scoring: Scoring) -> SacreMetric:
    """sacrebleu's metric `bleu`, `chrf` or `ter`; `bleu_sentence` leaves out the n-gram orders that a text is too short
    for. Raises ValueError if the tokenizer is still to be chosen by references.
    """
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    from s2s.scores.pruned_ter import PrunedTER

    if name == "chrf":
        return CHRF(word_order=scoring.chrf_words, lowercase=scoring.lowercase)
    if name == "ter":
        return PrunedTER()
    if scoring.tokenize == AUTO:
        raise ValueError("the tokenizer of BLEU depends on references; call Scoring.resolved first")
    return BLEU(
        force=True,
        effective_order=name == "bleu_sentence",
        tokenize=scoring.tokenize,
        lowercase=scoring.lowercase,
    )


def _sacre(name: str, hypotheses: Texts, references: References, scoring: Scoring) -> Score:
    metric = sacre(name, scoring)
    score = metric.corpus_score(list(hypotheses), streams(references)).score
    return Score(score, str(metric.get_signature()))


class _WhitespaceTokenizer:
    def tokenize(self, text: str) -> list[str]:
        return text.lower().split()


def rouge_tokenizer(scoring: Scoring) -> RougeTokenizer | _WhitespaceTokenizer:
    """The tokenizer that splits texts into ROUGE's words."""
    from rouge_score.tokenizers import DefaultTokenizer

    if scoring.rouge_tokenize == SPACES:
        return _WhitespaceTokenizer()
    return DefaultTokenizer(use_stemmer=scoring.stemmer)


def rouge_each(
    kind: str, scoring: Scoring, hypotheses: Texts, references: References
) -> list[float]:
    """F1 of each hypothesis with its best reference, 0 to 1; `kind` is rouge-score's name: rouge1, rouge2, rougeL."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([kind], tokenizer=rouge_tokenizer(scoring))
    return [
        max(scorer.score(one, text)[kind].fmeasure for one in all_of(reference))
        for text, reference in zip(hypotheses, references, strict=True)
    ]


def _with_count(signature: str, references: References) -> str:
    counts = {len(all_of(one)) for one in references}
    if counts == {1}:
        return signature
    return f"{signature}|nrefs:{'var' if len(counts) > 1 else counts.pop()}|of:best"


def _rouge(kind: str, hypotheses: Texts, references: References, scoring: Scoring) -> Score:
    scores = rouge_each(kind, scoring, hypotheses, references)
    stem = "" if scoring.rouge_tokenize == SPACES else f"|stem:{_stem(scoring)}"
    version = importlib.metadata.version("rouge-score")
    signature = f"{kind}|f1:mean|case:lc|tok:{scoring.rouge_tokenize}{stem}|version:{version}"
    return Score(100 * sum(scores) / len(scores), _with_count(signature, references))


def _stem(scoring: Scoring) -> str:
    return "porter" if scoring.stemmer else "no"


def is_exact(hypothesis: str, reference: str) -> bool:
    """Whether a hypothesis equals a reference, apart from spaces at the ends."""
    return hypothesis.strip() == reference.strip()


def is_any_exact(hypothesis: str, references: str | Sequence[str]) -> bool:
    """Whether a hypothesis equals one of its references, apart from spaces at the ends."""
    return any(is_exact(hypothesis, one) for one in all_of(references))


def _exact_match(hypotheses: Texts, references: References, _scoring: Scoring) -> Score:
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
            count=partial(_sacre, "bleu"),
            source="Papineni et al. 2002; Post 2018",
        ),
        Metric(
            "chrf",
            "chrF",
            "0 to 100",
            "Sequences of up to six characters shared with the references. Early in training it"
            " improves before BLEU does.",
            "higher",
            count=partial(_sacre, "chrf"),
            source="Popović 2015",
        ),
        Metric(
            "ter",
            "TER",
            "%",
            "Edits that turn the output into its reference, as a percentage of the reference's words.",
            "lower",
            count=partial(_sacre, "ter"),
            source="Snover et al. 2006",
        ),
        Metric(
            "rouge_1",
            "ROUGE-1",
            "0 to 100",
            "F1 of words shared with the reference.",
            "higher",
            count=partial(_rouge, "rouge1"),
            source="Lin 2004",
        ),
        Metric(
            "rouge_2",
            "ROUGE-2",
            "0 to 100",
            "F1 of word pairs shared with the reference.",
            "higher",
            count=partial(_rouge, "rouge2"),
            source="Lin 2004",
        ),
        Metric(
            "rouge_l",
            "ROUGE-L",
            "0 to 100",
            "F1 of the longest common subsequence of words.",
            "higher",
            count=partial(_rouge, "rougeL"),
            source="Lin 2004",
        ),
        Metric(
            "exact_match",
            "Exact match",
            "%",
            "Outputs that equal their reference.",
            "higher",
            count=_exact_match,
        ),
    )
}
METRICS: Mapping[str, Metric] = MappingProxyType(_ROWS)


def score_all(
    hypotheses: Texts, references: References, scoring: Scoring = DEFAULT
) -> dict[str, Score]:
    """Compute every metric of METRICS, by its key."""
    resolved = scoring.resolved(references)
    return {
        key: metric.compute(hypotheses, references, resolved) for key, metric in METRICS.items()
    }
