"""Before training: what it will cost, the learning rate schedule, warnings, and the quality to expect."""

from __future__ import annotations

import numpy as np
import streamlit as st
import torch

from s2s import plots, settings
from s2s.config import PRESETS, UserError
from s2s.jobs import (
    MARGIN,
    STARTUP_SECONDS,
    Advice,
    Forecast,
    MeasuredRun,
    PlannedRun,
    PredictionInterval,
    advise,
    check_forecast,
    fit_to_minutes,
    predict_quality,
    short_count,
    why_no_prediction,
)
from s2s.train import free_memory, learning_rate
from s2s.ui.kit import Card, as_markdown, cached, cards, chart, duration, file_name, forms, plain
from s2s.ui.train import recipe_form
from s2s.ui.train.recipe_form import RunRequest

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SCHEDULE_POINTS = 300
DEFAULT_MINUTES = 10
FLOPS = "6 per parameter and token, plus attention"


def panel(request: RunRequest) -> UserError | None:
    """Costs, warnings, expectation. Returns why the recipe cannot be trained, which is shown, too."""
    if request.wrong:
        return request.wrong
    try:
        cost = cached.forecast(request.source, request.recipe)
        seen = cached.preview(request.source)
    except UserError as wrong:  # the dataset cannot be read
        forms.show_error(wrong)
        return wrong
    _costs(request, cost)
    case = PlannedRun(
        request.recipe,
        request.preset,
        seen,
        cost,
        settings.limits(),
        is_begun=bool(request.init_from),
    )
    found = advise(case)
    for number, one in enumerate(found):
        _advice(one, number)
    refusal = next((UserError(one.sentence) for one in found if one.is_refusal), None)
    refused = _impossible(request, cost) or refusal
    if refused:
        _recommendation(request)
    else:
        _expectation(request, cost)
    return refused


def _impossible(request: RunRequest, cost: Forecast) -> UserError | None:
    """Why training itself would refuse the recipe; shown at once."""
    try:
        check_forecast(request.recipe, cached.preview(request.source), cost, free_memory(DEVICE))
    except UserError as wrong:
        forms.show_error(wrong)
        return wrong
    return None


def _costs(request: RunRequest, cost: Forecast) -> None:
    left, right = st.columns([3, 2], vertical_alignment="center")
    with left:
        _cards(request, cost)
    with right:
        _schedule(request)


def _cards(request: RunRequest, cost: Forecast) -> None:
    sizes = f"vocabularies of about {cost.src_vocab_size:,} and {cost.tgt_vocab_size:,}"
    epochs = f"{request.recipe.train.steps:,} steps, about {_short(cost.epochs)} epochs"
    runs = f"{cost.calibration.n_runs} run{'s' * (cost.calibration.n_runs > 1)} here"
    basis = "by formula, until runs on this computer calibrate it"
    if cost.calibration.n_runs:
        basis = f"{cost.calibration.factor:.1f} times the formula's, calibrated by {runs}"
    free = f"{free_memory(DEVICE) / 1e6:,.0f} MB are free here"
    flops = f"operations (FLOPs), forward and backward: {FLOPS}"
    rows = (
        Card("Parameters", short_count(cost.parameters), f"{cost.parameters:,} in all, {sizes}"),
        Card("Time", duration(cost.seconds), f"for {epochs}; {basis}"),
        Card("Memory needed", _memory(cost.megabytes), free),
        Card("Compute", short_count(cost.flops, "kMGTPE"), flops),
    )
    cards(rows[:2])
    cards(rows[2:])


def _short(times: float) -> str:
    """`0.3`, `24`, `100,000`."""
    return f"{times:.1f}" if times < 9.95 else f"{times:,.0f}"


def _memory(megabytes: float) -> str:
    """Short enough for a card on a phone."""
    return f"{megabytes:,.0f} MB" if megabytes < 10_000 else f"{megabytes / 1000:,.0f} GB"


def _schedule(request: RunRequest) -> None:
    """A chart of at most a few hundred points, the end of warmup among them."""
    train = request.recipe.train
    steps = np.unique(np.linspace(1, train.steps, SCHEDULE_POINTS).round().astype(int))
    if 0 < train.warmup_steps <= train.steps:
        steps = np.union1d(steps, [train.warmup_steps])
    rates = [learning_rate(int(step), train) for step in steps]
    figure = plots.schedule(
        steps, rates, warmup=train.warmup_steps, title=f"Learning rate · {train.schedule}"
    )
    alt = f"Learning rate by step: {train.schedule}, highest {max(rates):.3g}, last {rates[-1]:.3g}"
    chart(figure, alt=alt, file_name=file_name("schedule"))


