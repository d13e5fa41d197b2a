"""What the machine costs, and how that grows with length, width, depth and vocabulary."""

from __future__ import annotations

import io

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.plots import compact_number
from s2s.sizing import MEASURES, VARIABLES, Grown, cache_bytes, cost, crossing, grown, memory_bytes
from s2s.ui.architecture import request
from s2s.ui.architecture.module import in_bytes
from s2s.ui.architecture.request import Asked
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import plain


def show(asked: Asked) -> None:
    """Three numbers, a curve, and what to make of it."""
    _numbers(asked)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = request.choice(
            "cost", "Cost", {slug: row.label for slug, row in MEASURES.items()}
        )
        vary = request.choice(
            "vary", "Grows with", {slug: row.label for slug, row in VARIABLES.items()}
        )
    variable = VARIABLES[vary]
    cost_of = MEASURES[measure]
    points = grown(asked.shown.machine, asked.sizes, variable, cost_of)
    now = variable.value(asked.shown.machine, asked.sizes)
    title = f"{asked.shown.name} · {cost_of.label}\nby {variable.label}, all else as it is"
    terms = (
        {name: [point.terms[name] for point in points] for name in points[0].terms}
        if points
        else {}
    )
    figure = plots.costs(
        [point.value for point in points],
        terms,
        title=title,
        across=variable.label,
        up=cost_of.label,
        now=now,
    )
    said = _said(points, now)
    with st.container(border=True, key="picture"):
        chart(
            figure,
            alt=f"Lines of {title.replace(chr(10), ', ')}. {said}",
            file_name=file_name(title),
        )
        st.caption(f"{said} {plots.PLOTS['costs'].reading}")
    if measure == "flops":
        st.markdown(_crossed(asked))
    table = pd.DataFrame(
        [{vary: point.value, **point.terms, "all": point.total} for point in points]
    )
    out = io.StringIO()
    table.to_csv(out, index=False)
    file = f"{file_name(title)}.csv"
    st.download_button(
        "Numbers (CSV)",
        out.getvalue(),
        file,
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _numbers(asked: Asked) -> None:
    """The batch as it is."""
    machine = asked.shown.machine
    sizes = asked.sizes
    cached = cache_bytes(machine, sizes)
    flops = cost(asked.parts).flops
    stack = machine.recipe.model.decoder
    with st.container(horizontal=True):
        st.metric(
            "Training memory",
            in_bytes(memory_bytes(machine, sizes)),
            border=True,
            help="Forecast for batches of these sizes.",
        )
        st.metric(
            "FLOPs forward",
            compact_number(flops),
            border=True,
            help="Of this batch; learning from it takes about three times as many.",
        )
        st.metric(
            "KV cache",
            in_bytes(sum(cached)),
            border=True,
            help="Keys and values kept while this batch is decoded.",
        )
    a_token = cached.written // (sizes.batch * sizes.tgt_len)
    st.caption(
        f"KV cache: 2 (keys and values) × {stack.n_layers} layers × {stack.n_heads} heads ×"
        f" {machine.recipe.model.d_head(stack)} columns × 4 bytes = {a_token:,} bytes a token; {sizes.batch} × {sizes.tgt_len} tokens"
        f" written take {cached.written:,}, {sizes.batch} × {sizes.src_len} of the source {cached.memory:,}."
    )


def _said(points: tuple[Grown, ...], now: int) -> str:
    """Which term is the largest, now and at the end."""
    if not points:
        return "No other size makes a whole machine."
    here = min(points, key=lambda point: abs(point.value - now))
    shares = [
        max((amount, name) for name, amount in point.terms.items()) for point in (here, points[-1])
    ]
    (first, name), (last, end) = shares
    if len(here.terms) == 1:
        return f"From {points[0].value:,} to {points[-1].value:,} it grows {points[-1].total / points[0].total:,.1f} times."
    there = f"at {points[-1].value:,} {'still that' if end == name else end}, {last / points[-1].total:.0%}"
    return f"Now most of it is {name}, {first / here.total:.0%}; {there}."


def _crossed(asked: Asked) -> str:
    """Where attention overtakes the feed-forward."""
    found = crossing(asked.shown.machine)
    name = plain(asked.shown.name)
    ahead = f"overtakes the feed-forward from {found.attention:,} tokens a side on"
    if found.attention == 1:
        ahead = "takes more than the feed-forward at any length"
    return (
        f"In {name}, attention {ahead}. Looking alone, which grows with the square of the length, takes more than all"
        f" products with weights from {found.looks:,} tokens a side on."
    )
