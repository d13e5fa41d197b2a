"""What training would cost, and which preset to take."""

from __future__ import annotations

import json

import streamlit as st
import torch

from s2s import settings
from s2s.config import PRESETS, Recipe, UserError
from s2s.data import require_readable
from s2s.jobs import (
    HANDFUL,
    Calibration,
    Forecast,
    Recommendation,
    calibrate,
    initialization,
    recommend,
    training,
    within_minutes,
)
from s2s.jobs import forecast as make_forecast
from s2s.training import free_memory
from s2s.ui.kit.cached.dataset_previews import preview
from s2s.ui.kit.cached.shared import shared
from s2s.ui.kit.recipe_state import DEFAULT_PRESET, FEW_MINUTES


def forecast(spec: str, recipe: Recipe, init_from: str = "") -> Forecast:
    """Time, memory and size of a training run, maybe initialized from another one.

    Raises UserError for a dataset that cannot be read, or an initializing run that is gone.
    """
    require_readable(spec)
    home = str(settings.home())
    sizes = (
        _vocab_sizes(home, str(initialization.parse_checkpoint(init_from))) if init_from else None
    )
    return _forecast(home, spec, json.dumps(recipe.to_json()), throughput(), sizes, recipe)


def planned(order: training.RunRequest) -> Recipe:
    """The recipe with the number of steps that its time budget allows on this dataset."""
    require_readable(order.source)
    recipe = order.recipe
    if recipe.train.minutes is None:
        return recipe
    preset = "" if order.init_from else order.preset  # the sizes of an initializing run stay
    key = (order.source, json.dumps(recipe.to_json()), preset, order.given)
    return _planned(str(settings.home()), key, throughput(), order, preset)


def planned_forecast(order: training.RunRequest) -> Forecast:
    """The forecast of a run, with the number of steps that its time budget allows."""
    return forecast(order.source, planned(order), order.init_from)


@shared(max_entries=64, show_spinner=False)
def _planned(
    home: str, key: object, pace: Calibration, _order: training.RunRequest, _preset: str
) -> Recipe:
    free = free_memory("cuda" if torch.cuda.is_available() else "cpu")
    left = preview(_order.source).within(_order.recipe.data.clean.max_words)
    return within_minutes(_order.recipe, _preset, left, pace, given=_order.given, free=free)


@shared(max_entries=256, show_spinner=False)
def _forecast(
    home: str,
    spec: str,
    recipe_json: str,
    pace: Calibration,
    sizes: tuple[int, int] | None,
    _recipe: Recipe,
) -> Forecast:
    return make_forecast(_recipe, preview(spec), pace, sizes=sizes)


@shared(max_entries=64, show_spinner=False)
def _vocab_sizes(home: str, checkpoint: str) -> tuple[int, int]:
    src, tgt = initialization.parse_checkpoint(checkpoint).tokenizers()
    return src.vocab_size, tgt.vocab_size


def throughput() -> Calibration:
    """Measured speeds of earlier runs on this machine, which calibrate forecasts."""
    return _throughput(str(settings.home()))


@st.cache_resource(ttl=60, max_entries=8, show_spinner=False)
def _throughput(home: str) -> Calibration:
    return calibrate("cuda" if torch.cuda.is_available() else "cpu")


def recommended_preset(spec: str, minutes: float) -> Recommendation:
    """The preset for a dataset and a time budget. Raises UserError for a dataset that cannot be read."""
    require_readable(spec)
    return _recommended_preset(str(settings.home()), spec, minutes, throughput())


@shared(max_entries=64, show_spinner=False)
def _recommended_preset(home: str, spec: str, minutes: float, pace: Calibration) -> Recommendation:
    return recommend(preview(spec), minutes, pace)


def default_minutes(spec: str) -> float | None:
    """How long the form offers to train; None if a preset's few steps suffice."""
    try:
        shown = preview(spec)
    except UserError:  # it cannot be read, which the page says elsewhere
        return FEW_MINUTES
    return None if shown.is_plain or shown.n_pairs < HANDFUL else FEW_MINUTES


def suggested_preset(spec: str, minutes: float | None) -> str:
    """The preset that the form begins with for this dataset and time."""
    try:
        found = recommended_preset(spec, minutes or FEW_MINUTES).preset
        shown = preview(spec)
    except UserError:
        return DEFAULT_PRESET
    is_timed = minutes is not None and PRESETS[found].recipe.train.minutes is not None
    return found if is_timed or shown.is_plain or shown.n_pairs < HANDFUL else DEFAULT_PRESET


def preset_sizes(spec: str) -> dict[str, int]:
    """The parameter count of each preset on a dataset. Raises UserError for one that cannot be read."""
    return {name: forecast(spec, row.recipe).parameters for name, row in PRESETS.items()}