def _advice(one: Advice, number: int) -> None:
    """A warning or a refusal, and the button that corrects the recipe."""
    columns = st.columns([3, 1] if one.label else 1, vertical_alignment="center")
    if one.label:
        columns[1].button(
            plain(one.label),
            key=f"cure {number}",
            icon=":material/healing:",
            width="stretch",
            on_click=_apply,
            args=(one,),
        )
    if one.is_refusal:
        columns[0].error(as_markdown(one.sentence), icon=":material/block:")
    else:
        columns[0].warning(as_markdown(one.sentence), icon=":material/lightbulb:")


def _apply(one: Advice) -> None:
    if one.preset:
        recipe_form.take_preset(one.preset)
    recipe_form.take(one.fix)


def _expectation(request: RunRequest, cost: Forecast) -> None:
    """One sentence, with the prediction interval and the recommended preset in an expander.

    Without an interval the recommended preset is shown at once.
    """
    seen = cached.preview(request.source)
    found = predict_quality(request.recipe, request.preset, seen, cost)
    st.caption(f":material/insights: {as_markdown(_sentence(request, cost, found))}")
    if found is None:
        _recommendation(request)
        return
    box = st.expander(
        "Expected quality, and a preset for this dataset",
        icon=":material/insights:",
        key="expect",
        on_change="rerun",
    )
    if box.open:
        with box:
            _recommendation(request)
            _chart(request, found)


def _sentence(request: RunRequest, cost: Forecast, found: PredictionInterval | None) -> str:
    if found is None:
        seen = cached.preview(request.source)
        return why_no_prediction(request.recipe, request.preset, seen, cost)
    is_short = found.reach < 0.9 * (cost.seconds - STARTUP_SECONDS)
    after = duration(found.reach if is_short else cost.seconds)
    if is_short:
        after += ", where our longest run on such datasets ended, and perhaps more later"
    n = len(found.runs)
    presets = " and ".join(dict.fromkeys(run.preset for run in found.runs))
    basis = f"{n} run{'s' * (n > 1)} of ours with {presets} reached this on {found.like}"
    interval = f"Expected BLEU on held-out pairs: {found.low:.0f} to {found.high:.0f} after {after}"
    return " ".join((f"{interval}; {basis}.", *found.caveats))


def _recommendation(request: RunRequest) -> None:
    """The preset for this dataset and the minutes there are."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        minutes = st.number_input(
            "Minutes you have",
            1,
            10_000,
            DEFAULT_MINUTES,
            key="minutes",
            width=170,
            persist_state="session",
            help="The recommended preset and its number of steps depend on this. From 1 to 10,000.",
        )
        found = cached.recommended_preset(request.source, float(minutes))
        is_chosen = found.preset == request.preset
        st.button(
            "Fit the steps" if is_chosen else "Use it",
            key="use it",
            icon=":material/check:",
            on_click=_use,
            args=(request.source, found.preset, float(minutes)),
        )
        chosen = " (chosen)" if is_chosen else ""
        st.markdown(f"For this dataset: **{found.preset}**{chosen}. {_capitalized(found.why)}.")


def _capitalized(reason: str) -> str:
    return as_markdown(reason[:1].upper() + reason[1:])


def _use(source: str, preset: str, minutes: float) -> None:
    """Choose the preset, with as many steps as fit into the minutes."""
    if preset in PRESETS:
        recipe_form.take_preset(preset)
        fitting = fit_to_minutes(preset, cached.preview(source), minutes, cached.throughput())
        recipe_form.take(fitting)


def _chart(request: RunRequest, found: PredictionInterval) -> None:
    title = f"Expected quality · {request.preset}"
    figure = plots.expected_quality(found.minutes, found.lows, found.highs, title=title)
    interval = f"from {found.low:.0f} to {found.high:.0f} at the end"
    chart(figure, alt=f"BLEU by minutes of training: {interval}", file_name=file_name(title))
    runs = ", ".join(
        f"{run.n_pairs:,} pairs with {run.preset} ({_last_bleu(run)})" for run in found.runs
    )
    margin = f"the interval is {MARGIN:.0f} BLEU wider on each side"
    st.caption(f"{plots.PLOTS['expected_quality'].caption} Based on our runs on {runs}; {margin}.")


def _last_bleu(run: MeasuredRun) -> str:
    """`BLEU 23.1 after 4 min`."""
    last = next(point for point in reversed(run.points) if point.bleu is not None)
    return f"BLEU {last.bleu:.1f} after {last.minutes:.0f} min"
