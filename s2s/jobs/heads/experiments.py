"""What can be measured of heads over many sentences, one row each."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import Config, Recipe
from s2s.data import Pair
from s2s.jobs.heads import ablation, alignment, importance, roles, roles_history
from s2s.runs import Run

# Yields the share that is done, 0 to 1; what it returns is written as JSON.
Measuring = Generator[float, None, dict[str, Any]]


class Experiment(NamedTuple):
    """A measurement of heads over sentences.

    For the forecast, its cost per sentence: `passes`, forward passes, and `seconds` besides, whatever the model's size.
    """

    label: str
    settings: type[Config]
    measure: Callable[[Run, Sequence[Pair], Any], Measuring]
    passes: Callable[[Recipe, Any], float]
    has_texts: bool = False  # whether its result quotes sentences
    seconds: Callable[[Recipe], float] = lambda recipe: 0.0


# A slug is part of a result's name: if you rename one, results are measured again.
EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(
    {
        "roles": Experiment(
            "Roles", roles.RolesSettings, roles.measure, lambda recipe, settings: 3.0
        ),
        "roles-history": Experiment(
            "Roles over training",
            roles_history.RolesHistorySettings,
            roles_history.measure,
            roles_history.passes,
        ),
        "importance": Experiment(
            "Importance", importance.ImportanceSettings, importance.measure, importance.passes
        ),
        "ablation": Experiment(
            "Ablation",
            ablation.AblationSettings,
            ablation.measure,
            ablation.passes,
            has_texts=True,
        ),
        "means": Experiment(
            "Mean outputs",
            ablation.MeansSettings,
            ablation.measure_means,
            lambda recipe, settings: 1.0,
        ),
        "alignment": Experiment(
            "Alignment",
            alignment.AlignmentSettings,
            alignment.measure,
            lambda recipe, settings: alignment.PASSES,
            seconds=alignment.seconds,
        ),
    }
)
