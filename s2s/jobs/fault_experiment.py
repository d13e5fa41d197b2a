"""One small run per fault, equal but for the fault, and what is measured of it. Seconds of one thread each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from s2s.config import NO_FAULT, PRESETS, Recipe, asker, override
from s2s.data import Pair, load
from s2s.jobs.training.request import RunRequest
from s2s.runs import Run
from s2s.scores import METRICS

SOURCE = "synthetic:reverse"
PRESET = "small"
TAG = "break it on purpose"  # of the runs
# A small model that learns to reverse digits in ten seconds; without dropout and smoothing, so that its loss can be 0.
CHANGES = MappingProxyType(
    {
        "tokenizer.kind": "word",
        "model.d_model": 64,
        "model.d_ff": 256,
        "model.dropout": 0.0,
        "train.steps": 500,
        "train.warmup_steps": 50,
        "train.batch_tokens": 512,
        "train.lr": 0.002,
        "train.label_smoothing": 0.0,
        "train.threads": 1,
        "train.device": "cpu",
        "train.watch.validate_every": 50,
        "train.watch.save_every": 500,
        "train.watch.scores": 0,
    }
)
N_TEST = 200  # sentences that are translated
N_ALONE = 50  # of them once more, without the rest of a batch
LIMIT = 30  # tokens of a translation
SHOWN = 5  # outputs


@dataclass(frozen=True)
class Outcome:
    """Greedy translations of test sentences. All but `loss` and `bleu` are shares from 0 to 1."""

    loss: float  # nats per token of the references, under teacher forcing
    exact_match: float
    bleu: float  # 0 to 100
    ended: float  # translations with `</s>` before the limit
    repeatable: float  # the same translation alone and in a batch
    outputs: tuple[tuple[str, str, str], ...]  # source, reference, translation


def recipe(fault: str = NO_FAULT) -> Recipe:
    """The recipe of a run: equal for all but for the fault. Raises UserError for one that acts at inference only."""
    return override(PRESETS[PRESET].recipe, {**CHANGES, "train.fault": fault})


def request(fault: str = NO_FAULT, owner: str = asker.LOCAL) -> RunRequest:
    name = "reverse, healthy" if fault == NO_FAULT else "reverse"
    return RunRequest(recipe(fault), SOURCE, preset=PRESET, name=name, owner=owner, tags=(TAG,))


def held_out_pairs() -> Sequence[Pair]:
    """The pairs that the runs translate: none was trained on."""
    return load(SOURCE, "test").pairs[:N_TEST]


def measure(run: Run, pairs: Sequence[Pair], limit: int = LIMIT) -> Outcome:
    """Translate the sources together and some of them alone; a few seconds."""
    sources = [pair.src for pair in pairs]
    references = [pair.tgt for pair in pairs]
    found = run.translate(sources, "greedy", max_new_tokens=limit)
    texts = [one.text for one in found]
    alone = [
        run.translate([source], "greedy", max_new_tokens=limit)[0].text
        for source in sources[:N_ALONE]
    ]
    forced = run.force(sources, references)
    nats = -math.fsum(one.log_prob for one in forced)
    outputs = zip(sources[:SHOWN], references, texts, strict=False)
    return Outcome(
        loss=round(nats / sum(one.n_tokens for one in forced), 4),
        exact_match=round(METRICS["exact_match"].compute(texts, references).value / 100, 4),
        bleu=round(METRICS["bleu"].compute(texts, references).value, 2),
        ended=_share(one.tokens[-1:] == ("</s>",) for one in found),
        repeatable=_share(a == b for a, b in zip(alone, texts, strict=False)),
        outputs=tuple(outputs),
    )


def _share(truths: Iterable[bool]) -> float:
    found = list(truths)
    return round(sum(found) / len(found), 4)
