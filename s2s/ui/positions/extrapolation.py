"""Longer than trained: six twins that differ in their positions alone, on lines longer than any they saw. Shipped, or trained here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from s2s import plots, settings, share
from s2s.config import UserError, keys, override
from s2s.demo import twins as shipped
from s2s.jobs import sweep, twins
from s2s.jobs.twins import Reached, Twins
from s2s.plots import LineSeries
from s2s.runs import RunFolder, RunSummary, runs_folder
from s2s.ui.kit import cached, forms
from s2s.ui.kit.queueing import queue_runs
from s2s.ui.kit.text import duration
from s2s.ui.positions import request
from s2s.ui.positions.figures import show_figure
from s2s.ui.positions.request import NAMES, PREFIX, STATE
from s2s.ui.shell.pages import page_link

PULSE = 2.0  # seconds between two looks at twins that train
SCORES = {"digits": "digits in their place (%)", "whole": "lines wholly right (%)"}
CHANCE = {"digits": 10.0, "whole": None}  # per cent: there are ten digits


def show() -> None:
    """The settings, the picture of what is known, and the button that trains."""
    request.keep_sentence()
    asked = _asked()
    names = {score: _score_name(score) for score in SCORES}
    score = STATE.segments("score", "Score", names, label_visibility="collapsed")
    request.write_to_url(asked, keys(Twins))
    is_busy = _is_busy(asked, _own(asked))
    with st.container(border=True):
        st.fragment(_shown, run_every=PULSE if is_busy else None)(asked, score, is_busy)


def _asked() -> Twins:
    """The widgets, each of which takes only what may be."""
    every = keys(Twins)
    with st.grid(4, min_column_width=150):
        forms.inputs(Twins(), every, PREFIX)
    return override(Twins(), forms.changes(Twins(), every, PREFIX))


def _score_name(score: str) -> str:
    return SCORES[score].removesuffix(" (%)")


def _own(asked: Twins) -> dict[str, RunSummary]:
    """The visitor's twins of these settings by their kind, the newest of each."""
    tag = f"{sweep.TAG}{asked.name}"
    found = {}
    for row in reversed(cached.own_runs()):
        if tag in row.tags and (known := cached.recipe(row.id)):
            found[known.model.positions.kind] = row
    return found


def _is_busy(asked: Twins, own: Mapping[str, RunSummary]) -> bool:
    """Whether the page changes by itself: a twin trains, or is done and not tested yet."""
    return any(
        row.is_live or (row.state == "done" and _kept(asked, row) is None) for row in own.values()
    )


def _kept(asked: Twins, row: RunSummary) -> Reached | None:
    return twins.kept(RunFolder(runs_folder() / row.id), asked.task)


def _shown(asked: Twins, score: str, was_busy: bool) -> None:
    """What there is: the visitor's own twins before the shipped ones."""
    own = _own(asked)
    if was_busy != _is_busy(asked, own):
        st.rerun()
    found = _measured(asked, own)
    if own:
        _progress(own, len(found))
    is_usual = asked == Twins(asked.task)
    if found or not is_usual:
        _picture(asked, score, found, "trained here")
    else:
        known = _shipped(asked.task)
        seeds = len({one.seed for one in known})
        _picture(
            asked,
            score,
            known,
            f"shipped, mean of {seeds} seeds" if seeds > 1 else "shipped, one seed",
        )
    _button(asked, own)


@st.cache_resource(max_entries=4, show_spinner=False)
def _shipped(task: str) -> list[Reached]:
    return shipped.shipped(task)


def _measured(asked: Twins, own: Mapping[str, RunSummary]) -> list[Reached]:
    """Of each twin that is done; of those not tested yet one is, each time one, so that the page never waits for six."""
    done = [row for row in own.values() if row.state == "done"]
    found = {row.id: known for row in done if (known := _kept(asked, row))}
    if waiting := [row.id for row in done if row.id not in found]:
        try:
            found[waiting[0]] = twins.measure(cached.open_run(waiting[0]), asked.task)
        except UserError as wrong:  # its checkpoint cannot be read
            forms.show_error(wrong)
    return list(found.values())


