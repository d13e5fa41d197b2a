"""What may be done to a run while it trains, and after: the buttons of the Train page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from s2s import settings
from s2s.config import Recipe, UserError
from s2s.jobs import board
from s2s.runs import Curves, RunSummary
from s2s.train.schedules import learning_rate
from s2s.ui.kit import cached, forms
from s2s.ui.kit.queueing import queue_resume
from s2s.ui.kit.text import as_markdown
from s2s.ui.shell.pages import page_link

REFUSED = "refused act"
LR = "train.lr"


def buttons(row: RunSummary, curves: Curves) -> None:
    """One row: what the run's state allows."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if row.is_live and row.is_stopping:
            st.button(
                "Stopping …",
                icon=":material/stop:",
                key="stop",
                disabled=True,
                help="It saves a checkpoint, then it stops.",
            )
        elif row.is_live:
            _while_it_trains(row, curves)
        elif row.state in ("stopped", "interrupted", "failed"):
            again = "Resume" if row.checkpoints or row.state != "failed" else "Start again"
            _button(again, ":material/play_arrow:", "resume", row.id, is_first=True)
            if row.checkpoints or row.state == "failed":
                _more(row, f"{again} otherwise", (row.checkpoints or (0,))[-1] + 1, row.steps)
        elif row.state == "done":
            _more(row, "Continue", row.steps + 1, 2 * row.steps)
        if row.checkpoints:
            page_link("compare", "Translate with it")
            page_link("attention", "Look inside")
    if refused := st.session_state.pop(REFUSED, None):
        forms.show_error(refused)


def _while_it_trains(row: RunSummary, curves: Curves) -> None:
    if row.state == "running" and row.is_paused:
        _button("Continue", ":material/play_arrow:", "carry on", row.id, is_first=True)
        _button(
            "One step",
            ":material/skip_next:",
            "one step",
            row.id,
            help="One update, then it waits again.",
        )
    elif row.state == "running":
        _button(
            "Pause",
            ":material/pause:",
            "pause",
            row.id,
            help="It waits where it is until you let it go on.",
        )
    _button("Stop", ":material/stop:", "stop", row.id, help="Saves a checkpoint first.")
    if row.state == "running" and (recipe := cached.recipe(row.id)):
        _rate(row, recipe, curves)


def _button(
    label: str,
    icon: str,
    what: str,
    run_id: str,
    *,
    is_first: bool = False,
    help: str | None = None,
) -> None:
    kind = "primary" if is_first else "secondary"
    st.button(label, icon=icon, key=what, on_click=act, args=(what, run_id), type=kind, help=help)  # type: ignore[arg-type]


def _rate(row: RunSummary, recipe: Recipe, curves: Curves) -> None:
    """The learning rate's peak: now, with another value, and what it was before."""
    history = changes(row.id)
    now = peak(recipe, history)
    with st.popover("Learning rate", icon=":material/tune:"):
        wanted = _wanted(row.id, recipe, now)
        st.caption(as_markdown(rates(recipe, curves.step + 1, now, wanted)))
        button = "Use it from the next step"
        st.button(
            button,
            key="change lr",
            on_click=act,
            args=("change lr", row.id),
            type="primary",
            disabled=wanted == now,
        )
        if history:
            st.caption(
                "Changed so far:  \n"
                + "  \n".join(as_markdown(told(change)) for change in reversed(history))
            )


def _wanted(run_id: str, recipe: Recipe, now: float) -> float:
    """The peak rate as the widget has it."""
    key = _rate_key(run_id)
    forms.inputs(replace(recipe, train=replace(recipe.train, lr=now)), [LR], key.removesuffix(LR))
    held = st.session_state.get(key)
    return now if held is None else float(held)


def changes(run_id: str) -> list[Mapping[str, Any]]:
    """What was changed after the run was asked for: `step`, `time`, and `lr` or `steps`."""
    return [
        change
        for change in cached.metadata(run_id).get("changes") or []
        if {"step", "time"} <= change.keys()
    ]


