"""What is unwise in a recipe for this text, said before it is trained: a sentence and, where one setting mends it, the cure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from s2s.config import POSITION_KINDS, PRESETS, Recipe, override
from s2s.data import Preview
from s2s.jobs import expected
from s2s.jobs.expected import Measured
from s2s.jobs.forecast import AS_COUNTED, START, Forecast, Pace, forecast, share_too_long
from s2s.settings import Limits

HANDFUL = 100  # pairs; with fewer every model learns by heart, which is what they are for
NATURAL = 8.0  # richness between a grammar's sentences (2) and people's (20 to 50), in the middle of the logarithms
# Multi30k, 29,000 pairs: 3 parameters a token translate best, 40 and more worse and worse (Wu et al. 2021, table 1).
PARAMETERS_A_TOKEN = 20
FEW_EPOCHS = 2.0  # fewer, and rare words have been met once or twice
MANY_TOKENS = 20e6  # who has seen so many need not see them twice
MANY_EPOCHS = 100.0  # Wu et al. 2021 stop at about 75, on validation loss
PATIENCE = 5
WARM_SHARE = 6  # of the run: the preset small warms up for a sixth
# times the preset's learning rate at that width
TOO_HIGH = 4.0
TOO_LOW = 0.1
DROPOUT = 0.1  # Vaswani et al. 2017; on small texts up to 0.3 (Wu et al. 2021)
MUCH_DROPOUT = 0.3
SMALL_TEXT = 100_000  # pairs
SEEN_OFTEN = 20  # times that a piece should stand in the text, in the mean, to be learnt
TOO_LONG = 0.02  # share of the pairs
# `summaries` and `dialogue`, small: 36 and 77 percent exact with sinusoids, with rotary positions 100 and 80 (benchmarks.tasks).
# of the target's words; of the source's length
COPIED = 0.7
SHORTER = 0.7


@dataclass(frozen=True)
class Advice:
    """One sentence; `cure` are the settings that mend it, `preset` another one to take; `is_refusal` where it cannot be trained so."""

    sentence: str
    cure: Mapping[str, Any] = field(default_factory=dict)
    preset: str = ""
    is_refusal: bool = False

    @property
    def label(self) -> str:
        """What a button that applies the cure says; empty where there is none."""
        if self.preset:
            return f"Take {self.preset}"
        said = [f"{key} to {_written(value)}" for key, value in self.cure.items()]
        return f"Set {' and '.join(said)}" if said else ""


@dataclass(frozen=True)
class Case:
    """What is asked, of which text, at what cost, and what the owner of the place allows."""

    recipe: Recipe
    preset: str
    seen: Preview
    cost: Forecast
    limits: Limits
    is_begun: bool = False  # it starts from the weights of a trained run

    @property
    def text_tokens(self) -> float:
        """Of one pass over the text, on its longer side."""
        return self.cost.tokens / max(1e-9, self.cost.epochs)

    @property
    def is_handful(self) -> bool:
        """Whether nobody expects more than that it is learnt by heart."""
        return self.seen.n_pairs < HANDFUL


@dataclass(frozen=True)
class Recommended:
    """A preset that fits a text, and why."""

    preset: str
    why: str


def advice(case: Case) -> list[Advice]:
    """All that there is to say, refusals first."""
    said = [
        one
        for name, rule in RULES.items()
        if not (case.is_begun and name in FRESH) and (one := rule(case))
    ]
    return sorted(said, key=lambda one: not one.is_refusal)


def too_many_steps(case: Case) -> Advice | None:
    """More than this place allows."""
    most = case.limits.steps
    steps = case.recipe.train.steps
    if most is None or steps <= most:
        return None
    return Advice(
        f"`train.steps` {steps:,} is more than the {most:,} allowed here.",
        {"train.steps": most},
        is_refusal=True,
    )


def too_many_minutes(case: Case) -> Advice | None:
    """Longer than this place allows."""
    most = case.limits.minutes
    minutes = case.cost.seconds / 60
    if most is None or minutes <= most:
        return None
    fitting = max(1, int(case.recipe.train.steps * 0.9 * most / minutes))
    sentence = (
        f"This takes about {minutes:,.0f} minutes and {most:,} are allowed here; train fewer steps."
    )
    return Advice(sentence, {"train.steps": fitting}, is_refusal=True)


def too_many_parameters(case: Case) -> Advice | None:
    """Larger than this place allows."""
    most = case.limits.parameters
    parameters = case.cost.parameters
    if most is None or parameters <= most:
        return None
    sentence = f"This model has {short_count(parameters)} parameters and {short_count(most)} are allowed here; take a smaller preset."
    return Advice(sentence, preset="small", is_refusal=True)


def long_warmup(case: Case) -> Advice | None:
    """The learning rate would still be climbing at the end."""
    sentence = warmup_note(case.recipe)
    return (
        Advice(sentence, {"train.warmup_steps": case.recipe.train.steps // WARM_SHARE})
        if sentence
        else None
    )


def warmup_note(recipe: Recipe) -> str:
    """What is unwise in a schedule longer than its run; empty where it ends in time. It can be trained all the same."""
    train = recipe.train
    if train.steps > train.warmup_steps:
        return ""
    given = f"`train.warmup_steps` {train.warmup_steps:,} is not less than the {train.steps:,} of `train.steps`"
    return f"{given}: the learning rate would still be climbing at the end; warm up for about a sixth of the run."


def overfits(case: Case) -> Advice | None:
    """Too many parameters for so few pairs."""
    parameters = case.cost.parameters
    tokens = 2 * case.text_tokens
    if parameters <= PARAMETERS_A_TOKEN * tokens:
        return None
    other = by_rule(case.seen, case.cost.seconds / 60).preset
    smaller = forecast(PRESETS[other].recipe, case.seen).parameters
    given = f"{case.seen.n_pairs:,} pairs and {short_count(parameters)} parameters"
    if case.is_handful:  # by heart is all there is, and the preset for that does it in seconds
        by_heart = f"{given}: so few are learnt by heart, for which a small model does; try {other}, which has {short_count(smaller)}."
        return (
            Advice(by_heart, preset=other)
            if other != case.preset and smaller < parameters
            else None
        )
    sentence = f"{given}: this will overfit"
    if other != case.preset and smaller < parameters / 2:
        return Advice(f"{sentence}; try {other}, which has {short_count(smaller)}.", preset=other)
    if case.recipe.model.dropout < MUCH_DROPOUT:
        return Advice(
            f"{sentence}; more dropout delays it, more pairs prevent it.",
            {"model.dropout": MUCH_DROPOUT},
        )
    return Advice(f"{sentence}; more pairs prevent it.")


def few_epochs(case: Case) -> Advice | None:
    """Each pair is hardly seen."""
    if case.is_handful or case.cost.epochs >= FEW_EPOCHS or case.cost.tokens >= MANY_TOKENS:
        return None
    steps = _round_up(case.recipe.train.steps * 5 / max(1e-9, case.cost.epochs))
    sentence = f"Each pair is seen {case.cost.epochs:.1f} times only; words that stand once or twice want about 5."
    return Advice(sentence, {"train.steps": steps})


def many_epochs(case: Case) -> Advice | None:
    """Each pair is seen so often that it is known by heart, and nobody stops."""
    if case.is_handful or case.cost.epochs <= MANY_EPOCHS or case.recipe.train.watch.patience:
        return None
    sentence = f"Each pair is seen {case.cost.epochs:,.0f} times: the model will know them by heart long before the end."
    return Advice(
        f"{sentence} Stop when validation no longer gains.", {"train.watch.patience": PATIENCE}
    )


def learning_rate(case: Case) -> Advice | None:
    """Far from the preset's. A model twice as wide wants half of it (Yang et al. 2022, table 3)."""
    own = case.recipe
    tuned = PRESETS[case.preset].recipe if case.preset in PRESETS else None
    if tuned is None or own.train.optimizer.kind != tuned.train.optimizer.kind:
        return None
    usual = tuned.train.lr * tuned.model.d_model / own.model.d_model
    if TOO_LOW * usual <= own.train.lr <= TOO_HIGH * usual:
        return None
    risk = "it may diverge" if own.train.lr > usual else "it will learn slowly"
    given = f"`train.lr` {own.train.lr:g} is far from the {usual:.1g} that suits {case.preset} at width {own.model.d_model}"
    return Advice(f"{given}: {risk}.", {"train.lr": float(f"{usual:.1g}")})


