"""The experiment `importance`: every head's importance, measured and by gradient, and what pruning leaves."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from s2s.analysis import INTERVENTIONS, NO_MEANS, Head, all_heads, heads
from s2s.config import Config, Recipe, setting
from s2s.data import Pair
from s2s.jobs.heads.measuring import encoded, stage
from s2s.runs import Interventions, Run, ablation
from s2s.scores import statistics

DEFAULT = "off"  # of INTERVENTIONS
N_RANDOM = 3  # orders, for the baseline
RANDOM_POINTS = 7  # of their curves
QUALITY_POINTS = 5  # numbers of pruned heads at which the sentences are translated
SEED = 1
# Greedy decoding, in forward passes per sentence.
PASSES_OF_DECODING = 4
DIGITS = 6
Shares = Generator[float, None, Any]


@dataclass(frozen=True)
class ImportanceSettings(Config):
    """How a head is ablated for its measured importance; the curves always switch heads off."""

    intervention: str = setting(
        DEFAULT, choices=tuple(INTERVENTIONS), help="What is done to one head at a time."
    )


def measure(
    run: Run, pairs: Sequence[Pair], settings: ImportanceSettings
) -> Generator[float, None, dict[str, Any]]:
    """Nats per token by kind, (layers, heads), with intervals; curves and scores by number of pruned heads."""
    sample, kept = encoded(run, pairs)
    means_end, measured_end, gradient_end, curves_end = _ends(run.recipe)
    means = NO_MEANS
    if INTERVENTIONS[settings.intervention].change is None:
        means = yield from stage(0.0, means_end, heads.measure_means(run.model, sample))
    steps = heads.measure_importance(run.model, sample, settings.intervention, means)
    measured = yield from stage(means_end, measured_end, steps)
    by_gate = heads.measure_gradient_importance(run.model, sample)
    gradient = yield from stage(measured_end, gradient_end, by_gate)
    orders = {
        "measured": heads.least_first(measured.change.by_head()),
        "gradient": heads.least_first(gradient.by_head()),
    }
    curves = yield from stage(gradient_end, curves_end, _curves(run, sample, orders))
    quality = yield from stage(curves_end, 1.0, _quality(run, kept, orders))
    return {
        "n": measured.n_sentences,
        "n_tokens": measured.n_tokens,
        "loss": measured.loss,
        "measured": _json(measured.change),
        "gradient": _json(gradient),
        "agreement": {
            kind: None if found is None else found._asdict()
            for kind, found in heads.agreement(measured.change, gradient).items()
        },
        "curves": curves,
        "quality": quality,
    }


def _curves(
    run: Run, sample: Sequence[heads.Batch], orders: Mapping[str, tuple[Head, ...]]
) -> Shares:
    every = all_heads(run.model)
    random = heads.random_orders(every, N_RANDOM, SEED)
    few = heads.numbers_pruned(len(every), RANDOM_POINTS)
    width = 1 / (len(orders) + 1)
    curves: dict[str, Any] = {}
    for number, (name, order) in enumerate(orders.items()):
        steps = heads.prune_curve(run.model, sample, order)
        found = yield from stage(number * width, (number + 1) * width, steps)
        curves[name] = {
            "order": [list(head) for head in order],
            "n_pruned": list(found.n_pruned),
            **{each: _rounded(getattr(found, each)) for each in ("loss", "low", "high")},
        }
    losses = []
    for number, order in enumerate(random):
        start = 1 - width + number * width / N_RANDOM
        steps = heads.prune_curve(run.model, sample, order, few)
        found = yield from stage(start, start + width / N_RANDOM, steps)
        losses.append(found.loss)
    drawn = np.stack(losses)  # (orders, points)
    curves["random"] = {
        "n_pruned": list(few),
        "loss": _rounded(drawn.mean(0)),
        "low": _rounded(drawn.min(0)),
        "high": _rounded(drawn.max(0)),
        "n_orders": N_RANDOM,
        "seed": SEED,
    }
    return curves


def _quality(run: Run, pairs: Sequence[Pair], orders: Mapping[str, tuple[Head, ...]]) -> Shares:
    """BLEU and chrF of greedy translations without the least important heads, by number of pruned heads."""
    sources = [pair.src for pair in pairs]
    references = [pair.tgt for pair in pairs]
    n_heads = len(all_heads(run.model))
    points = [
        (name, order[:n_pruned])
        for name, order in orders.items()
        for n_pruned in heads.numbers_pruned(n_heads, QUALITY_POINTS)
    ]
    scored: dict[frozenset[Head], dict[str, float]] = {}  # no and all heads are in both orders
    rows = []
    for number, (name, pruned) in enumerate(points):
        if (which := frozenset(pruned)) not in scored:
            change = Interventions(tuple((head, "off") for head in pruned))
            steps = ablation.translated_with(run, sources, change)
            texts = yield from stage(number / len(points), (number + 1) / len(points), steps)
            scores = statistics(texts, references, names=("bleu", "chrf")).scores()
            scored[which] = {key: round(score.value, DIGITS) for key, score in scores.items()}
        rows.append({"order": name, "n_pruned": len(pruned), **scored[which]})
    return rows


def passes(recipe: Recipe, settings: ImportanceSettings) -> float:
    """Forward passes per sentence that `importance` needs."""
    return sum(_passes_of_parts(recipe))


def _ends(recipe: Recipe) -> list[float]:
    parts = np.array(_passes_of_parts(recipe))
    ends: list[float] = (parts.cumsum() / parts.sum())[:-1].tolist()
    return ends


def _passes_of_parts(recipe: Recipe) -> list[float]:
    """Passes per sentence of each part: means, measured importance, gradients, curves and translations."""
    n_heads = n_heads_of(recipe)
    curves = 2 * len(heads.numbers_pruned(n_heads)) + N_RANDOM * RANDOM_POINTS
    # A head's own pass begins at its layer.
    return [1.0, 0.6 * n_heads, 3.0, curves, 2 * QUALITY_POINTS * PASSES_OF_DECODING]


def n_heads_of(recipe: Recipe) -> int:
    """The number of heads of all kinds of attention."""
    encoder = recipe.model.encoder
    decoder = recipe.model.decoder
    return encoder.n_layers * encoder.n_heads + 2 * decoder.n_layers * decoder.n_heads


def _json(found: heads.PerHead) -> dict[str, Any]:
    return {
        name: {kind: _rounded(values) for kind, values in by_kind.items()}
        for name, by_kind in asdict(found).items()
    }


def _rounded(values: heads.Floats) -> list[Any]:
    rounded: list[Any] = values.round(DIGITS).tolist()
    return rounded
