"""Numbers without a model's weights: scores of texts, positions, sizes, forecasts, schedules."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import torch

from s2s.analysis import positions
from s2s.config import PRESETS, ModelConfig, Positions, Stack, override
from s2s.data import Preview, load, load_preview
from s2s.jobs import forecast, share_too_long
from s2s.jobs.plan.calibration import Calibration
from s2s.model.positions import relative_buckets
from s2s.questions import Have, PositionKinds
from s2s.scores import (
    Scoring,
    all_sentence_scores,
    breakdown,
    edits,
    intervals,
    mean_differences,
    paired,
    score_all,
)
from s2s.settings import SHIPPED_EVALUATIONS
from s2s.sizing import (
    MEASURES,
    VARIABLES,
    BatchSizes,
    ModelSpec,
    cache_bytes,
    component_rows,
    cost,
    cost_curve,
    crossover,
    group_parameters,
    memory_bytes,
    t5_rows,
    training_flops,
)
from s2s.training import SCHEDULES, learning_rate

N = 60
SIZES = BatchSizes(8, 20, 24)
PAIR = ("the black cat sat on a mat", "the cat was sitting on the black mat")


@cache
def _shipped() -> tuple[list[str], list[str], list[list[str]]]:
    """Two systems of the shipped evaluation and their references."""
    folder = SHIPPED_EVALUATIONS / "demo-en-de-test"
    lines = [
        [json.loads(line) for line in (folder / name).read_text().splitlines()]
        for name in ("lines-0.jsonl", "lines-1.jsonl", "test.jsonl")
    ]
    first, second = (
        {line["i"]: line["text"] for line in each if line["i"] < N} for each in lines[:2]
    )
    references = [line.get("references", [line.get("reference")]) for line in lines[2][:N]]
    return [first[i] for i in range(N)], [second[i] for i in range(N)], references


def scores() -> dict[str, Any]:
    """Corpus scores in several ways, of sentences, intervals, paired tests, and how one sentence is counted."""
    ours, theirs, references = _shipped()
    ways = {
        "default": Scoring(),
        "lowercase": Scoring(lowercase=True, chrf_words=2),
        "intl": Scoring("intl"),
        "char": Scoring("char", rouge_tokenize="rouge_score", stemmer=True),
    }
    answers: dict[str, Any] = {
        f"corpus, {name}": score_all(ours, references, way) for name, way in ways.items()
    }
    sentences = all_sentence_scores(ours[:8], references[:8])
    gains = [
        {"chrf": [each["chrf"] for each in all_sentence_scores(texts[:20], references[:20])]}
        for texts in (ours, theirs)
    ]
    return answers | {
        "sentences": sentences,
        "intervals": intervals(ours, references, samples=100),
        "paired": paired(ours, theirs, references, samples=100),
        "mean differences": mean_differences(*gains, samples=100),
        "bleu": breakdown.bleu(*PAIR),
        "chrf": breakdown.chrf(*PAIR).score,
        "rouge": [breakdown.rouge(*PAIR, 2).f1, breakdown.rouge_l(*PAIR)],
        "ter": edits.ter(*PAIR),
    }


def encodings() -> dict[str, Any]:
    """Every kind of positions as arrays."""
    interleaved = Positions(layout="interleaved")
    sizes = {"length": 40, "d_model": 32, "layout": "interleaved"}
    waves = Have().answer(PositionKinds("sinusoidal", **sizes))
    sinusoids = waves.vectors
    # the frequencies of an odd width are those of an even one with another base
    odd = Have().answer(
        PositionKinds("sinusoidal", **sizes | {"layout": "halves", "base": str(100.0 ** (32 / 31))})
    )
    rotary = {"length": 20, "d_head": 16, "base": "100.0"}
    queries, keys = (positions.random_vectors(6, 16, seed=seed) for seed in (1, 2))
    head = Stack(n_heads=1)
    config = ModelConfig(
        d_model=16, positions=replace(interleaved, kind="rotary"), encoder=head, decoder=head
    )
    module = positions.drawn_position(config, is_causal=False)
    distances = torch.arange(-140, 141)
    return {
        "sinusoidal": sinusoids,
        "sinusoidal, halves": odd.vectors[:, :31],
        "wavelengths": positions.wavelengths(waves.waves),
        "by offset": positions.by_offset(
            positions.similarities(positions.normalized(sinusoids[:12])), 0, 11
        ),
        "rotation error": positions.rotation(waves.waves, 5).error < 1e-5,
        "rotary": Have().answer(PositionKinds("rotary", **rotary)).query,
        "rotary scores": positions.scores_by_distance(module, queries, keys, 9),
        "alibi": [
            -Have().answer(PositionKinds("alibi", length=2, heads=heads)).bias.mean[:, 0]
            for heads in (4, 6)
        ],
        "buckets": relative_buckets(distances, Positions(), is_causal=False).tolist(),
        "causal buckets": relative_buckets(distances, Positions(), is_causal=True).tolist(),
    }


def sizes() -> dict[str, Any]:
    """What every preset costs, component by component for one, and along every variable."""
    answers = {}
    for name, row in PRESETS.items():
        spec = ModelSpec(row.recipe, row.src_vocab_size, row.tgt_vocab_size)
        answers[name] = [
            cost(spec.components(SIZES)),
            group_parameters(spec),
            cache_bytes(spec, SIZES),
            memory_bytes(spec, SIZES),
            crossover(spec),
            training_flops(spec.recipe, spec.tgt_vocab_size, batch_tokens=4096, length=24.0),
        ]
    base = PRESETS["small"]
    spec = ModelSpec(base.recipe, base.src_vocab_size, base.tgt_vocab_size)
    answers["components"] = component_rows(spec, SIZES)
    answers["t5"] = t5_rows()
    for key, variable in VARIABLES.items():
        answers[f"by {key}"] = [
            [[point.value, point.total] for point in cost_curve(spec, SIZES, variable, measure)]
            for measure in MEASURES.values()
        ]
    return answers


def forecasts() -> dict[str, Any]:
    """What a training on a dataset will cost and reach, but for the seconds, which are this computer's."""
    answers: dict[str, Any] = {}
    previews = {
        "everyday": Preview.of(load("builtin:everyday")),
        "en-fr": load_preview("builtin:en-fr"),
        "tasks": load_preview("builtin:tasks"),
    }
    for name, preview in previews.items():
        rows = []
        for preset in ("small", "char-halves", "transformer-base"):
            if preset not in PRESETS:
                continue
            recipe = PRESETS[preset].recipe
            found = forecast(recipe, preview, Calibration(), sizes=None)
            whole = [found.parameters, found.src_vocab_size, found.tgt_vocab_size, found.megabytes]
            rows.append([*whole, found.epochs, found.flops, found.slots, found.steps])
            rows.append([share_too_long(recipe, preview)])
        answers[name] = rows
    return answers


def schedules() -> dict[str, Any]:
    """The learning rate of some steps by every schedule."""
    train = override(PRESETS["small"].recipe, {"train.steps": 400, "train.warmup_steps": 50}).train
    steps = (1, 2, 10, 49, 50, 51, 100, 250, 399, 400)
    return {
        name: [learning_rate(step, override(train, {"schedule": name})) for step in steps]
        for name in SCHEDULES
    }