def no_dropout(case: Case) -> Advice | None:
    """Nothing keeps a small text from being learnt by heart."""
    is_small = HANDFUL <= case.seen.n_pairs < SMALL_TEXT and case.cost.epochs > FEW_EPOCHS
    if not is_small or case.recipe.model.dropout > 0:
        return None
    sentence = f"No dropout, and only {case.seen.n_pairs:,} pairs, each seen {case.cost.epochs:,.0f} times: this will overfit."
    return Advice(sentence, {"model.dropout": DROPOUT})


def large_vocabulary(case: Case) -> Advice | None:
    """Most pieces would stand in the text too seldom to be learnt."""
    settings = case.recipe.tokenizer
    size = max(case.cost.src_vocab_size, case.cost.tgt_vocab_size)
    often = case.text_tokens * (2 if settings.shared else 1) / size
    if case.is_handful or often >= SEEN_OFTEN or settings.kind in ("byte", "char"):
        return None
    said = f"A vocabulary of {size:,} is large for this text: each piece stands there {often:.0f} times in the mean"
    if settings.kind == "word":
        return Advice(f"{said}; cut rare words into pieces.", {"tokenizer.kind": "bpe"})
    if settings.vocab_size is None:
        return None
    return Advice(
        f"{said}; leave its size to be chosen by the text.", {"tokenizer.vocab_size": None}
    )