def _progress(own: Mapping[str, RunSummary], n_measured: int) -> None:
    rows = list(own.values())
    if n_measured == len(NAMES):
        return
    steps = sum(row.steps for row in rows)
    done = sum(
        row.steps if row.state == "done" else max(row.step, cached.curves(row.id).step)
        for row in rows
    )
    stuck = [row for row in rows if not row.is_live and row.state != "done"]
    said = f"; {len(stuck)} stopped or failed, see Runs" if stuck else ""
    text = f"{sum(row.state == 'done' for row in rows)} of {len(NAMES)} twins trained{said}"
    st.progress(min(1.0, done / steps) if steps else 0.0, text=f"{text}.")


def _picture(asked: Twins, score: str, found: Sequence[Reached], origin: str) -> None:
    title = f"{asked.task.capitalize()} · {_score_name(score)}, {origin}"
    lines = [
        line
        for kind in NAMES
        if (line := _line(kind, [one for one in found if one.kind == kind], score))
    ]
    figure = plots.extrapolation(
        lines, twins.TRAINED, title=title, y_label=SCORES[score], chance=CHANCE[score]
    )
    low, high = twins.TRAINED
    named: dict[str, Sequence[float]] = {"digits of the line": list(twins.LENGTHS)}
    for one in found:
        named[f"{one.kind}, seed {one.seed}"] = list(getattr(one, score))
    show_figure(
        figure,
        title,
        f"Lines: share right by the length of a line, for each encoding; {title}",
        lambda: plots.columns_csv(named),
    )
    spread = (
        " The shade around a line reaches from the worst seed to the best."
        if len({one.seed for one in found}) > 1
        else ""
    )
    st.caption(
        f"Six models, alike but for their positions, learned to {_doing(asked.task)} lines of {low} to {high} digits"
        f" in {asked.steps:,} steps; here they are given up to {twins.LENGTHS[-1]}, {twins.EACH} lines of each length,"
        " greedily. Where a line falls at the shade's edge, that encoding does not carry on beyond what it"
        f" saw.{spread} These are small models on one toy task: which is best here need not be best elsewhere."
    )


def _doing(task: str) -> str:
    return {"reverse": "write backwards", "copy": "write again"}[task]


def _line(kind: str, found: Sequence[Reached], score: str) -> LineSeries | None:
    """The mean of the seeds, and from the worst to the best."""
    if not found:
        return None
    values = 100 * np.array([getattr(one, score) for one in found], np.float32)
    low, high = (values.min(0), values.max(0)) if len(found) > 1 else ((), ())
    return LineSeries(NAMES[kind], found[0].lengths, values.mean(0), low, high)


def _button(asked: Twins, own: Mapping[str, RunSummary]) -> None:
    if refused := st.session_state.pop(PREFIX + "refused", None):
        forms.show_error(refused)
    if any(row.is_live for row in own.values()):
        st.caption("They train one after another, as ordinary runs; you may leave this page.")
    else:
        orders = twins.orders(asked, settings.OWNER)
        seconds = sum(cached.forecast(order.source, order.recipe).seconds for order in orders)
        label = "Train the six twins" + (" again" if own else "")
        st.button(
            label,
            key=PREFIX + "train",
            icon=":material/model_training:",
            on_click=_train,
            args=(asked,),
        )
        st.caption(
            f"Six ordinary runs, about {duration(seconds)} in all; they stand on Runs, and every page opens them."
        )
    if own:
        page_link(
            "runs", "Their sweep on Runs", set=share.pack({"tab": "sweeps", "sweep": asked.name})
        )


def _train(asked: Twins) -> None:
    """All six, or none with the reason."""
    try:
        queue_runs(twins.orders(asked, settings.OWNER))
    except UserError as wrong:
        st.session_state[PREFIX + "refused"] = wrong
