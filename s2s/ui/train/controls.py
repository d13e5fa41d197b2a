"""The controls of a run: pause, step, stop, change the learning rate, resume, continue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from s2s.config import Recipe, UserError, asker
from s2s.jobs import run_service
from s2s.links import share
from s2s.questions import SamplesOverTraining
from s2s.runs import Curves, RunSummary
from s2s.training import Planned, learning_rate
from s2s.ui.kit import as_markdown, cached, forms
from s2s.ui.kit.queueing import queue_resume
from s2s.ui.kit.recipe_link import recipe_of_run
from s2s.ui.shell import page_link

REFUSED = "refused act"  # in the session: why the last click was refused
LR = "train.lr"


class RatePlan(NamedTuple):
    """The last step, the peak and the planned changes on which a learning rate depends."""

    steps: int  # the last one
    peak: float
    plan: Sequence[Planned] = ()  # of a time budget


def buttons(row: RunSummary, curves: Curves) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="controls-run"):
        if row.checkpoints and not row.is_live:
            _links(row)
        if row.is_live and row.is_stopping:
            st.button(
                "Stopping …",
                icon=":material/stop:",
                key="stop",
                disabled=True,
                help="It saves a checkpoint, then it stops. Resume continues from there.",
            )
        elif row.is_live:
            _while_training(row, curves)
        elif row.state in ("stopped", "interrupted", "failed"):
            again = "Resume" if row.checkpoints or row.state != "failed" else "Start again"
            _button(again, ":material/play_arrow:", "resume", row.id, is_first=True)
            if row.checkpoints:
                _continuation(row, f"{again} with changes", row.steps)
            elif packed := recipe_of_run(row.id)[0]:
                page_link("train", "Change its settings", icon=":material/edit:", set=packed)
        elif row.state == "done" and not row.imported:
            _continuation(row, "Continue", _more(row) if row.ended else 2 * row.steps)
        if row.checkpoints and row.is_live:
            _links(row)
    if refused := st.session_state.pop(REFUSED, None):
        forms.show_error(refused)


def _links(row: RunSummary) -> None:
    newest = row.checkpoints[-1]
    translated = cached.SCREEN.answer(SamplesOverTraining(row.id)).rows
    sentence = {"src": translated[0].source} if translated else {}
    best = row.best_step if row.best_step in row.checkpoints else newest
    for step, name in {newest: "", **({best: "best, "} if best != newest else {})}.items():
        label = f"Translate ({name}step {step:,})"
        page_link("compare", label, c1=str(share.Column(row.id, str(step))), **sentence)
    page_link("attention", f"Inspect attention (step {newest:,})", step=str(newest))


def _while_training(row: RunSummary, curves: Curves) -> None:
    if row.state == "running" and row.is_paused:
        _button("Continue", ":material/play_arrow:", "carry on", row.id, is_first=True)
        _button(
            "One step",
            ":material/skip_next:",
            "one step",
            row.id,
            help="One update of the weights, then it pauses again.",
        )
    elif row.state == "running":
        _button(
            "Pause",
            ":material/pause:",
            "pause",
            row.id,
            help="Waits at the current step until you continue.",
        )
    _stop(row)
    if row.state == "running" and (recipe := cached.recipe(row.id)):
        _learning_rate(row, recipe, curves)


def _stop(row: RunSummary) -> None:
    with st.popover("Stop", icon=":material/stop:"):
        if row.state == "queued":
            st.write("It leaves the queue. Resume puts it back.")
        else:
            st.write("It saves a checkpoint first. Resume continues from there, at any time.")
        _button("Stop this run", ":material/stop:", "stop", row.id, is_first=True)


def _button(
    label: str,
    icon: str,
    what: str,
    run_id: str,
    *,
    is_first: bool = False,
    help: str | None = None,
) -> None:
    st.button(
        label,
        icon=icon,
        key=what,
        on_click=act,
        args=(what, run_id),
        type="primary" if is_first else "secondary",
        help=help,
    )


def _learning_rate(row: RunSummary, recipe: Recipe, curves: Curves) -> None:
    history = changes(row.id)
    current = peak(recipe, history)
    with st.popover("Learning rate", icon=":material/tune:"):
        wanted = _input(_live_rate(row.id), recipe, current)
        rates = partial(learning_rate, curves.step + 1, recipe.train, plan=_plan(row.id, recipe))
        st.caption(as_markdown(rate_preview(recipe, curves.step + 1, current, wanted, rates)))
        st.button(
            "Apply from the next step",
            key="change lr",
            on_click=act,
            args=("change lr", row.id),
            type="primary",
            disabled=wanted == current,
        )
        if history:
            lines = [as_markdown(describe(change)) for change in reversed(history)]
            st.caption("Changes so far:  \n" + "  \n".join(lines))


def _input(key: str, recipe: Recipe, current: float) -> float:
    config = replace(recipe, train=replace(recipe.train, lr=current))
    forms.restart(config, key.removesuffix(LR), [LR])
    forms.inputs(config, [LR], key.removesuffix(LR))
    value = st.session_state.get(key)
    return current if value is None else float(value)


def changes(run_id: str) -> list[Mapping[str, Any]]:
    """The changes made after the run was submitted, each with `step`, `time`, and `lr` or `steps`."""
    return [
        change
        for change in cached.metadata(run_id).get("changes") or []
        if {"step", "time"} <= change.keys()
    ]


def _plan(run_id: str, recipe: Recipe) -> list[Planned]:
    if recipe.train.minutes is None:
        return []
    return [Planned(**each) for each in cached.metadata(run_id).get("plan") or []]


def _live_rate(run_id: str) -> str:
    return f"control {run_id} {LR}"


def _next_rate(run_id: str) -> str:
    return f"continue {run_id} {LR}"


def peak(recipe: Recipe, history: Sequence[Mapping[str, Any]]) -> float:
    """The highest learning rate of the schedule: the last change, else the recipe's."""
    rates = (float(change["lr"]) for change in reversed(history) if "lr" in change)
    return next(rates, recipe.train.lr)


