"""The experiments `ablation`, what chosen interventions change over sentences, and `means`, which some of them need."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from s2s.analysis import INTERVENTIONS, Head, Means, all_heads, heads, switched
from s2s.config import Config, Recipe, UserError, setting, shortened
from s2s.data import Pair
from s2s.jobs.heads.measuring import encoded, stage
from s2s.runs import Interventions, Run, ablation
from s2s.scores import PairedDifference, sentence_scores_of, statistics

MOST_TOKENS = 30  # listed
MOST_SENTENCES = 100  # listed
PASSES = 12.0  # per sentence: greedy decoding twice, teacher forcing three times
DIGITS = 6


@dataclass(frozen=True)
class MeansSettings(Config):
    """The settings of `means`: nothing to choose."""


@dataclass(frozen=True)
class AblationSettings(Config):
    """The settings of `ablation`: the interventions."""

    heads: str = setting(
        "", help="Heads with their interventions: `cross=off encoder.2=mean decoder.1.3=uniform`."
    )


def measure_means(
    run: Run, pairs: Sequence[Pair], settings: MeansSettings
) -> Generator[float, None, dict[str, Any]]:
    """The mean output of every head: `means`, a list of kind, layer, head and numbers."""
    sample, kept = encoded(run, pairs)
    means = yield from heads.measure_means(run.model, sample)
    return {
        "n": len(kept),
        "means": [
            [*head, [round(x, DIGITS) for x in mean.tolist()]] for head, mean in means.items()
        ],
    }


def interventions(run: Run, text: str, means: Mapping[Head, tuple[float, ...]]) -> Interventions:
    """The interventions that a text names, with the means that they need.

    Raises UserError for a part that names no head of this model, and for none at all.
    """
    found, unknown = switched.from_text(text, all_heads(run.model))
    if unknown:
        raise UserError(
            f"`{shortened(unknown[0])}` names no head or intervention of this model; write `cross.1.3=off` for the"
            f" third head of the first layer, with one of {', '.join(INTERVENTIONS)}."
        )
    if not found:
        raise UserError("No head is ablated; choose at least one.")
    needed = [head for head, name in found.items() if INTERVENTIONS[name].change is None]
    return Interventions(
        tuple(sorted(found.items())), means=tuple((head, means[head]) for head in needed)
    )


def measure(
    run: Run, pairs: Sequence[Pair], settings: AblationSettings
) -> Generator[float, None, dict[str, Any]]:
    """Loss in nats per token, BLEU and chrF with and without the interventions, and the sentences that change most."""
    sample, kept = encoded(run, pairs)
    means: Means = yield from stage(0.0, 0.05, heads.measure_means(run.model, sample))
    change = interventions(
        run, settings.heads, {head: tuple(mean.tolist()) for head, mean in means.items()}
    )
    sources = [pair.src for pair in kept]
    forced = []
    texts = []
    for start, active in ((0.05, Interventions()), (0.5, change)):
        forced.append(
            (yield from stage(start, start + 0.1, ablation.forced_with(run, sample, active)))
        )
        texts.append(
            (
                yield from stage(
                    start + 0.1, start + 0.45, ablation.translated_with(run, sources, active)
                )
            )
        )
    before, after = (ablation.by_sentence(sample, by_token) for by_token in forced)
    tokens = heads.n_tokens(run.model, sample)
    low, high = heads.intervals(np.stack([before - after]), tokens)
    changes = ablation.token_changes(run, sample, forced[0], forced[1], MOST_TOKENS)
    return {
        "n": len(kept),
        "n_tokens": int(tokens.sum()),
        "n_heads": len(change.heads),
        "loss": {
            "before": -float(before.sum() / tokens.sum()),
            "after": -float(after.sum() / tokens.sum()),
            "low": float(low[0]),
            "high": float(high[0]),
        },
        "scores": _scores(texts, kept),
        "n_changed": sum(old != new for old, new in zip(*texts, strict=True)),
        "tokens": [asdict(one) for one in changes],
        "sentences": _sentences(kept, texts, (before, after), tokens),
    }


def _scores(texts: Sequence[Sequence[str]], pairs: Sequence[Pair]) -> dict[str, Any]:
    references = [pair.tgt for pair in pairs]
    old, new = (statistics(each, references, names=("bleu", "chrf")) for each in texts)
    differences: dict[str, PairedDifference] = new.paired(old)
    return {
        name: {
            "before": old.scores()[name].value,
            "after": new.scores()[name].value,
            **asdict(differences[name]),
        }
        for name in differences
    }


def _sentences(
    pairs: Sequence[Pair],
    texts: Sequence[Sequence[str]],
    log_probs: tuple[heads.Floats, heads.Floats],
    tokens: heads.Floats,
) -> list[dict[str, Any]]:
    """The sentences whose loss rises most first, with mean log-probabilities per token of the reference."""
    before, after = log_probs
    order = np.argsort((after - before) / tokens, kind="stable")[:MOST_SENTENCES]
    references = [pair.tgt for pair in pairs]
    chrf = [
        [row["chrf"] for row in sentence_scores_of(statistics(each, references, names=("chrf",)))]
        for each in texts
    ]
    return [
        {
            "src": pairs[i].src,
            "reference": references[i],
            "before": texts[0][i],
            "after": texts[1][i],
            "log_prob_before": round(float(before[i] / tokens[i]), DIGITS),
            "log_prob_after": round(float(after[i] / tokens[i]), DIGITS),
            "chrf_before": chrf[0][i],
            "chrf_after": chrf[1][i],
        }
        for i in order
    ]


def passes(recipe: Recipe, settings: AblationSettings) -> float:
    """Forward passes per sentence that `ablation` needs."""
    return PASSES
