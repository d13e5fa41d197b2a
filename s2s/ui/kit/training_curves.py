"""Training curves of one run or of several: what is drawn, over what, and which pairs validate a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

from s2s.plots import training_view
from s2s.questions import OVER, are_held_out
from s2s.ui.kit import cached
from s2s.ui.kit.state import ViewState
from s2s.words import smoothing_note

MAX_RUNS = 6  # as many markers as can be told apart


def quantity_and_axis(state: ViewState[Any]) -> tuple[str, str]:
    """Draw the choice of a curve and its horizontal axis, and return both: the view's fields `curve` and `over`."""
    quantities = {key: row.label for key, row in training_view.QUANTITIES.items()}
    look = {"default": "loss", "label_visibility": "collapsed"}
    with st.container(horizontal=True, horizontal_alignment="distribute", key="controls-curves"):
        chosen = state.segments("curve", "Curve", quantities, **look)
        look["default"] = "step"
        over = state.segments("over", "Horizontal axis", OVER, **look)
    return chosen, over


def loss_note(runs: Iterable[str], curve: str = "loss") -> str:
    """A note that these losses are without the label smoothing of training."""
    if curve != "loss":
        return ""
    trained = (run for run in runs if not cached.metadata(run).get("imported"))
    recipes = filter(None, map(cached.recipe, trained))
    return smoothing_note(recipe.train.label_smoothing for recipe in recipes)


def worded_for(run_id: str, text: str) -> str:
    """A text about held-out pairs, corrected where a run has none."""
    if are_held_out(run_id) or "held-out" not in text.lower():
        return text
    corrected = text.replace("Held-out", "Training").replace("held-out", "training")
    return f"{corrected} The dataset is too small to hold out any pairs."