def too_long(case: Case) -> Advice | None:
    """`data.max_length` drops many pairs."""
    share = share_too_long(case.recipe, case.seen)
    given = case.recipe.data.max_length
    if share <= TOO_LONG:
        return None
    fitting = _fitting_length(case.recipe, case.seen)
    sentence = f"`data.max_length` {given} drops about {share:.0%} of the pairs, the longest."
    return Advice(sentence, {} if fitting is None else {"data.max_length": fitting})


def _fitting_length(recipe: Recipe, seen: Preview) -> int | None:
    """The shortest power of two that drops hardly any; None where the recipe allows none."""
    most = recipe.model.positions.longest or 4096
    for length in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096):
        longer = length > recipe.data.max_length and length <= most
        if (
            longer
            and share_too_long(override(recipe, {"data.max_length": length}), seen) <= TOO_LONG / 2
        ):
            return length
    return None


def copies(case: Case) -> Advice | None:
    """The target is a part of the source: where a word stands then matters relative to others (Su et al. 2021)."""
    model = case.recipe.model
    seen = case.seen
    is_part = seen.tgt_median < SHORTER * seen.src_median and copied(seen.rows) >= COPIED
    if (
        case.is_handful
        or seen.is_plain
        or not is_part
        or POSITION_KINDS[model.positions.kind].acts_on != "vectors"
    ):
        return None
    sentence = f"{copied(seen.rows):.0%} of the target's words stand in its source: rotary positions learn to copy them much sooner."
    return Advice(sentence, {"model.positions.kind": "rotary"})


def copied(rows: Sequence[tuple[str, str]]) -> float:
    """Share of the targets' words that stand in their source."""
    sources = [set(src.split()) for src, _ in rows]
    found = [
        word in source
        for source, (_, tgt) in zip(sources, rows, strict=True)
        for word in tgt.split()
    ]
    return sum(found) / max(1, len(found))


