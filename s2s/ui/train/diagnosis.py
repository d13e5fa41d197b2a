"""What went wrong with a run whose loss rose instead of falling, and the cure, in a sentence."""

from __future__ import annotations

import streamlit as st

from s2s.config import Recipe
from s2s.jobs import suitable_lr, written
from s2s.runs import Curves, RunSummary, diverged_at, has_diverged
from s2s.ui.kit import as_markdown, cached
from s2s.ui.train.metrics import newest

MUCH_LOWER = 10.0  # times lower than a learning rate that diverged


def panel(run_id: str, row: RunSummary | None, curves: Curves) -> None:
    """Draw what happened to a diverged run and what to do; nothing for a run that learns."""
    at = diverged_at(curves)
    recipe = cached.recipe(run_id)
    if at is None or recipe is None or (row and row.error):
        return
    is_live = row is not None and row.is_live
    rates = [change.lr for change in curves.changes if change.step <= at]
    lr = rates[-1] if rates else recipe.train.lr
    cure = remedy(recipe, row.preset if row else "", lr, is_live=is_live)
    sentence = as_markdown(f"{diagnosis(curves, at)} {cure}")
    if has_diverged(curves):
        st.error(sentence, icon=":material/trending_up:")
    else:
        st.warning(sentence, icon=":material/trending_up:")


def diagnosis(curves: Curves, at: int) -> str:
    """What happened to a run that diverged at the validation of this step."""
    losses = dict(zip(curves.valid_steps.tolist(), curves.valid_loss.tolist(), strict=True))
    before = f"more than the {losses[0]:.3g} before training"
    if has_diverged(curves):
        loss = f"its validation loss is {newest(curves.valid_loss):.3g} nats per token"
        return (
            f"This run diverged at step {at:,}: {loss}, {before}, so its translations mean nothing."
        )
    back = (
        f"It fell to {newest(curves.valid_loss):.3g} later, but such a run usually ends worse than"
        " one whose loss never rises."
    )
    return f"This run diverged at step {at:,}: its validation loss rose to {losses[at]:.3g}, {before}. {back}"


def remedy(recipe: Recipe, preset: str, lr: float, *, is_live: bool) -> str:
    """A sentence on what to do about divergence; `lr` is the peak when it happened."""
    suitable = suitable_lr(recipe, preset)
    lower = suitable if suitable is not None and suitable < lr else lr / MUCH_LOWER
    again = f"train again with a lower one, such as {written(float(f'{lower:.1g}'))}"
    now = "lower it now (Learning rate, below), or stop and " if is_live else ""
    return f"The learning rate is too high (`train.lr` {written(lr)}): {now}{again}."
