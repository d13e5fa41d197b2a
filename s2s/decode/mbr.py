"""Minimum Bayes risk: of some samples, the one that is most similar to all of them (Kumar & Byrne 2004;

Eikema & Aziz 2020).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
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
from s2s.scores import comparable, tokenizer_of

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
    """The distinct samples, the one with the highest expected utility first; that utility is the score.

    The expectation is the mean over all samples, the candidate itself included (Eikema & Aziz 2020, section 5: the same
    samples are candidates and pseudo-references). Of equal ones the more probable comes first.
    """
    settings = {field.name: getattr(config, field.name) for field in fields(Sample)}
    settings["num_return_sequences"] = config.num_samples
    drawn = sample(stepper, Sample(**settings), codec)
    return [_ranked(result, config, codec, stepper.eos_id) for result in drawn]


def _ranked(drawn: SearchResult, config: MBR, codec: TextCodec, eos_id: int) -> SearchResult:
    texts = []
    for one in drawn.hypotheses:
        ids = [token for token in one.ids if token != eos_id]
        texts.append(codec.decode(ids))
    expected = utilities(texts, config.utility).expected
    rescored = {}
    for one, text in zip(drawn.hypotheses, texts, strict=True):
        rescored[one.ids] = replace(one, score=expected[text])
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
        counts = np.array(list(self.counts.values()))  # (texts,)
        means = self.pairs @ counts / counts.sum()  # (texts,)
        return dict(zip(self.counts, means.tolist(), strict=True))


def utilities(texts: Sequence[str], utility: str) -> Utilities:
    """The similarity of each two distinct texts, in the order in which they first occur."""
    counts = Counter(texts)
    pairs = UTILITIES[utility]([*map(comparable, counts)])
    return Utilities(dict(counts), pairs)


def chrf_pairs(texts: Sequence[str]) -> Floats:
    """sacrebleu's sentence chrF of each text with each as its reference: (hypotheses, references), 0 to 100."""
    from sacrebleu.metrics.helpers import extract_all_char_ngrams

    shape = (len(texts), len(texts))
    precision = np.zeros(shape)
    recall = np.zeros(shape)
    n_orders = np.zeros(shape)
    ngrams = (extract_all_char_ngrams(text, CHRF_ORDER) for text in texts)
    for counters in zip(*ngrams, strict=True):  # order by order
        shared, totals = _shared(counters)
        # Texts that are too short for the order do not count.
        both = (totals[:, None] > 0) & (totals > 0)
        precision += _ratio(shared, totals[:, None], both)
        recall += _ratio(shared, totals, both)
        n_orders += both
    precision /= n_orders.clip(min=1)
    recall /= n_orders.clip(min=1)
    weighted = CHRF_BETA**2 * precision + recall
    product = _ratio(precision * recall, weighted, weighted > 0)
    scores: Floats = 100 * (1 + CHRF_BETA**2) * product
    return scores


def _ratio(above: Floats, below: Floats, where: npt.NDArray[np.bool_]) -> Floats:
    """The quotient where `where` is True, and 0 elsewhere."""
    return np.divide(above, below, out=np.zeros_like(above), where=where)


def bleu_pairs(texts: Sequence[str]) -> Floats:
    """sacrebleu's sentence BLEU of each text with each as its reference: (hypotheses, references), 0 to 100. The
    tokenizer is that of their script.
    """
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.helpers import extract_all_word_ngrams

    metric = BLEU(effective_order=True, tokenize=tokenizer_of(texts).name)
    tokenized = [metric.tokenizer(text.rstrip()) for text in texts]
    counted = [extract_all_word_ngrams(text, 1, BLEU_ORDER) for text in tokenized]
    lengths = [length for _, length in counted]  # in words
    shared_by_order = []
    totals_by_order = []
    for order in range(1, BLEU_ORDER + 1):
        shared, totals = _shared([_of_order(ngrams, order) for ngrams, _ in counted])
        shared_by_order.append(shared)
        totals_by_order.append(totals)
    correct = np.stack(shared_by_order, 2).astype(int).tolist()  # (hypotheses, references, orders)
    total = np.stack(totals_by_order, 1).astype(int).tolist()  # (hypotheses, orders)
    scores = np.zeros((len(texts), len(texts)))
    for i, j in np.ndindex(scores.shape):
        bleu = metric.compute_bleu(
            correct[i][j],
            list(total[i]),
            lengths[i],
            lengths[j],
            smooth_method="exp",
            effective_order=True,
        )
        scores[i, j] = bleu.score
    return scores


def _of_order(counts: Counter[tuple[str, ...]], n: int) -> Counter[tuple[str, ...]]:
    return Counter({gram: count for gram, count in counts.items() if len(gram) == n})


def _shared(counters: Sequence[Counter[Any]]) -> tuple[Floats, Floats]:
    """How many n-grams each two have in common (n, n), and how many each has (n,).

    The first, second, ... occurrence of an n-gram are columns of their own, so that a matrix product counts them.
    """
    column_of: dict[tuple[Any, int], int] = {}
    columns_of = []  # of each counter
    for counter in counters:
        occurrences = ((gram, nth) for gram, count in counter.items() for nth in range(count))
        columns_of.append([column_of.setdefault(one, len(column_of)) for one in occurrences])
    has = np.zeros((len(counters), len(column_of)), dtype=np.float32)  # integers: exact
    for row, columns in zip(has, columns_of, strict=True):
        row[columns] = 1.0
    shared = (has @ has.T).astype(np.float64)
    totals = np.array([len(columns) for columns in columns_of], dtype=np.float64)
    return shared, totals


# Texts -> the utility of each (rows) with each as the reference (columns).
UTILITIES: MappingProxyType[str, Callable[[Sequence[str]], Floats]] = MappingProxyType(
    {"chrf": chrf_pairs, "bleu": bleu_pairs}
)
