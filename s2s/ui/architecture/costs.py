"""What the model costs, and how that grows with length, width, depth and vocabulary."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.plots import compact_number
from s2s.sizing import (
    MEASURES,
    VARIABLES,
    CostPoint,
    cache_bytes,
    cost,
    cost_curve,
    crossover,
    memory_bytes,
)
from s2s.ui.architecture.component_card import in_bytes
from s2s.ui.architecture.request import STATE, ArchitectureRequest
from s2s.ui.kit import chart, file_name, plain
from s2s.ui.kit.tables import frame_csv


def show(request: ArchitectureRequest) -> None:
    """Three numbers, and how one cost grows with one variable."""
    _metrics(request)
    costs = {slug: row.label for slug, row in MEASURES.items()}
    variables = {slug: row.label for slug, row in VARIABLES.items()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = STATE.choice("cost", "Cost", costs, width=200)
        vary = STATE.choice("vary", "Grows with", variables, width=200)
    spec = request.model.spec
    points = cost_curve(spec, request.sizes, VARIABLES[vary], MEASURES[measure])
    title = f"{request.model.name} · {costs[measure]}\nby {variables[vary]}, all else equal"
    _curve(request, points, title, measure, vary)
    if measure == "flops":
        st.markdown(_crossover_sentence(request))
    rows = [{vary: point.value, **point.terms, "total": point.total} for point in points]
    st.download_button(
        "Download data (CSV)",
        frame_csv(pd.DataFrame(rows)),
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _metrics(request: ArchitectureRequest) -> None:
    """Costs of the batch at hand."""
    spec = request.model.spec
    sizes = request.sizes
    cached = cache_bytes(spec, sizes)
    memory = in_bytes(memory_bytes(spec, sizes))
    flops = compact_number(cost(request.components).flops)
    cache = in_bytes(sum(cached))
    with st.container(horizontal=True):
        st.metric(
            "Training memory", memory, border=True, help="Forecast for batches of these sizes."
        )
        st.metric(
            "FLOPs forward",
            flops,
            border=True,
            help="For this batch; a training step takes about three times as many.",
        )
        st.metric(
            "KV cache", cache, border=True, help="Keys and values kept while this batch is decoded."
        )
    stack = spec.recipe.model.decoder
    per_token = cached.target // (sizes.batch * sizes.tgt_len)
    st.caption(
        f"KV cache: 2 (keys and values) × {stack.n_layers} layers × {stack.n_heads} heads ×"
        f" {spec.recipe.model.d_head(stack)} columns × 4 bytes = {per_token:,} bytes per token: {cached.target:,} for"
        f" {sizes.batch} × {sizes.tgt_len} target tokens, {cached.source:,} for {sizes.batch} × {sizes.src_len} source"
        " tokens."
    )


def _curve(
    request: ArchitectureRequest, points: tuple[CostPoint, ...], title: str, measure: str, vary: str
) -> None:
    """One line per term of the cost."""
    now = VARIABLES[vary].value(request.model.spec, request.sizes)
    names = points[0].terms if points else ()
    figure = plots.costs(
        [point.value for point in points],
        {name: [point.terms[name] for point in points] for name in names},
        title=title,
        x_label=VARIABLES[vary].label,
        y_label=MEASURES[measure].label,
        now=now,
    )
    summary = _largest_terms(points, now)
    alt = f"Lines of {title.replace(chr(10), ', ')}. {summary}"
    with st.container(border=True, key="picture"):
        chart(figure, alt=alt, file_name=file_name(title))
        st.caption(f"{summary} {plots.PLOTS['costs'].caption}")


def _largest_terms(points: tuple[CostPoint, ...], now: int) -> str:
    """Which term is the largest, at the present value and at the end."""
    if not points:
        return "No other value gives a valid model."
    present = min(points, key=lambda point: abs(point.value - now))
    first = points[0]
    last = points[-1]
    if len(present.terms) == 1:
        growth = last.total / first.total
        return f"From {first.value:,} to {last.value:,} it grows by a factor of {growth:,.1f}."
    return f"Now {_largest_term(present)}; at {last.value:,}, {_largest_term(last)}."


def _largest_term(point: CostPoint) -> str:
    """`the largest term is A (40%)`; those that are equally large, all."""
    largest = max(point.terms.values())
    names = [name for name, size in point.terms.items() if size == largest]
    share = f"{largest / point.total:.0%}"
    if len(names) == 1:
        return f"the largest term is {names[0]} ({share})"
    return f"the largest terms are {', '.join(names[:-1])} and {names[-1]} ({share} each)"


def _crossover_sentence(request: ArchitectureRequest) -> str:
    """From which length attention takes more FLOPs than the rest."""
    found = crossover(request.model.spec)
    if found.attention == 1:
        attention = "attention takes more FLOPs than the feed-forward at any length"
    else:
        attention = f"attention takes more FLOPs than the feed-forward from {found.attention:,} tokens per side on"
    return (
        f"In {plain(request.model.name)}, {attention}. The attention products (QKᵀ and AV) grow with the square of the"
        f" length and take more than all products with weights from {found.attention_products:,} tokens per side on."
    )
