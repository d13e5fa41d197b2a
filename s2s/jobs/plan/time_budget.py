"""What follows from `train.minutes`: the number of steps for any recipe, and every size for the preset quick."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from s2s.config import PRESETS, Recipe, UserError, flat, override
from s2s.data import Preview
from s2s.jobs.plan.calibration import UNCALIBRATED, Calibration
from s2s.jobs.plan.cost import BYTES_OF_PYTHON, STARTUP_SECONDS, Forecast, forecast
from s2s.jobs.plan.own_settings import own_settings, round_down
from s2s.tokenizers import automatic_size
from s2s.training import cores, is_fast_accurate, settle

QUICK = "quick"  # the preset
STACKS = ("encoder", "decoder")
REFERENCE = "small"  # the preset whose throughput says how fast a computer is
WARMUP_SHARE = 6  # of the run: the preset small warms up for a sixth
VALIDATIONS = 8  # of a run with a time budget
MEMORY_SHARE = 0.7  # of the free memory
CHOSEN = (  # by the preset quick
    "tokenizer.vocab_size",
    "model.d_model",
    *(f"model.{stack}.{size}" for stack in STACKS for size in ("n_layers", "n_heads", "d_ff")),
    "model.dropout",
    "model.norm.place",
    *(f"model.{stack}.final_norm" for stack in STACKS),
    "model.init.kind",
    "train.lr",
    "train.schedule",
    "train.batch_tokens",
    "train.average_last",
    "train.precision",
)


@dataclass(frozen=True)
class Size:
    """A model and what suits it. `epochs`: how often it should read the dataset, as the forecast counts; else a smaller
    one translates better.
    """

    d_model: int
    n_layers: int
    n_heads: int
    vocab_size: int
    lr: float
    batch_tokens: int
    epochs: float

    def settings(self, preview: Preview) -> dict[str, Any]:
        """This size as settings of a recipe for the dataset."""
        stack = {"n_layers": self.n_layers, "n_heads": self.n_heads, "d_ff": 4 * self.d_model}
        automatic = automatic_size(preview.src_characters + preview.tgt_characters)
        return {
            "tokenizer.vocab_size": self.vocab_size if self.vocab_size < automatic else None,
            "model.d_model": self.d_model,
            **{f"model.{name}.{key}": value for name in STACKS for key, value in stack.items()},
            "train.lr": self.lr,
            "train.batch_tokens": self.batch_tokens,
        }


# From the largest. On Multi30k with 350 CPU seconds, two layers of width 128 reached BLEU 34, of width 192 32; three of
# 256 much less; and batches of 1,024 tokens more than larger and smaller ones.
SIZES = (
    Size(512, 4, 8, vocab_size=16_000, lr=1e-3, batch_tokens=4096, epochs=50),
    Size(256, 3, 4, vocab_size=10_000, lr=2e-3, batch_tokens=2048, epochs=50),
    Size(192, 2, 4, vocab_size=8000, lr=3e-3, batch_tokens=1024, epochs=22),
    Size(128, 2, 4, vocab_size=6000, lr=4e-3, batch_tokens=1024, epochs=0),
)
# A narrow and deep model whose rate stays high and whose last checkpoints are averaged, as transformer-tiny by Wu et
# al. 2021. On Multi30k it had BLEU 41.8, 41.2 and 41.8 after 75 minutes, the others 40.7 (docs/results.md).
FITTED = {"train.warmup_steps", "train.watch.validate_every", "train.watch.save_every"}
OFTEN = (80, 160)  # from and to how many times its dataset is read, as the forecast counts
ENOUGH_UPDATES = 5000  # of such batches; it was measured with 6,654
DEEP = Size(128, 4, 4, vocab_size=6000, lr=5e-3, batch_tokens=8192, epochs=OFTEN[0])
RECIPE_OF_DEEP = {
    **{f"model.{stack}.d_ff": 256 for stack in STACKS},
    **{f"model.{stack}.final_norm": False for stack in STACKS},
    "model.norm.place": "post",
    "model.init.kind": "fairseq",
    "train.schedule": "inverse_sqrt",
    "train.warmup_steps": 1500,
    "train.average_last": 15,
    "train.watch.validate_every": 640,
    "train.watch.save_every": 80,
}
TOKENS_PER_PARAMETER = 0.05  # of the dataset: a larger model memorizes it
ENOUGH_TOKENS = 20e6  # a dataset of which so many are read need not be read again
# Dropout by the times that the dataset is read, from the most. For 5,000 pairs read 20 times, 0.2 was better than 0.1
# and 0.3.
DROPOUTS = ((50, 0.3), (12, 0.2), (0, 0.1))


def within_minutes(
    recipe: Recipe,
    preset: str,
    preview: Preview,
    calibration: Calibration = UNCALIBRATED,
    *,
    given: Collection[str] = (),
    free: int | None = None,
) -> Recipe:
    """A recipe with `train.minutes` and what follows from these on this dataset and computer; any other recipe as is.

    For the preset quick that is every setting of `CHOSEN` that was neither set to another value nor `given`; `free` are
    the bytes of memory that it may take. For every recipe it is the number of steps, and a warmup and intervals that
    fit into them, unless these are `given`.
    """
    minutes = recipe.train.minutes
    if minutes is None:
        return recipe
    if not recipe.train.threads:
        recipe = override(recipe, {"train.threads": cores()})
    if preset == QUICK:
        own = own_settings(recipe, QUICK, given)
        recipe = _settled(recipe, own, {"train.precision": _precision(recipe)})
        size = _size(recipe, own, preview, calibration, free)
        recipe = _settled(recipe, own, size)
        epochs = fitting(recipe, preview, calibration).epochs
        rate = next(rate for least, rate in DROPOUTS if epochs >= least)
        recipe = _settled(recipe, own, {"model.dropout": rate})
    fitted = fit_to_minutes(recipe, preview, minutes, calibration)
    kept = {*given} - {"train.steps"}
    return override(recipe, {key: value for key, value in fitted.items() if key not in kept})


def following(recipe: Recipe, preset: str, given: Collection[str]) -> set[str]:
    """The settings that a time budget may change in a recipe, before the training and within it; none without one."""
    if recipe.train.minutes is None:
        return set()
    fitted = {"train.steps"} | FITTED - {*given}
    own = own_settings(recipe, QUICK, given) if preset == QUICK else {*CHOSEN}
    return fitted | {*CHOSEN} - {*own}


def _precision(recipe: Recipe) -> str:
    if settle(override(recipe, {"train.precision": "exact"})).train.device != "cpu":
        return "exact"
    return "fast" if is_fast_accurate() else "bf16"


def _settled(recipe: Recipe, own: Mapping[str, Any], settings: Mapping[str, Any]) -> Recipe:
    return override(recipe, {key: value for key, value in settings.items() if key not in own})


def _size(
    recipe: Recipe,
    own: Mapping[str, Any],
    preview: Preview,
    calibration: Calibration,
    free: int | None,
) -> dict[str, Any]:
    """The largest model that reads the dataset often enough, does not memorize it, and fits into the memory; the deep
    one as it was measured, where it reads the dataset as often, or not at all.
    """
    deep = DEEP.settings(preview) | RECIPE_OF_DEEP
    if all(own.get(key, value) == value for key, value in deep.items() if key not in FITTED):
        tried = override(recipe, deep)
        cost = fitting(tried, preview, calibration)
        is_measured = OFTEN[0] <= cost.epochs <= OFTEN[1] and cost.steps >= ENOUGH_UPDATES
        if is_measured and _is_small(cost) and _fits(cost, free):
            return deep
    for size in SIZES[:-1]:
        try:
            tried = _settled(recipe, own, size.settings(preview))
        except UserError:  # it does not go with a setting of one's own, such as the width
            continue
        cost = fitting(tried, preview, calibration)
        reads_enough = cost.epochs >= size.epochs or cost.tokens >= ENOUGH_TOKENS
        if reads_enough and _is_small(cost) and _fits(cost, free):
            return size.settings(preview)
    return SIZES[-1].settings(preview)


def _is_small(cost: Forecast) -> bool:
    tokens = cost.tokens / max(1e-9, cost.epochs)
    return cost.parameters * TOKENS_PER_PARAMETER <= tokens


def _fits(cost: Forecast, free: int | None) -> bool:
    needed = cost.megabytes * 1e6 - BYTES_OF_PYTHON
    return free is None or needed <= MEMORY_SHARE * free


def fitting(recipe: Recipe, preview: Preview, calibration: Calibration = UNCALIBRATED) -> Forecast:
    """The forecast of a recipe with as many steps as fit into its minutes."""
    minutes = recipe.train.minutes or 0.0
    steps = _steps(recipe, preview, minutes, calibration)
    return forecast(override(recipe, {"train.steps": steps}), preview, calibration)


def _steps(recipe: Recipe, preview: Preview, minutes: float, calibration: Calibration) -> int:
    cost = forecast(recipe, preview, calibration)
    seconds_per_step = (cost.seconds - STARTUP_SECONDS) / recipe.train.steps
    return max(10, round_down((60 * minutes - STARTUP_SECONDS) / seconds_per_step))


def reference_tokens_per_second(
    threads: int,
    preview: Preview,
    calibration: Calibration = UNCALIBRATED,
    *,
    device: str = "auto",
) -> float:
    """How fast this computer would train the preset small, padding included.

    Runs of quick have other sizes on every computer; what they reach in some minutes is compared by what small would
    have read in them.
    """
    changes = {"train.threads": threads or cores(), "train.device": device}
    recipe = override(PRESETS[REFERENCE].recipe, changes)
    return forecast(recipe, preview, calibration).tokens_per_second


def fit_to_minutes(
    recipe: Recipe, preview: Preview, minutes: float, calibration: Calibration = UNCALIBRATED
) -> dict[str, int]:
    """Steps, warmup and intervals of a recipe that take these minutes on this dataset here."""
    steps = _steps(recipe, preview, minutes, calibration)
    warm = min(recipe.train.warmup_steps, steps // WARMUP_SHARE)
    n_validations = VALIDATIONS if recipe.train.minutes else 5
    every = max(1, min(recipe.train.watch.validate_every, steps // n_validations))
    return {
        "train.steps": steps,
        "train.warmup_steps": warm,
        "train.watch.validate_every": every,
        "train.watch.save_every": min(recipe.train.watch.save_every, every),
    }


def changed_settings(recipe: Recipe, planned: Recipe) -> dict[str, Any]:
    """The settings that `within_minutes` changed in `recipe`, as they are in `planned`."""
    before = flat(recipe)
    return {key: value for key, value in flat(planned).items() if value != before[key]}