def _rate_key(run_id: str) -> str:
    return f"steer {run_id} {LR}"


def peak(recipe: Recipe, history: Sequence[Mapping[str, Any]]) -> float:
    """The schedule's highest rate as it stands: the recipe's, or what it was changed to."""
    return next(
        (float(change["lr"]) for change in reversed(history) if "lr" in change), recipe.train.lr
    )


def told(change: Mapping[str, Any]) -> str:
    """A change in a line."""
    what = ", ".join(
        f"`train.{key}` {change[key]:{form}}"
        for key, form in (("lr", "g"), ("steps", ","))
        if key in change
    )
    return f"{what} from step {change['step']:,} ({str(change['time'])[:16].replace('T', ' ')} UTC)"


def rates(recipe: Recipe, step: int, now: float, wanted: float) -> str:
    """What the schedule makes of a peak at a step, in a sentence."""
    train = recipe.train
    follows = f"{train.schedule} schedule" + (
        f" after {train.warmup_steps:,} steps of warm-up" if train.warmup_steps else ""
    )
    usual = f"`{LR}` is the highest rate of the {follows}. At step {step:,} it gives {learning_rate(step, train, now):.2e}"
    return usual + (
        f"; with {wanted:g} it would give {learning_rate(step, train, wanted):.2e}."
        if wanted != now
        else "."
    )


def _more(row: RunSummary, label: str, least: int, usual: int) -> None:
    """A run that has ended can go on to another step, and with another learning rate."""
    with st.popover(label, icon=":material/fast_forward:"):
        steps = st.number_input("To step", min_value=least, value=max(least, usual), key="to step")
        if recipe := cached.recipe(row.id):
            wanted = _wanted(row.id, recipe, peak(recipe, changes(row.id)))
            st.caption(as_markdown(drawn_anew(recipe, row.step + 1, int(steps), wanted)))
        st.button("Go on", key="go on", on_click=act, args=("continue", row.id), type="primary")


def drawn_anew(recipe: Recipe, step: int, steps: int, now: float) -> str:
    """What more steps make of the learning rate, in a sentence."""
    train = replace(recipe.train, steps=steps)
    rate = f"step {step:,} starts at a rate of {learning_rate(step, train, now):.2e}"
    if train.schedule == "cosine" and steps != recipe.train.steps:
        return f"The cosine schedule is drawn anew to the new last step, so the rate jumps up again: {rate}."
    return f"The {train.schedule} schedule goes on as it was: {rate}."


def act(what: str, run_id: str) -> None:
    """What a button asks for; a refusal, where somebody else was faster say, stands under the buttons."""
    try:
        _do(what, run_id)
    except UserError as wrong:
        st.session_state[REFUSED] = wrong
    cached.refresh_runs()


def _new_rate(run_id: str) -> float | None:
    """None where it stays as it was."""
    held = st.session_state.get(_rate_key(run_id))
    recipe = cached.recipe(run_id)
    return (
        float(held)
        if held is not None and recipe and float(held) != peak(recipe, changes(run_id))
        else None
    )


def _do(what: str, run_id: str) -> None:
    match what:
        case "pause":
            board.pause(run_id, settings.OWNER)
        case "carry on":
            board.go_on(run_id, settings.OWNER)
        case "one step":
            board.step(run_id, settings.OWNER)
        case "change lr":
            board.change_lr(run_id, settings.OWNER, float(st.session_state[_rate_key(run_id)]))
        case "stop":
            board.stop(run_id, settings.OWNER)
        case "resume" | "continue":
            more = (
                (int(st.session_state["to step"]), _new_rate(run_id)) if what == "continue" else ()
            )
            queue_resume(run_id, *more)
        case _:
            raise ValueError(f"nobody can do {what} to a run")
