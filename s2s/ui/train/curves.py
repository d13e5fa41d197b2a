"""The picture of a training: which numbers, of which runs, how drawn. The choices stay in the session; a link holds the run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.config import Recipe
from s2s.plots import Curve, CurveOptions, StepMark
from s2s.runs import Curves
from s2s.ui.kit import cached
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import as_markdown, unique_names
from s2s.ui.kit.validation_pairs import worded_for
from s2s.ui.train import numbers

MOST_RUNS = 6  # as many dashes and markers as one tells apart
LEAST_STEPS = 20  # on the slider
TRAIN = "steps"
VALID = "valid_steps"


class Quantity(NamedTuple):
    """Something that is logged by step, and how to read its curve."""

    label: str
    axis: str  # with its unit
    curves: Mapping[
        str, tuple[str, str]
    ]  # from a name to the fields of `Curves` that hold steps and values
    reading: str
    scale: float = 1.0  # what is drawn for a logged 1
    is_score: bool = False  # of translations, from the first validation after step 0 on


QUANTITIES: Mapping[str, Quantity] = MappingProxyType(
    {
        "loss": Quantity(
            "Loss",
            "loss (nats a token)",
            {"training": (TRAIN, "loss"), "validation": (VALID, "valid_loss")},
            plots.PLOTS["curves"].caption,
        ),
        "accuracy": Quantity(
            "Accuracy",
            "token accuracy (%)",
            {"accuracy": (VALID, "valid_token_accuracy")},
            "Held-out tokens that the model ranks first, given those before; higher is better.",
            100.0,
        ),
        "bleu": Quantity(
            "BLEU",
            "BLEU (0 to 100)",
            {"BLEU": (VALID, "valid_bleu")},
            "How many words and word groups greedy translations of some held-out pairs share with their references; higher is better.",
            is_score=True,
        ),
        "chrf": Quantity(
            "chrF",
            "chrF (0 to 100)",
            {"chrF": (VALID, "valid_chrf")},
            "The same for groups of letters: it sees sense emerge before BLEU does; higher is better.",
            is_score=True,
        ),
        "lr": Quantity(
            "Learning rate",
            "learning rate",
            {"learning rate": (TRAIN, "rates")},
            "How far each step moves the weights: up in the warm-up, then along the schedule.",
        ),
        "grad_norm": Quantity(
            "Gradient norm",
            "gradient norm",
            {"gradient norm": (TRAIN, "grad_norms")},
            "How steep the loss is, before clipping; where it climbs and stays up, a lower learning rate helps.",
        ),
        "speed": Quantity(
            "Tokens/s",
            "tokens a second",
            {"tokens/s": (TRAIN, "speeds")},
            "Source and target tokens that an update learns from in a second; validation and saving are not in it.",
        ),
        "memory": Quantity(
            "Memory",
            "memory (MB)",
            {"memory": (VALID, "valid_memory")},
            "What the training process holds in memory; where it keeps climbing, it will run out.",
            1e-6,
        ),
    }
)


def picture(run_id: str, curves: Curves) -> None:
    """Curves of a run, and of others beside it."""
    with st.container(key="curves"):
        quantity = QUANTITIES[_chosen_quantity()]
        place = st.container()
        others = _others(run_id)
        runs = {run_id: curves} | {other: cached.curves(other) for other in others}
        look = _look(run_id, max(each.step for each in runs.values()))
        lines = _lines(quantity, runs)
        marks = _marks(curves, cached.metadata(run_id))
        due = [
            awaited(cached.recipe(key), each) if quantity.is_score else ""
            for key, each in runs.items()
        ]
        shown = f"{cached.title(run_id)} · {quantity.axis.partition(' (')[0]} by step"
        with place:
            nothing = {"nothing": due[0].replace("`", "")} if len(due) == 1 and due[0] else {}
            figure = plots.curves(
                lines, title=shown, up=quantity.axis, look=look, marks=marks, **nothing
            )
            chart(figure, alt=f"{shown}{_last(lines)}", file_name=file_name(shown))
            reading = worded_for(run_id, quantity.reading) + (
                numbers.SHORT if quantity.is_score and numbers.is_short(curves) else ""
            )
            st.caption(as_markdown(f"{reading}{_missing(lines, look, due)}"))
        file = f"{file_name(shown)}.csv"
        st.download_button(
            "Numbers (CSV)",
            partial(table, lines, look),
            file,
            "text/csv",
            on_click="ignore",
            icon=":material/download:",
        )


def _chosen_quantity() -> str:
    names = {key: row.label for key, row in QUANTITIES.items()}
    shown = st.segmented_control(
        "Curve",
        list(names),
        format_func=names.__getitem__,
        default="loss",
        required=True,
        key="curve of",
        label_visibility="collapsed",
        persist_state="session",
    )
    return shown or "loss"


def _others(run_id: str) -> list[str]:
    """The runs drawn beside this one."""
    titles = cached.titles()
    rows = cached.runs()
    names = unique_names(
        {
            key: titles[key]
            for key, row in rows.items()
            if key in titles and key != run_id and (row is None or row.step)
        }
    )
    held = st.session_state.get("curve runs", [])
    if (
        not set(held) <= names.keys()
    ):  # one was deleted meanwhile, or is the one that is watched now
        st.session_state["curve runs"] = [key for key in held if key in names]
    return st.multiselect(
        "Beside it",
        list(names),
        format_func=names.__getitem__,
        max_selections=MOST_RUNS - 1,
        key="curve runs",
        placeholder="other runs",
        persist_state="session",
        help="Their curves in the same picture, by step; each run has a colour, a dash and a marker of its own.",
    )


def _look(run_id: str, last: int) -> CurveOptions:
    """Smoothing, stretch and axes."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stretch = _stretch(run_id, last)
        smoothing = st.slider(
            "Smoothing",
            0.0,
            0.99,
            0.0,
            0.01,
            key="curve smoothing",
            persist_state="session",
            width=220,
            help="An exponential moving average of the training curve, over the points drawn: 0.9 keeps nine tenths of what was and adds"
            " a tenth of what is. The curve itself stays behind it, faint; validation is never smoothed.",
        )
        is_log_x = st.toggle(
            "log steps",
            key="curve log x",
            persist_state="session",
            help="Each tenfold of steps has the same width.",
        )
        is_log_y = st.toggle(
            "log scale",
            key="curve log y",
            persist_state="session",
            help="Each tenfold upwards has the same height.",
        )
    return CurveOptions(smoothing, stretch, is_log_x, is_log_y)


