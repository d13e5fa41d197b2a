"""Before Train is pressed: what it will cost, how the learning rate will go, what is unwise, and what to expect."""

from __future__ import annotations

import numpy as np
import streamlit as st
import torch

from s2s import plots, settings
from s2s.config import PRESETS, UserError
from s2s.jobs import advice, expected
from s2s.jobs.advice import Advice, Case, short_count
from s2s.jobs.expected import Band
from s2s.jobs.forecast import START, Forecast, check
from s2s.train.machine import free_memory
from s2s.train.schedules import learning_rate
from s2s.ui.kit import cached, forms
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.cards import Card, cards
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import as_markdown, duration, plain
from s2s.ui.train import recipe
from s2s.ui.train.recipe import Asked

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
DRAWN = 300  # points of the schedule
USUAL_MINUTES = 10
FLOPS = "6 a parameter and token, and what attention adds"


def panel(asked: Asked) -> UserError | None:
    """All of it. Returns why it cannot be trained, which stands there too."""
    if asked.wrong:
        return asked.wrong
    try:
        cost = cached.forecast(asked.source, asked.recipe)
        seen = cached.preview(asked.source)
    except UserError as wrong:  # a text that cannot be read
        forms.show_error(wrong)
        return wrong
    _numbers(asked, cost)
    found = advice.advice(
        Case(
            asked.recipe,
            asked.preset,
            seen,
            cost,
            settings.limits(),
            is_begun=bool(asked.init_from),
        )
    )
    for number, one in enumerate(found):
        _said(one, number)
    refused = _impossible(asked, cost) or next(
        (UserError(one.sentence) for one in found if one.is_refusal), None
    )
    if refused:
        _fitting(asked)
    else:
        _expectation(asked, cost)
    return refused


def _impossible(asked: Asked, cost: Forecast) -> UserError | None:
    """What training itself would refuse; said at once."""
    try:
        check(asked.recipe, cached.preview(asked.source), cost, free_memory(DEVICE))
    except UserError as wrong:
        forms.show_error(wrong)
        return wrong
    return None


def _numbers(asked: Asked, cost: Forecast) -> None:
    left, right = st.columns([3, 2], vertical_alignment="center")
    with left:
        _cards(asked, cost)
    with right:
        _schedule(asked)


def _cards(asked: Asked, cost: Forecast) -> None:
    sizes = f"vocabularies of about {cost.src_vocab_size:,} and {cost.tgt_vocab_size:,}"
    steps = (
        f"for {asked.recipe.train.steps:,} steps, each text seen about {_often(cost.epochs)} times"
    )
    runs = f"{cost.pace.n_runs} run{'s' * (cost.pace.n_runs > 1)} here"
    learnt = "by formula, until runs here tell better"
    if cost.pace.n_runs:
        learnt = f"{cost.pace.factor:.1f} times the formula's, as {runs} taught"
    rows = (
        Card("Parameters", short_count(cost.parameters), f"{cost.parameters:,} numbers, {sizes}"),
        Card("Time", duration(cost.seconds), f"{steps}; {learnt}"),
        Card(
            "Memory needed",
            _memory(cost.megabytes),
            f"{free_memory(DEVICE) / 1e6:,.0f} MB are free here",
        ),
        Card(
            "Compute",
            short_count(cost.flops, "kMGTPE"),
            f"operations (FLOPs) forward and back: {FLOPS}",
        ),
    )
    cards(rows[:2])
    cards(rows[2:])


def _often(times: float) -> str:
    """`0.3`, `24`, `100,000`."""
    return f"{times:.1f}" if times < 9.95 else f"{times:,.0f}"


def _memory(megabytes: float) -> str:
    """Short enough for a card on a phone."""
    return f"{megabytes:,.0f} MB" if megabytes < 10_000 else f"{megabytes / 1000:,.0f} GB"


def _schedule(asked: Asked) -> None:
    """A picture of at most some hundred points, the end of the warm-up among them."""
    train = asked.recipe.train
    steps = np.unique(np.linspace(1, train.steps, DRAWN).round().astype(int))
    if 0 < train.warmup_steps <= train.steps:
        steps = np.union1d(steps, [train.warmup_steps])
    rates = [learning_rate(int(step), train) for step in steps]
    figure = plots.schedule(
        steps, rates, warmup=train.warmup_steps, title=f"learning rate · {train.schedule}"
    )
    alt = f"Learning rate by step: {train.schedule}, at most {max(rates):.3g}, at the end {rates[-1]:.3g}"
    chart(figure, alt=alt, file_name=file_name("schedule"))


