"""Corpus scores of many resampled test sets at once: (samples, summed counts) -> (samples,).

The counts are sacrebleu's. Knows nothing of texts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
BLEU_ORDER = 4
CHRF_BETA = 2


def bleu(sums: Floats) -> Floats:
    """BLEU. Columns: hypothesis and reference length, matches per order, n-grams per order. Exponential smoothing."""
    ours = sums[:, 0]  # (samples,)
    theirs = sums[:, 1]
    matches = sums[:, 2 : 2 + BLEU_ORDER]  # (samples, orders)
    totals = sums[:, 2 + BLEU_ORDER :]
    is_missed = (matches == 0) & (totals > 0)
    halvings = 0.5 ** np.cumsum(is_missed, axis=1)  # a first order without a match counts 1/2
    counted = np.where(is_missed, halvings, matches)
    precisions = _share(counted, totals)
    has_all = np.minimum.reduce(totals, axis=1) > 0  # (samples,)
    has_all &= np.maximum.reduce(matches, axis=1) > 0
    logs = np.log(precisions, out=np.zeros_like(precisions), where=has_all[:, None])
    geometric_mean = np.exp(logs.mean(1))
    brevity_penalty = np.exp(np.minimum(0.0, 1 - _share(theirs, ours)))
    return np.where(has_all, 100 * brevity_penalty * geometric_mean, 0.0)


def chrf(sums: Floats) -> Floats:
    """chrF. Columns per order: n-grams of the hypothesis, of the reference, of both."""
    ours = sums[:, 0::3]  # (samples, orders)
    theirs = sums[:, 1::3]
    both = sums[:, 2::3]
    is_used = (ours > 0) & (theirs > 0)
    n_used = is_used.sum(1)  # (samples,)
    precisions = _share(both, ours) * is_used
    recalls = _share(both, theirs) * is_used
    precision = _share(precisions.sum(1), n_used)
    recall = _share(recalls.sum(1), n_used)
    factor = CHRF_BETA**2
    return 100 * _share((1 + factor) * precision * recall, factor * precision + recall)


def ter(sums: Floats) -> Floats:
    """TER. Columns: edits, words of the reference. Edits of empty references are 100 %."""
    edits = sums[:, 0]
    words = sums[:, 1]
    return 100 * np.where(words > 0, _share(edits, words), edits > 0)


def mean(sums: Floats) -> Floats:
    """A mean, as a percentage. Columns: sum of values from 0 to 1, their number."""
    return 100 * _share(sums[:, 0], sums[:, 1])


def ratio(sums: Floats) -> Floats:
    """The length ratio. Columns: words of the hypotheses, words of the references."""
    return _share(sums[:, 0], sums[:, 1])


def _share(part: Floats, whole: Floats) -> Floats:
    shares = np.zeros(part.shape, np.float64)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares
