"""Problems of a recipe for a dataset, before it is trained: a sentence each, and the setting that fixes it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from s2s.config import NO_FAULT, POSITION_KINDS, PRESETS, Recipe, flat, override
from s2s.data import Preview
from s2s.faults import fault_of
from s2s.jobs.plan.cost import STARTUP_SECONDS, Forecast, forecast, share_too_long
from s2s.jobs.plan.own_settings import round_up, short_count, suitable_lr, written
from s2s.jobs.plan.recommendation import HANDFUL, by_rule
from s2s.jobs.plan.time_budget import WARMUP_SHARE
from s2s.settings import Limits

# Multi30k, 29,000 pairs: 3 parameters per token translate best, 40 and more worse and worse (Wu et al. 2021, table 1).
PARAMETERS_PER_TOKEN = 20
FEW_UPDATES = 3  # times the time that a single one needs: the smallest budget that is offered
MOST_MINUTES = 10_000.0  # of a time budget
FEW_EPOCHS = 2.0  # with fewer, rare words have been seen once or twice
MANY_TOKENS = 20e6  # a run that has seen this many need not see them twice
MANY_EPOCHS = 100.0  # Wu et al. 2021 stop at about 75, on validation loss
PATIENCE = 5
# times the preset's learning rate at that width
TOO_HIGH = 4.0
TOO_LOW = 0.1
DROPOUT = 0.1  # Vaswani et al. 2017; on small datasets up to 0.3 (Wu et al. 2021)
MUCH_DROPOUT = 0.3
SMALL_DATASET = 100_000  # pairs
SEEN_OFTEN = 20  # times that a token should occur in the dataset, on average, to be learned
TOO_LONG = 0.02  # share of the pairs
# `summaries` and `dialogue`, small: 36 and 77 percent exact with sinusoids, with rotary positions 100 and 80.
COPIED = 0.7  # of the target's words
SHORTER = 0.7  # of the source's length


@dataclass(frozen=True)
class Advice:
    """One sentence about a problem.

    `fix` are settings that solve it, `preset` is a better preset; `is_refusal` where the run cannot be started so.
    """

    sentence: str
    fix: Mapping[str, Any] = field(default_factory=dict)
    preset: str = ""
    is_refusal: bool = False

    def label(self, recipe: Recipe) -> str:
        """The label of a button that applies the fix to this recipe; empty where there is none."""
        if self.preset:
            return f"Use {self.preset}"
        now = flat(recipe)
        changes = [
            f"{key} from {written(now[key])} to {written(value)}" for key, value in self.fix.items()
        ]
        return f"Set {' and '.join(changes)}" if changes else ""


@dataclass(frozen=True)
class PlannedRun:
    """A recipe for a dataset, its estimated cost, and the limits of this server."""

    recipe: Recipe
    preset: str
    preview: Preview
    cost: Forecast
    limits: Limits
    is_initialized: bool = False  # it starts from a trained run's weights

    @property
    def dataset_tokens(self) -> float:
        """Tokens of one pass over the dataset, on its longer side."""
        return self.cost.tokens / max(1e-9, self.cost.epochs)

    @property
    def is_handful(self) -> bool:
        """Whether the dataset is so small that a model only memorizes it."""
        return self.preview.n_pairs < HANDFUL


def advise(planned: PlannedRun) -> list[Advice]:
    """All advice, refusals first."""
    advice = [
        one
        for name, rule in RULES.items()
        if not (planned.is_initialized and name in FRESH) and (one := rule(planned))
    ]
    return sorted(advice, key=lambda one: not one.is_refusal)


def too_many_steps(planned: PlannedRun) -> Advice | None:
    """More steps than this server allows."""
    most = planned.limits.steps
    steps = planned.recipe.train.steps
    if most is None or steps <= most or planned.recipe.train.minutes is not None:
        return None
    return Advice(
        f"`train.steps` {steps:,} is more than the {most:,} allowed here.",
        {"train.steps": most},
        is_refusal=True,
    )


def too_many_minutes(planned: PlannedRun) -> Advice | None:
    """More minutes than this server allows."""
    most = planned.limits.minutes
    budget = planned.recipe.train.minutes
    minutes = planned.cost.seconds / 60 if budget is None else budget
    if most is None or minutes <= most:
        return None
    if budget is not None:
        given = f"`train.minutes` {budget:g} is more than the {most:,} allowed here."
        return Advice(given, {"train.minutes": float(most)}, is_refusal=True)
    fitting = max(1, int(planned.recipe.train.steps * 0.9 * most / minutes))
    sentence = (
        f"This takes about {minutes:,.0f} minutes and {most:,} are allowed here; train fewer steps."
    )
    return Advice(sentence, {"train.steps": fitting}, is_refusal=True)


def too_few_minutes(planned: PlannedRun) -> Advice | None:
    """A time budget that is over before the first update."""
    budget = planned.recipe.train.minutes
    step = (planned.cost.seconds - STARTUP_SECONDS) / planned.cost.steps
    if budget is None or 60 * budget > STARTUP_SECONDS + step:
        return None
    enough = math.ceil(10 * FEW_UPDATES * (STARTUP_SECONDS + step) / 60) / 10
    return Advice(
        f"`train.minutes` {budget:g} leaves no time for an update: preparing takes about {STARTUP_SECONDS:.0f} seconds"
        f" and an update {step:.1f}; give at least {enough:g}.",
        {"train.minutes": enough},
        is_refusal=True,
    )


def too_many_parameters(planned: PlannedRun) -> Advice | None:
    """A larger model than this server allows."""
    most = planned.limits.parameters
    parameters = planned.cost.parameters
    if most is None or parameters <= most:
        return None
    size = f"This model has {short_count(parameters)} parameters and {short_count(most)} are allowed here"
    return Advice(f"{size}; choose a smaller preset.", preset="small", is_refusal=True)


def long_warmup(planned: PlannedRun) -> Advice | None:
    """A warmup so long that the learning rate would still rise at the end."""
    sentence = warmup_note(planned.recipe)
    return (
        Advice(sentence, {"train.warmup_steps": planned.recipe.train.steps // WARMUP_SHARE})
        if sentence
        else None
    )


def warmup_note(recipe: Recipe) -> str:
    """A sentence about a warmup longer than the run; empty where it is shorter. The run can be trained nevertheless."""
    train = recipe.train
    if train.steps > train.warmup_steps:
        return ""
    given = f"`train.warmup_steps` {train.warmup_steps:,} is not less than `train.steps` {train.steps:,}"
    return f"{given}, so the learning rate still rises at the end; warm up for about a sixth of the run."


def overfits(planned: PlannedRun) -> Advice | None:
    """Too many parameters for so few pairs."""
    parameters = planned.cost.parameters
    tokens = 2 * planned.dataset_tokens
    if parameters <= PARAMETERS_PER_TOKEN * tokens:
        return None
    other = by_rule(planned.preview, planned.cost.seconds / 60).preset
    smaller = forecast(PRESETS[other].recipe, planned.preview).parameters
    given = f"{planned.preview.n_pairs:,} pairs and {short_count(parameters)} parameters"
    if planned.is_handful:  # it can only be memorized, and the preset for that takes seconds
        enough = (
            f"{given}: so few pairs can only be memorized, and a small model is enough for that"
        )
        return (
            Advice(f"{enough}; try {other}, which has {short_count(smaller)}.", preset=other)
            if other != planned.preset and smaller < parameters
            else None
        )
    sentence = f"{given}: this will overfit"
    if other != planned.preset and smaller < parameters / 2:
        return Advice(f"{sentence}; try {other}, which has {short_count(smaller)}.", preset=other)
    if planned.recipe.model.dropout < MUCH_DROPOUT:
        return Advice(
            f"{sentence}; more dropout delays it, more pairs prevent it.",
            {"model.dropout": MUCH_DROPOUT},
        )
    return Advice(f"{sentence}; more pairs prevent it.")


def few_epochs(planned: PlannedRun) -> Advice | None:
    """The model sees each pair too few times."""
    if (
        planned.is_handful
        or planned.cost.epochs >= FEW_EPOCHS
        or planned.cost.tokens >= MANY_TOKENS
    ):
        return None
    sentence = f"Each pair is seen only {planned.cost.epochs:.1f} times; rare words need about 5."
    more = 5 / max(1e-9, planned.cost.epochs)
    minutes = planned.recipe.train.minutes
    if minutes is not None:
        enough = min(MOST_MINUTES, float(round_up(minutes * more)))
        return Advice(sentence, {"train.minutes": enough} if enough > minutes else {})
    steps = round_up(planned.recipe.train.steps * more)
    return Advice(sentence, {"train.steps": steps})


def many_epochs(planned: PlannedRun) -> Advice | None:
    """Each pair is seen so often that it is memorized, and there is neither early stopping nor averaging."""
    if (
        planned.is_handful
        or planned.recipe.train.average_last > 1
        or planned.cost.epochs <= MANY_EPOCHS
        or planned.recipe.train.watch.patience
    ):
        return None
    sentence = f"Each pair is seen {planned.cost.epochs:,.0f} times: the model will memorize them long before the end."
    return Advice(
        f"{sentence} Stop when validation no longer improves.", {"train.watch.patience": PATIENCE}
    )


def learning_rate(planned: PlannedRun) -> Advice | None:
    """A learning rate far from the one that suits the preset at the model's width."""
    recipe = planned.recipe
    suitable = suitable_lr(recipe, planned.preset)
    if suitable is None:
        return None
    lowest = 0.0 if planned.is_initialized else TOO_LOW * suitable  # fine-tuning takes lower ones
    if lowest <= recipe.train.lr <= TOO_HIGH * suitable:
        return None
    risk = "it may diverge" if recipe.train.lr > suitable else "it will learn slowly"
    at_width = f"suits {planned.preset} at width {recipe.model.d_model}"
    return Advice(
        f"`train.lr` {recipe.train.lr:g} is far from the {suitable:.1g} that {at_width}: {risk}.",
        {"train.lr": float(f"{suitable:.1g}")},
    )


def no_dropout(planned: PlannedRun) -> Advice | None:
    """No dropout, with which a small dataset would be memorized less."""
    is_small = (
        HANDFUL <= planned.preview.n_pairs < SMALL_DATASET and planned.cost.epochs > FEW_EPOCHS
    )
    if not is_small or planned.recipe.model.dropout > 0:
        return None
    often = f"only {planned.preview.n_pairs:,} pairs, each seen {planned.cost.epochs:,.0f} times"
    return Advice(f"No dropout, and {often}: this will overfit.", {"model.dropout": DROPOUT})


def large_vocabulary(planned: PlannedRun) -> Advice | None:
    """Most tokens would occur too rarely to be learned."""
    settings = planned.recipe.tokenizer
    size = max(planned.cost.src_vocab_size, planned.cost.tgt_vocab_size)
    often = planned.dataset_tokens * (2 if settings.shared else 1) / size
    if planned.is_handful or often >= SEEN_OFTEN or settings.kind in ("byte", "char"):
        return None
    problem = f"A vocabulary of {size:,} is large for this dataset: each token occurs {often:.0f} times on average"
    if settings.kind == "word":
        return Advice(f"{problem}; split rare words into subwords.", {"tokenizer.kind": "bpe"})
    if settings.vocab_size is None:
        return None
    return Advice(f"{problem}; choose its size automatically.", {"tokenizer.vocab_size": None})