def describe(change: Mapping[str, Any]) -> str:
    """A change of a run in one line."""
    formats = {"lr": "g", "steps": ","}
    values = ", ".join(
        f"`train.{key}` {change[key]:{form}}" for key, form in formats.items() if key in change
    )
    time = str(change["time"])[:16].replace("T", " ")
    return f"{values} from step {change['step']:,} ({time} UTC)"


def rate_preview(
    recipe: Recipe, step: int, current: float, wanted: float, rates: Callable[[float], float]
) -> str:
    """The learning rate at a step under the current peak and under another one, in a sentence; `rates` is the rate by
    peak.
    """
    train = recipe.train
    schedule = f"{train.schedule} schedule"
    if train.warmup_steps:
        schedule += f" after {train.warmup_steps:,} warmup steps"
    now = f"{rates(current):.2e}"
    sentence = (
        f"`{LR}` is the highest learning rate of the {schedule}. At step {step:,} it gives {now}"
    )
    if wanted == current:
        return f"{sentence}."
    return f"{sentence}; with {wanted:g} it would give {rates(wanted):.2e}."


def _continuation(row: RunSummary, label: str, default: int) -> None:
    first = (row.checkpoints or (0,))[-1] + 1  # training continues from its newest checkpoint
    with st.popover(label, icon=":material/fast_forward:"):
        steps = st.number_input(
            "Last step", min_value=first, value=max(first, default), key=_last_step(row.id)
        )
        if recipe := cached.recipe(row.id):
            plan = _plan(row.id, recipe)
            before = RatePlan(recipe.train.steps, peak(recipe, changes(row.id)), plan)
            wanted = _input(_next_rate(row.id), recipe, before.peak)
            kept = plan if _more_steps(row, int(steps)) is None else []
            sentence = schedule_preview(recipe, first, before, RatePlan(int(steps), wanted, kept))
            if recipe.train.minutes is not None:
                ends = "ends" if _more_steps(row, int(steps)) else "would end"
                sentence += f" Another last step {ends} its time budget."
            st.caption(as_markdown(sentence))
        st.button("Continue", key="go on", on_click=act, args=("continue", row.id), type="primary")


def _more(row: RunSummary) -> int:
    recipe = cached.recipe(row.id)
    plan = _plan(row.id, recipe) if recipe else []
    return plan[0].steps if plan else row.steps


def _more_steps(row: RunSummary, steps: int) -> int | None:
    return steps if steps != row.steps or row.state == "done" else None


def schedule_preview(recipe: Recipe, step: int, before: RatePlan, after: RatePlan) -> str:
    """What another last step or peak does to the learning rate of `step`, in a sentence."""
    old, new = (
        learning_rate(step, replace(recipe.train, steps=each.steps), each.peak, each.plan)
        for each in (before, after)
    )
    schedule = f"The {recipe.train.schedule} schedule"
    rate = f"step {step:,} starts at a learning rate of {new:.2e}"
    depends_on_last = recipe.train.schedule == "cosine" and not after.plan
    if after.plan != before.plan or (depends_on_last and after.steps != before.steps):
        schedule += " is recomputed for the new last step"
    elif after.peak != before.peak:
        schedule += " continues with the new peak"
    else:
        return f"{schedule} continues unchanged: {rate}."
    if f"{new:.2e}" == f"{old:.2e}":
        return f"{schedule}, and the rate stays the same: {rate}."
    return f"{schedule}, so the rate {'jumps up' if new > old else 'drops'}: {rate}."


def act(what: str, run_id: str) -> None:
    """Carry out a button's action; show a refusal below the buttons."""
    try:
        _do(what, run_id)
    except UserError as wrong:
        st.session_state[REFUSED] = wrong
    cached.refresh_runs()


def _last_step(run_id: str) -> str:
    return f"to step {run_id}"


def _new_rate(run_id: str) -> float | None:
    value = st.session_state.get(_next_rate(run_id))
    recipe = cached.recipe(run_id)
    if value is None or not recipe or float(value) == peak(recipe, changes(run_id)):
        return None
    return float(value)


def _do(what: str, run_id: str) -> None:
    match what:
        case "pause":
            run_service.pause(run_id, asker.current())
        case "carry on":
            run_service.unpause(run_id, asker.current())
        case "one step":
            run_service.step_once(run_id, asker.current())
        case "change lr":
            run_service.change_lr(
                run_id, asker.current(), float(st.session_state[_live_rate(run_id)])
            )
        case "stop":
            run_service.stop(run_id, asker.current())
        case "resume":
            queue_resume(run_id)
        case "continue":
            row = run_service.find(run_id, asker.current())
            steps = _more_steps(row, int(st.session_state[_last_step(run_id)]))
            queue_resume(run_id, steps, _new_rate(run_id))
        case _:
            raise ValueError(f"there is no action {what} on a run")