RULES: Mapping[str, Callable[[Case], Advice | None]] = MappingProxyType(
    {
        "too_many_steps": too_many_steps,
        "too_many_minutes": too_many_minutes,
        "too_many_parameters": too_many_parameters,
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
# That speak of random first weights: trained ones know pieces and words already, and their shape is what it is.
FRESH = ("overfits", "few_epochs", "large_vocabulary", "copies")


def recommended(
    seen: Preview, minutes: float, pace: Pace = AS_COUNTED, known: Sequence[Measured] | None = None
) -> Recommended:
    """The preset that our runs on such texts speak for within these minutes; where they are silent, what its rule of thumb says."""
    rule = by_rule(seen, minutes)
    known = expected.measured() if known is None else known
    if expected.why_none(Recipe(), seen):
        return rule
    presets = dict.fromkeys(run.preset for run in known if run.preset in PRESETS)
    speeds = {
        preset: forecast(PRESETS[preset].recipe, seen, pace).tokens_a_second for preset in presets
    }
    ranked = expected.best(seen, speeds, minutes, known)
    if len(ranked) < 2:
        return rule
    (first, most), (second, less), *_ = ranked
    return Recommended(
        first,
        f"in our runs on the texts most like this one it comes to BLEU {most:.0f} in {minutes:.0f} minutes, {second} to {less:.0f}",
    )


def by_rule(seen: Preview, minutes: float) -> Recommended:
    """By size and kind of the text alone."""
    if seen.is_plain:
        return _plain(seen.src_characters / max(1, seen.n_pairs))
    if seen.n_pairs < HANDFUL:
        return Recommended("mini-t5", f"{seen.n_pairs:,} pairs are learnt by heart, in seconds")
    if expected.richness(seen) < NATURAL:
        return Recommended(
            "small",
            f"{seen.tgt_words:,} different words in {seen.n_pairs:,} pairs are a simple language",
        )
    if seen.n_pairs >= 1_000_000 and minutes >= 600:
        return Recommended(
            "transformer-base",
            f"{seen.n_pairs:,} pairs and {minutes / 60:.0f} hours can feed 60 M parameters",
        )
    if seen.n_pairs >= 5000 and minutes >= 20:
        return Recommended(
            "transformer-tiny",
            f"it was found on 29,000 pairs of real sentences, and {minutes:.0f} minutes are enough",
        )
    return Recommended(
        "small",
        f"with {seen.n_pairs:,} pairs and {minutes:.0f} minutes a small model gets furthest",
    )


def _plain(mean: float) -> Recommended:
    """Of texts of so many characters in the mean."""
    if mean <= PRESETS["char-halves"].recipe.data.max_length:
        return Recommended(
            "char-halves",
            f"short passages ({mean:.0f} characters in the mean) can be continued letter by letter",
        )
    return Recommended(
        "small", "long passages of plain text want pieces of words, and a small model first"
    )


def within(preset: str, seen: Preview, minutes: float, pace: Pace = AS_COUNTED) -> dict[str, int]:
    """Steps and warm-up of that preset that take these minutes on that text here."""
    recipe = PRESETS[preset].recipe
    cost = forecast(recipe, seen, pace)
    a_step = (cost.seconds - START) / recipe.train.steps
    steps = max(10, _round_down((60 * minutes - START) / a_step))
    warm = min(recipe.train.warmup_steps, steps // WARM_SHARE)
    every = max(1, min(recipe.train.watch.validate_every, steps // 5))
    return {
        "train.steps": steps,
        "train.warmup_steps": warm,
        "train.watch.validate_every": every,
        "train.watch.save_every": every,
    }


def short_count(number: float, units: str = "kMBT") -> str:
    """`63_082_496` -> `63 M`, `2_177_408` -> `2.2 M`; each unit a thousand times the one before."""
    power = min(len(units), len(f"{number:.0f}") // 3 - (len(f"{number:.0f}") % 3 == 0))
    if not power:
        return f"{number:.0f}"
    shown = number / 1000**power
    return f"{shown:.0f} {units[power - 1]}" if shown >= 10 else f"{shown:.1f} {units[power - 1]}"


def _written(value: Any) -> str:
    if value is None:
        return "chosen for you"
    return (
        f"{value:,}"
        if isinstance(value, int)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


def _round_up(steps: float) -> int:
    """Two digits: 5,872 -> 5,900."""
    size = 10 ** max(0, len(str(int(steps))) - 2)
    return int(-(-steps // size) * size)


def _round_down(steps: float) -> int:
    size = 10 ** max(0, len(str(int(steps))) - 2)
    return int(steps // size * size)