def too_long(planned: PlannedRun) -> Advice | None:
    """`data.max_length` drops many pairs."""
    share = share_too_long(planned.recipe, planned.preview)
    given = planned.recipe.data.max_length
    if share <= TOO_LONG:
        return None
    fitting = _fitting_length(planned.recipe, planned.preview)
    sentence = f"`data.max_length` {given} drops about {share:.0%} of the pairs, the longest."
    return Advice(sentence, {} if fitting is None else {"data.max_length": fitting})


def _fitting_length(recipe: Recipe, preview: Preview) -> int | None:
    """The smallest power of two that drops hardly any pair; None where the positions allow none."""
    most = recipe.model.positions.longest or 4096
    for length in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096):
        longer = length > recipe.data.max_length and length <= most
        if (
            longer
            and share_too_long(override(recipe, {"data.max_length": length}), preview)
            <= TOO_LONG / 2
        ):
            return length
    return None


def copies(planned: PlannedRun) -> Advice | None:
    """Absolute positions where targets are copied from sources: rotary ones learn that sooner (Su et al. 2021)."""
    model = planned.recipe.model
    preview = planned.preview
    is_part = preview.tgt_median < SHORTER * preview.src_median and copied(preview.rows) >= COPIED
    if (
        planned.is_handful
        or preview.is_plain
        or not is_part
        or POSITION_KINDS[model.positions.kind].acts_on != "vectors"
    ):
        return None
    share = f"{copied(preview.rows):.0%} of the target's words are in its source"
    sentence = f"{share}: rotary positions learn to copy them much sooner."
    return Advice(sentence, {"model.positions.kind": "rotary"})


def copied(rows: Sequence[tuple[str, str]]) -> float:
    """Share of the targets' words that occur in their source."""
    sources = [set(src.split()) for src, _ in rows]
    found = [
        word in source
        for source, (_, tgt) in zip(sources, rows, strict=True)
        for word in tgt.split()
    ]
    return sum(found) / max(1, len(found))


def fault(planned: PlannedRun) -> Advice | None:
    """A mistake that the recipe makes on purpose."""
    row = fault_of(planned.recipe.train.fault)
    if row is None:
        return None
    given = f"`train.fault` is {planned.recipe.train.fault}: {row.title}"
    return Advice(f"{given}, on purpose. {row.symptom}", {"train.fault": NO_FAULT})


RULES: Mapping[str, Callable[[PlannedRun], Advice | None]] = MappingProxyType(
    {
        "too_many_steps": too_many_steps,
        "too_many_minutes": too_many_minutes,
        "too_few_minutes": too_few_minutes,
        "too_many_parameters": too_many_parameters,
        "fault": fault,
        "long_warmup": long_warmup,
        "overfits": overfits,
        "few_epochs": few_epochs,
        "many_epochs": many_epochs,
        "learning_rate": learning_rate,
        "no_dropout": no_dropout,
        "large_vocabulary": large_vocabulary,
        "too_long": too_long,
        "copies": copies,
    }
)
# These assume random initial weights: trained ones know tokens and words already, and their shape is fixed.
FRESH = ("overfits", "few_epochs", "large_vocabulary", "copies")
