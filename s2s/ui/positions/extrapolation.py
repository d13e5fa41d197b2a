"""The view Beyond training length: six runs that differ only in their positions, on longer lines than trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from s2s import plots
from s2s.config import POSITION_KINDS, UserError, asker, keys, override
from s2s.demo import shipped_results
from s2s.jobs import ExtrapolationResult, ExtrapolationSettings, extrapolation, sweep
from s2s.library import Library
from s2s.links import share
from s2s.plots import LineSeries
from s2s.runs import RunSummary
from s2s.ui.kit import action_button, cached, duration, forms
from s2s.ui.kit.queueing import queue_runs
from s2s.ui.positions import reproduce, request
from s2s.ui.positions.figures import show_figure
from s2s.ui.positions.request import PREFIX, STATE
from s2s.ui.shell import page_link

REFRESH_SECONDS = 2.0  # while runs train
SCORES = {"digits": "digits at the correct position", "whole": "entirely correct lines"}
CHANCE = {"digits": 10.0, "whole": None}  # percent: there are ten digits
REFUSED = PREFIX + "refused"


def show() -> None:
    """The settings, the results so far, and the button that trains."""
    request.keep_sentence()
    experiment = _settings_form()
    score = STATE.segments("score", "Score", SCORES, label_visibility="collapsed")
    request.write_to_url(experiment, keys(ExtrapolationSettings))
    is_busy = _is_busy(experiment, _own_runs(experiment))
    with st.container(border=True):
        st.fragment(_show_results, run_every=REFRESH_SECONDS if is_busy else None)(
            experiment, score, is_busy
        )
        _train_panel(experiment, _own_runs(experiment))
    own = _own_runs(experiment)
    done = [row.id for row in own.values() if row.state == "done"]
    reproduce.beyond_training_length(experiment, score, done)


def _settings_form() -> ExtrapolationSettings:
    default = ExtrapolationSettings()
    every = keys(ExtrapolationSettings)
    with st.grid(4, min_column_width=150):
        forms.inputs(default, every, PREFIX)
    return override(default, forms.changes(default, every, PREFIX))


def _own_runs(experiment: ExtrapolationSettings) -> dict[str, RunSummary]:
    """The visitor's runs with these settings by their encoding, the newest of each."""
    tag = f"{sweep.TAG}{experiment.name}"
    found = {}
    for row in reversed(cached.own_runs()):
        if tag in row.tags and (recipe := cached.recipe(row.id)):
            found[recipe.model.positions.kind] = row
    return found


def _is_busy(experiment: ExtrapolationSettings, own: Mapping[str, RunSummary]) -> bool:
    """Whether the page changes by itself: a run is training, or finished and not tested yet."""
    return any(
        row.is_live or (row.state == "done" and _saved_result(experiment, row) is None)
        for row in own.values()
    )


def _saved_result(experiment: ExtrapolationSettings, row: RunSummary) -> ExtrapolationResult | None:
    return extrapolation.saved(Library().run(row.id), experiment.task)


def _show_results(experiment: ExtrapolationSettings, score: str, was_busy: bool) -> None:
    """Of the visitor's own runs, else of the shipped ones."""
    own = _own_runs(experiment)
    if was_busy != _is_busy(experiment, own):
        st.rerun()
    results = _measured(experiment, own)
    if own:
        _show_progress(own, len(results))
    origin = "trained here"
    if not results and experiment == ExtrapolationSettings(experiment.task):
        results = _shipped(experiment.task)
        seeds = len({result.seed for result in results})
        origin = f"shipped, mean of {seeds} seeds" if seeds > 1 else "shipped, one seed"
    _show_lines(experiment, score, results, origin)


@st.cache_resource(max_entries=4, show_spinner=False)
def _shipped(task: str) -> list[ExtrapolationResult]:
    return shipped_results(task)


def _measured(
    experiment: ExtrapolationSettings, own: Mapping[str, RunSummary]
) -> list[ExtrapolationResult]:
    """Results of finished runs. At most one new run is tested per refresh, so that the page never waits for six."""
    done = [row for row in own.values() if row.state == "done"]
    found = {row.id: result for row in done if (result := _saved_result(experiment, row))}
    if waiting := [row.id for row in done if row.id not in found]:
        try:
            found[waiting[0]] = extrapolation.measure(cached.open_run(waiting[0]), experiment.task)
        except UserError as wrong:  # its checkpoint cannot be read
            forms.show_error(wrong)
    return list(found.values())


def _show_progress(own: Mapping[str, RunSummary], n_measured: int) -> None:
    rows = list(own.values())
    if n_measured == len(POSITION_KINDS):
        return
    steps = sum(row.steps for row in rows)
    taken = sum(_steps_taken(row) for row in rows)
    n_done = sum(row.state == "done" for row in rows)
    n_stopped = sum(not row.is_live and row.state != "done" for row in rows)
    stopped = f"; {n_stopped} stopped or failed, see Runs" if n_stopped else ""
    text = f"{n_done} of {len(POSITION_KINDS)} runs trained{stopped}."
    st.progress(min(1.0, taken / steps) if steps else 0.0, text=text)


def _steps_taken(row: RunSummary) -> int:
    if row.state == "done":
        return row.steps
    return max(row.step, cached.curves(row.id).step)


def _show_lines(
    experiment: ExtrapolationSettings,
    score: str,
    results: Sequence[ExtrapolationResult],
    origin: str,
) -> None:
    """One line per encoding, and what to make of it."""
    title = f"{experiment.task.capitalize()} · {SCORES[score]}, {origin}"
    by_kind = {kind: [one for one in results if one.kind == kind] for kind in POSITION_KINDS}
    lines = [_line(kind, found, score) for kind, found in by_kind.items() if found]
    figure = plots.extrapolation(
        lines,
        extrapolation.TRAINED,
        title=title,
        y_label=f"{SCORES[score]} (%)",
        chance=CHANCE[score],
    )
    columns: dict[str, Sequence[float]] = {"digits per line": list(extrapolation.LENGTHS)}
    for result in results:
        columns[f"{result.kind}, seed {result.seed}"] = list(getattr(result, score))
    alt = f"Lines: accuracy by the length of a line, for each encoding; {title}"
    show_figure(figure, title, alt, lambda: plots.columns_csv(columns))
    has_seeds = len({result.seed for result in results}) > 1
    st.caption(_caption(experiment, has_seeds=has_seeds))


def _caption(experiment: ExtrapolationSettings, *, has_seeds: bool) -> str:
    low, high = extrapolation.TRAINED
    spread = (
        " The shade around a line reaches from the worst seed to the best." if has_seeds else ""
    )
    return (
        f"Six models that differ only in their position encoding learned to {experiment.task} lines of {low} to {high}"
        f" digits in {experiment.steps:,} steps. Here they are tested on lines of up to"
        f" {extrapolation.LENGTHS[-1]} digits,"
        f" {extrapolation.EACH} of each length, decoded greedily. Where a line falls at the edge of the shaded"
        f" training lengths, that encoding does not extrapolate.{spread} These are small models on a toy task: what is"
        " best here may not be best elsewhere."
    )


def _line(kind: str, results: Sequence[ExtrapolationResult], score: str) -> LineSeries:
    """The mean over seeds, and the range from the worst to the best."""
    percent = 100 * np.array([getattr(result, score) for result in results], np.float32)
    lengths = results[0].lengths
    if len(results) == 1:
        return LineSeries(POSITION_KINDS[kind].label, lengths, percent[0])
    return LineSeries(
        POSITION_KINDS[kind].label, lengths, percent.mean(0), percent.min(0), percent.max(0)
    )


def _train_panel(experiment: ExtrapolationSettings, own: Mapping[str, RunSummary]) -> None:
    """The button. It is no part of what refreshes, which knows the settings of the page's last whole run alone."""
    if refused := st.session_state.pop(REFUSED, None):
        forms.show_error(refused)
    if any(row.is_live for row in own.values()):
        st.caption("The runs train one after another; you may leave this page.")
    else:
        requests = extrapolation.run_requests(experiment, asker.current())
        seconds = sum(
            cached.forecast(planned.source, planned.recipe).seconds for planned in requests
        )
        click = action_button(
            "Train the six runs again" if own else "Train the six runs",
            key=PREFIX + "train",
            icon=":material/model_training:",
        )
        st.caption(
            f"Six ordinary runs, about {duration(seconds)} in all; they appear on Runs, and every page can open them."
        )
        if click.is_waiting:
            _train(experiment)
            click.done()
            st.rerun()
    if own:
        sweep_view = share.pack({"tab": "sweeps", "sweep": experiment.name})
        page_link("runs", "Their sweep on Runs", set=sweep_view)


def _train(experiment: ExtrapolationSettings) -> None:
    """Queue all six; where one is refused, none, and the page says why."""
    try:
        queue_runs(extrapolation.run_requests(experiment, asker.current()))
        cached.refresh_runs()
    except UserError as wrong:
        st.session_state[REFUSED] = wrong