def _stretch(run_id: str, last: int) -> tuple[float, float] | None:
    """The steps between two handles; None for all of them. A handle at the right end goes on with the run."""
    key = "curve steps"
    known = "curve end"
    end = rounded(last)
    before = st.session_state.get(known)
    if before != (run_id, end):
        low, high = st.session_state.get(key, (0, end))
        is_same_run = before is not None and before[0] == run_id
        is_open = before is None or high >= before[1]
        st.session_state[key] = (
            (low, end if is_open else min(high, end)) if is_same_run and low < end else (0, end)
        )
        st.session_state[known] = (run_id, end)
    low, high = st.slider(
        "Steps shown",
        0,
        end,
        (0, end),
        step=max(1, end // 500),
        key=key,
        persist_state="session",
        width=300,
        help="Draw the handles together to look at a stretch closely; it stays while the run goes on.",
    )
    st.button(
        "Whole run",
        key="curve whole",
        disabled=(low, high) == (0, end),
        on_click=_show_all,
        args=(key, end),
    )
    if (low, high) == (0, end):
        return None
    return float(low), float(high if high < end else max(low + 1, last))


def _show_all(key: str, end: int) -> None:
    st.session_state[key] = (0, end)


def rounded(last: int) -> int:
    """The next of 20, 50, 100, 200, 500 …: the slider's end, which must not move with every step."""
    last = max(last, LEAST_STEPS)
    unit = 10 ** math.floor(math.log10(last))
    return next(int(factor * unit) for factor in (1, 2, 5, 10) if factor * unit >= last)


def _lines(quantity: Quantity, runs: Mapping[str, Curves]) -> list[Curve]:
    """A curve for each run and each name; the run is named where there are several."""
    titles = unique_names({key: cached.title(key) for key in runs})
    return [
        Curve(
            _name(titles[key] if len(runs) > 1 else "", name if len(quantity.curves) > 1 else ""),
            getattr(curves, steps),
            getattr(curves, values) * quantity.scale,
            run=i,
            is_held_out=steps == VALID,
        )
        for i, (key, curves) in enumerate(runs.items())
        for name, (steps, values) in quantity.curves.items()
    ]


def _name(title: str, name: str) -> str:
    return " · ".join(filter(None, [title, name])) or "this run"


def _marks(curves: Curves, about: Mapping[str, Any]) -> list[StepMark]:
    """Other rates and last steps, those of one step together: their names would stand on each other."""
    found = [(change.step, f"train.lr {change.lr:g}") for change in curves.changes]
    changes = about.get("changes")
    rows = (
        [each for each in changes if isinstance(each, Mapping)] if isinstance(changes, list) else []
    )
    longer = [(each.get("step"), each.get("steps")) for each in rows]
    found += [
        (step, f"to step {steps:,}")
        for step, steps in longer
        if isinstance(step, int) and isinstance(steps, int)
    ]
    return [
        StepMark(step, ", ".join(label for at, label in found if at == step))
        for step in sorted({step for step, _ in found})
    ]


def awaited(recipe: Recipe | None, curves: Curves) -> str:
    """When the first BLEU comes, in a sentence; empty where it came, or is not known to come."""
    if recipe is None or numbers.newest(curves.valid_bleu) is not None:
        return ""
    if not recipe.train.watch.scores:
        return "BLEU and chrF are switched off: `train.watch.scores` is 0."
    every = recipe.train.watch.validate_every
    is_late = bool((curves.valid_steps > 0).any()) or curves.step >= recipe.train.steps
    return (
        ""
        if is_late
        else f"The first score comes at step {min((curves.step // every + 1) * every, recipe.train.steps):,}."
    )


def _missing(lines: Sequence[Curve], look: CurveOptions, due: Sequence[str]) -> str:
    """Which of the curves asked for are not to be seen, and why; `due` says of each run when its first number comes."""
    empty = [line for line in lines if not len(plots.curve_points(line, look).steps)]
    never = [line for line in empty if not len(plots.curve_points(line, CurveOptions()).steps)]
    soon = [(line.name, due[line.run]) for line in never if due[line.run]]
    said = (
        "".join(f" {name}: {sentence}" for name, sentence in soon) if len(due) > 1 else ""
    )  # of one alone the picture says it
    if len(empty) == len(lines):
        return said
    lost = [line.name for line in never if not due[line.run]]
    outside = [line.name for line in empty if line not in never]
    whys = (("Not logged", lost), ("Not in these steps", outside))
    return said + "".join(f" {what}: {', '.join(names)}." for what, names in whys if names)


def _last(lines: Sequence[Curve]) -> str:
    """What somebody hears who does not see the picture."""
    found = [(line, plots.curve_points(line, CurveOptions())) for line in lines]
    newest = [
        f"{line.name} {values[-1]:.4g} at step {steps[-1]:,.0f}"
        for line, (steps, values, _) in found
        if len(steps)
    ]
    return f": {'; '.join(newest)}" if newest else ""


def table(lines: Sequence[Curve], look: CurveOptions) -> str:
    """The points that are drawn, a row each."""
    frames = []
    for line in lines:
        steps, values, smoothed = plots.curve_points(line, look)
        frame = pd.DataFrame({"curve": line.name, "step": steps.astype(int), "value": values})
        frames.append(frame.assign(smoothed=smoothed) if look.smoothing else frame)
    return str(pd.concat(frames).to_csv(index=False))