def _said(one: Advice, number: int) -> None:
    """A sentence, and the button that mends it."""
    show, icon = (
        (st.error, ":material/block:") if one.is_refusal else (st.warning, ":material/lightbulb:")
    )
    left, right = (
        st.columns([3, 1], vertical_alignment="center") if one.label else (st.container(), None)
    )
    with left:
        show(as_markdown(one.sentence), icon=icon)
    if right:
        with right:
            st.button(
                plain(one.label),
                key=f"cure {number}",
                icon=":material/healing:",
                width="stretch",
                on_click=_cure,
                args=(one,),
            )


def _cure(one: Advice) -> None:
    if one.preset:
        recipe.take_preset(one.preset)
    recipe.take(one.cure)


def _expectation(asked: Asked, cost: Forecast) -> None:
    """One sentence; the band, and the preset for this text, behind a click. Where there is no band, that preset at once."""
    seen = cached.preview(asked.source)
    found = expected.band(asked.recipe, asked.preset, seen, cost)
    st.caption(f":material/insights: {as_markdown(_sentence(asked, cost, found))}")
    if found is None:
        _fitting(asked)
        return
    more = st.expander(
        "What to expect, and the preset for this text",
        icon=":material/insights:",
        key="expect",
        on_change="rerun",
    )
    if more.open:
        with more:
            _more(asked, found)


def _sentence(asked: Asked, cost: Forecast, found: Band | None) -> str:
    seen = cached.preview(asked.source)
    if found is None:
        return expected.why_no_band(asked.recipe, asked.preset, seen, cost)
    is_short = found.reach < 0.9 * (cost.seconds - START)
    rest = ", where our longest run on such texts ended, and perhaps more later" if is_short else ""
    after = f"after {duration(found.reach if is_short else cost.seconds)}{rest}"
    n = len(found.runs)
    presets = " and ".join(dict.fromkeys(run.preset for run in found.runs))
    where = f"what {n} run{'s' * (n > 1)} of ours with {presets} reached on {found.like}"
    return " ".join(
        (
            f"Expect BLEU {found.low:.0f} to {found.high:.0f} on held-out pairs {after}: {where}.",
            *found.but,
        )
    )


def _fitting(asked: Asked) -> None:
    """The preset for this text and the minutes there are."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "Minutes you have",
            1,
            10_000,
            USUAL_MINUTES,
            key="minutes",
            width=170,
            persist_state="session",
            help="The recommended preset, and how many steps it takes with Use it, follow from this. From 1 to 10,000.",
        )
        _recommendation(asked, float(st.session_state["minutes"]))


def _more(asked: Asked, found: Band) -> None:
    _fitting(asked)
    shown = f"what to expect · {asked.preset}"
    figure = plots.expected_quality(found.minutes, found.lows, found.highs, title=shown)
    alt = f"BLEU by minutes of training: from {found.low:.0f} to {found.high:.0f} at the end"
    chart(figure, alt=alt, file_name=file_name(shown))
    runs = ", ".join(
        f"{run.n_pairs:,} pairs with {run.preset} ({_best(run)})" for run in found.runs
    )
    st.caption(
        f"{plots.PLOTS['expected_quality'].caption} From our runs on {runs}; {expected.MARGIN:.0f} BLEU are added either way."
    )


def _best(run: expected.Measured) -> str:
    """`BLEU 23.1 after 4 min`."""
    last = next(point for point in reversed(run.points) if point.bleu is not None)
    return f"BLEU {last.bleu:.1f} after {last.minutes:.0f} min"


def _recommendation(asked: Asked, minutes: float) -> None:
    found = cached.recommended_preset(asked.source, minutes)
    is_it = found.preset == asked.preset
    label = "Fit the steps" if is_it else "Use it"
    st.button(
        label,
        key="use it",
        icon=":material/check:",
        on_click=_use,
        args=(asked.source, found.preset, minutes),
    )
    st.markdown(
        f"For this text **{found.preset}**{' (it is chosen)' if is_it else ''}: {as_markdown(found.why)}."
    )


def _use(source: str, preset: str, minutes: float) -> None:
    """The preset, as long as fits into the minutes."""
    if preset in PRESETS:
        recipe.take_preset(preset)
        recipe.take(advice.within(preset, cached.preview(source), minutes, cached.throughput()))
