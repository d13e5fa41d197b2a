"""What a training would cost on this computer, how its learning rate goes, and which quality to expect."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from s2s.config import PRESETS, Recipe, UserError
from s2s.jobs import (
    STARTUP_SECONDS,
    Forecast,
    PredictionInterval,
    forecast,
    initialization,
    predict_quality,
    why_no_prediction,
    within_minutes,
)
from s2s.questions.dataset_profile import changed_recipe
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import Question, setting, subject
from s2s.questions.table import Table
from s2s.training import free_memory, learning_rate
from s2s.words import duration

SCHEDULE_POINTS = 300
NEARLY = 0.9  # of the time that is asked for: a measured run that reaches as far says enough
INITIALIZED = "No BLEU is expected: the runs that it is predicted from started with random weights."


@dataclass(frozen=True)
class ForecastedTraining:
    """The recipe with what follows from its time budget, its costs, and the BLEU to expect or why none is."""

    dataset: str
    preset: str
    recipe: Recipe
    cost: Forecast
    expected: PredictionInterval | None
    why_none: str

    @property
    def epochs(self) -> str:
        """The number of epochs as text: `0.3`, `24`, `100,000`."""
        times = self.cost.epochs
        return f"{times:.1f}" if times < 9.95 else f"{times:,.0f}"

    @property
    def memory(self) -> str:
        """The memory of training as text: `900 MB`, or `2 × 900 MB` for two processes."""
        megabytes = self.cost.megabytes
        each = f"{megabytes:,.0f} MB" if megabytes < 10_000 else f"{megabytes / 1000:,.0f} GB"
        n = self.recipe.train.processes
        return f"{n} × {each}" if n > 1 else each

    @property
    def prediction(self) -> str:
        """A sentence, `Expected BLEU on held-out pairs: 20 to 31 after 10 min, measured in 3 runs ...`, with its
        caveats.
        """
        found = self.expected
        if found is None:
            return self.why_none
        is_short = found.reach < NEARLY * (self.cost.seconds - STARTUP_SECONDS)
        after = duration(found.reach if is_short else self.cost.seconds)
        if is_short:
            after += " (our longest run on such a dataset; a longer one may score higher)"
        n = len(found.runs)
        presets = " and ".join(dict.fromkeys(run.preset for run in found.runs))
        basis = f"measured in {n} run{'s' * (n > 1)} with {presets} on {found.like}"
        interval = f"{found.low:.0f} to {found.high:.0f} after {after}"
        return " ".join((f"Expected BLEU on held-out pairs: {interval}, {basis}.", *found.caveats))

    def rates(self) -> tuple[NDArray[np.int64], list[float]]:
        """The schedule: at most a few hundred steps, the end of warmup among them, with their learning rates."""
        train = self.recipe.train
        steps = np.unique(np.linspace(1, train.steps, SCHEDULE_POINTS).round().astype(int))
        if 0 < train.warmup_steps <= train.steps:
            steps = np.union1d(steps, [train.warmup_steps])
        return steps, [learning_rate(int(step), train) for step in steps]


FINDINGS = (Finding(lambda found: True, "{prediction}"),)


@dataclass(frozen=True)
class TrainingForecast(Question[ForecastedTraining]):
    """A forecast of a training: of a dataset, by its SPEC, with a preset and its changed settings as JSON."""

    dataset: str = subject("dataset", in_set=False)
    preset: str = setting("small", PRESETS.__contains__, help="A preset's name.", in_set=False)
    settings: str = setting("{}", help="Changed settings of the recipe as JSON.", in_set=False)
    init_from: str = setting(
        "", help="RUN or RUN@STEP, whose weights and vocabulary it starts with.", in_set=False
    )

    def ask(self, have: Have) -> ForecastedTraining:
        """Forecast. Raises UserError for a dataset or a run that cannot be read, and for settings that do not fit
        together.
        """
        if not self.dataset:
            raise UserError(f"`{self.name}` is asked of a dataset; give its SPEC as `dataset`.")
        asked = changed_recipe(self.preset, self.settings)
        preview = have.preview(self.dataset)
        left = preview.within(asked.data.clean.max_words)
        calibration = have.throughput()
        free = free_memory("cuda" if torch.cuda.is_available() else "cpu")
        # the sizes of a run that initializes it stay
        sized_by = "" if self.init_from else self.preset
        recipe = within_minutes(asked, sized_by, left, calibration, free=free)
        cost = forecast(recipe, preview, calibration, sizes=self._vocab_sizes())
        expected = None
        why_none = INITIALIZED
        if not self.init_from:
            expected = predict_quality(asked, self.preset, left, cost)
            why_none = "" if expected else why_no_prediction(asked, self.preset, left, cost)
        name = have.dataset_name(self.dataset)
        return ForecastedTraining(name, self.preset, recipe, cost, expected, why_none)

    def _vocab_sizes(self) -> tuple[int, int] | None:
        if not self.init_from:
            return None
        src, tgt = initialization.parse_checkpoint(self.init_from).tokenizers()
        return src.vocab_size, tgt.vocab_size

    def stamp(self, have: Have) -> Hashable:
        """What the key has beside the fields: dataset and run as the asker may read them, and how fast runs trained
        here.
        """
        origin = str(initialization.parse_checkpoint(self.init_from)) if self.init_from else ""
        return have.dataset_state(self.dataset), origin, have.throughput()

    def table(self, answer: ForecastedTraining) -> Table:
        """A table of the costs."""
        cost = answer.cost
        rows = [
            ["parameters", cost.parameters],
            ["source vocabulary", cost.src_vocab_size],
            ["target vocabulary", cost.tgt_vocab_size],
            ["steps", cost.steps],
            ["epochs", cost.epochs],
            ["seconds", cost.seconds],
            ["megabytes of each process", cost.megabytes],
            ["FLOPs", cost.flops],
        ]
        return Table(("of the training", "number"), rows)

    def finding(self, answer: ForecastedTraining) -> str:
        """A sentence on the BLEU to expect, or on why none is."""
        return first(FINDINGS, answer)
