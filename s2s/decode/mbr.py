"""Minimum Bayes risk: of some samples, the one that is most similar to all of them (Kumar & Byrne 2004;

Eikema & Aziz 2020).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from s2s.config import setting
from s2s.decode.filters import Truncation
from s2s.decode.results import SearchResult
from s2s.decode.sampling import Sample, sample
from s2s.decode.stepper import ID_CODEC, Stepper, TextCodec

Floats = npt.NDArray[np.float64]
# sacrebleu's defaults (Popović 2015; Papineni et al. 2002)
CHRF_ORDER = 6
CHRF_BETA = 2
BLEU_ORDER = 4
EPSILON = 0.02  # the value that Freitag et al. 2023 recommend for MBR
NUM_SAMPLES = 32


@dataclass(frozen=True)
class MBR(Truncation):
    """Settings of minimum Bayes risk decoding."""

    num_samples: int = setting(
        NUM_SAMPLES,
        1,
        100,
        label="Samples",
        help="Targets to draw; they are both the candidates and what candidates are compared with.",
    )
    utility: str = setting(
        "chrf",
        label="Utility metric",
        help="The measure of similarity between two targets, from 0 to 100.",
        choices=("chrf", "bleu"),
    )

    epsilon_cutoff: float = setting(
        EPSILON,
        0.0,
        0.999,
        help="Drop tokens less probable than this (Hewitt et al. 2022); 0 keeps all. MBR gains"
        " from it (Freitag et al. 2023).",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_returned(self.num_samples, "`num_samples` draws")

    @property
    def width(self) -> int:
        return self.num_samples


def mbr(stepper: Stepper, config: MBR, codec: TextCodec = ID_CODEC) -> list[SearchResult]:
    """The distinct samples, the highest expected utility first; that is their score.

    The expectation is the mean over all samples, the candidate itself included (Eikema & Aziz 2020, section 5: the same
    samples are candidates and pseudo-references). Of equal ones the more probable comes first.
    """
    shared = {field.name: getattr(config, field.name) for field in fields(Sample)}
    drawn = sample(stepper, Sample(**shared | {"num_return_sequences": config.num_samples}), codec)
    return [_ranked(result, config, codec, stepper.eos_id) for result in drawn]


def _ranked(drawn: SearchResult, config: MBR, codec: TextCodec, eos_id: int) -> SearchResult:
    texts = [
        codec.decode([token for token in one.ids if token != eos_id]) for one in drawn.hypotheses
    ]
    expected = utilities(texts, config.utility).expected
    rescored = {
        one.ids: replace(one, score=expected[text])
        for one, text in zip(drawn.hypotheses, texts, strict=True)
    }
    ranked = sorted(rescored.values(), key=lambda one: one.score, reverse=True)
    return replace(drawn, hypotheses=tuple(ranked[: config.num_return_sequences]))


@dataclass(frozen=True)
class Utilities:
    """The similarity of each two distinct texts."""

    counts: dict[str, int]  # from a text to how often it was drawn
    pairs: Floats  # of each text (rows) with each as the reference (columns), 0 to 100

    @property
    def expected(self) -> dict[str, float]:
        """The mean utility of each distinct text over all the texts, itself included, 0 to 100."""
        counts = np.array(list(self.counts.values()))
        return dict(zip(self.counts, (self.pairs @ counts / counts.sum()).tolist(), strict=True))


def utilities(texts: Sequence[str], utility: str) -> Utilities:
    """Each two distinct texts, in the order in which they first occur."""
    counts = Counter(texts)
    return Utilities(dict(counts), UTILITIES[utility](list(counts)))


def chrf_pairs(texts: Sequence[str]) -> Floats:
    """sacrebleu's sentence chrF of each text with each as its reference: (hypotheses, references), 0 to 100."""
    from sacrebleu.metrics.helpers import extract_all_char_ngrams

    precision = recall = orders = np.zeros((len(texts), len(texts)))
    ngrams = (extract_all_char_ngrams(text, CHRF_ORDER) for text in texts)
    for counters in zip(*ngrams, strict=True):  # order by order
        shared, totals = _shared(counters)
        # Texts that are too short for the order do not count.
        both = (totals[:, None] > 0) & (totals > 0)
        zeros = np.zeros_like(shared)
        precision = precision + np.divide(shared, totals[:, None], out=zeros.copy(), where=both)
        recall = recall + np.divide(shared, totals, out=zeros, where=both)
        orders = orders + both
    precision = precision / orders.clip(min=1)
    recall = recall / orders.clip(min=1)
    weighted = CHRF_BETA**2 * precision + recall
    product = np.divide(
        precision * recall, weighted, out=np.zeros_like(weighted), where=weighted > 0
    )
    scores: Floats = 100 * (1 + CHRF_BETA**2) * product
    return scores


def bleu_pairs(texts: Sequence[str]) -> Floats:
    """sacrebleu's sentence BLEU of each text with each as its reference: (hypotheses, references), 0 to 100."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.helpers import extract_all_word_ngrams

    metric = BLEU(effective_order=True)
    tokenized = [metric.tokenizer(text.rstrip()) for text in texts]
    ngrams, lengths = zip(
        *(extract_all_word_ngrams(text, 1, BLEU_ORDER) for text in tokenized), strict=True
    )
    by_order = [
        _shared([_of_order(counter, n) for counter in ngrams]) for n in range(1, BLEU_ORDER + 1)
    ]
    # (hypotheses, references, orders)
    shared = np.stack([pairs for pairs, _ in by_order], 2).astype(int).tolist()
    # (hypotheses, orders)
    totals = np.stack([sums for _, sums in by_order], 1).astype(int).tolist()

    def score(i: int, j: int) -> float:
        return float(
            metric.compute_bleu(
                shared[i][j],
                list(totals[i]),
                lengths[i],
                lengths[j],
                smooth_method="exp",
                effective_order=True,
            ).score
        )

    return np.array([[score(i, j) for j in range(len(texts))] for i in range(len(texts))])


def _of_order(counts: Counter[tuple[str, ...]], n: int) -> Counter[tuple[str, ...]]:
    return Counter({gram: count for gram, count in counts.items() if len(gram) == n})


def _shared(counters: Sequence[Counter[Any]]) -> tuple[Floats, Floats]:
    """How many n-grams each two have in common (n, n), and how many each has (n,).

    The first, second, ... occurrence of an n-gram are columns of their own, so that a matrix product counts them.
    """
    column_of: dict[tuple[Any, int], int] = {}
    columns = [
        [column_of.setdefault(one, len(column_of)) for one in _occurrences(counter)]
        for counter in counters
    ]
    has = np.zeros((len(counters), len(column_of)), dtype=np.float32)  # integers: exact
    for row, indices in zip(has, columns, strict=True):
        row[indices] = 1.0
    totals = np.array([len(indices) for indices in columns], dtype=np.float64)
    return (has @ has.T).astype(np.float64), totals


def _occurrences(counter: Counter[Any]) -> Iterable[tuple[Any, int]]:
    return ((gram, nth) for gram, count in counter.items() for nth in range(count))


# Texts -> the utility of each (rows) with each as the reference (columns).
UTILITIES: MappingProxyType[str, Callable[[Sequence[str]], Floats]] = MappingProxyType(
    {"chrf": chrf_pairs, "bleu": bleu_pairs}
)
