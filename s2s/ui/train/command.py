"""The command line that trains in a terminal what the form says: here, or with several GPUs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from s2s.config import override
from s2s.jobs import Forecast, initialization, short_count, training
from s2s.links import share
from s2s.ui.kit import cached
from s2s.ui.shell import page_link
from s2s.ui.train.recipe_form import RunRequest

GPUS = 4


def command(request: RunRequest) -> str:
    """The command line that trains the same run."""
    given: dict[str, Any] = {"source": request.source, "preset": request.preset}
    if request.init_from:
        start = initialization.parse_checkpoint(request.init_from)
        given["init_from"] = {"run": request.init_from, "step": start.step}
    return training.command_to_repeat(request.recipe, given, is_planned=False)


def for_several_gpus(request: RunRequest, cost: Forecast) -> None:
    """Draw, for a model that is too large for this computer, how another one could train it."""
    recipe = override(request.recipe, {"train.processes": GPUS, "train.device": "cuda"})
    each = cached.forecast(request.source, recipe, request.init_from).megabytes / 1000
    st.caption(
        f"{short_count(cost.parameters)} parameters are work for GPUs. This command trains them with {GPUS}: each holds"
        f" the whole model, about {each:,.0f} GB, and takes its part of every batch."
    )
    st.code(command(replace(request, recipe=recipe)), language="sh", wrap_lines=True)
    values = share.pack({"model": request.preset, "view": "costs"})
    page_link("architecture", f"What {request.preset} costs", set=values)
