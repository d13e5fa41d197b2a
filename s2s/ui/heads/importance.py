"""The view Importance: how much the loss rises without each head, by measurement and by gradient, and pruning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from s2s import plots
from s2s.analysis import INTERVENTIONS, KINDS
from s2s.jobs import head_importance
from s2s.plots import PLOTS, HeadPoint, HeadValues, LineSeries
from s2s.questions import KIND_NAMES
from s2s.ui.heads import strength
from s2s.ui.heads.experiment_panel import measured_of
from s2s.ui.heads.picture import download, draw
from s2s.ui.heads.request import HeadsRequest, sentences
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import plain

UNIT = "nats per token"
CHANGE = f"change of the loss, {UNIT}"
WITHOUT = {
    "off": "without it",
    "uniform": "with uniform weights",
    "mean": "with its mean over the sentences",
}
ORDERS = {"measured": "measured importance", "gradient": "gradient importance"}


def show(request: HeadsRequest) -> None:
    """The numbers of all heads, then what explains them, then pruning."""
    sample = sentences(request.run.folder.id)
    how = STATE.segments(
        "how",
        "One head at a time is made",
        {name: row.label for name, row in INTERVENTIONS.items()},
    )
    st.caption(f"{INTERVENTIONS[how].about} ({INTERVENTIONS[how].source})")
    settings = {"intervention": how} if how != head_importance.DEFAULT else {}
    found = measured_of(request, "importance", sample, settings)
    if found is None:
        return
    title = f"{request.title}\n{found['n']:,} sentences, {sample.name}"
    _summary(found, how)
    _grids(found, f"Importance of heads, {INTERVENTIONS[how].label.lower()} ({UNIT})\n{title}")
    _agreement(found, f"Measured and gradient importance\n{title}")
    strength.show(request, sample, points(found), title)
    _pruning(found, title)


def points(found: Mapping[str, Any]) -> dict[str, list[tuple[str, int, int, HeadPoint]]]:
    """By kind: the role of x is open (0), y is the measured importance."""
    measured = found["measured"]
    return {
        kind: [
            (
                kind,
                layer,
                head,
                HeadPoint(
                    f"{KIND_NAMES[kind]}, layer {layer + 1} head {head + 1}",
                    0.0,
                    *(measured[name][kind][layer][head] for name in ("value", "low", "high")),
                ),
            )
            for layer, head in np.ndindex(np.shape(measured["value"][kind]))
        ]
        for kind in KINDS
    }


def _summary(found: Mapping[str, Any], how: str) -> None:
    each = [point for rows in points(found).values() for *_, point in rows]
    most = max(each, key=lambda point: point.y)
    gradients = [
        found["gradient"]["value"][kind][layer][head]
        for rows in points(found).values()
        for kind, layer, head, _ in rows
    ]
    first = each[int(np.argmax(gradients))].name
    by_gradient = "" if first == most.name else f"By the gradient it would be {plain(first)}."
    n_free = sum(point.low <= 0 <= point.high for point in each)
    free = f"For {n_free} of {len(each)} heads the interval includes 0." if n_free else ""
    st.markdown(
        f"The loss is **{found['loss']:.3f} {UNIT}** with all heads ({found['n_tokens']:,} tokens). The most"
        f" important head is {plain(most.name)}: {WITHOUT[how]} the loss rises by **{most.y:.3f}**"
        f" (95 % interval {most.low:.3f} to {most.high:.3f}). {by_gradient} {free} {_doubled(found)}"
    )


def _doubled(found: Mapping[str, Any]) -> str:
    """How many heads can be switched off before the loss is twice what it was."""
    curve = found["curves"]["measured"]
    twice = (
        n
        for n, loss in zip(curve["n_pruned"], curve["loss"], strict=True)
        if loss >= 2 * found["loss"]
    )
    n = next(twice, None)
    if n is None:
        return ""
    return f"With the least important switched off first, the loss has doubled when **{n} heads** are off."


def _grids(found: Mapping[str, Any], title: str) -> None:
    parts = {name: found["measured"][name] for name in ("value", "low", "high")}
    grids = [
        HeadValues(KIND_NAMES[kind], *(np.array(part[kind]) for part in parts.values()))
        for kind in KINDS
    ]
    figure = plots.head_values(grids, title=title, unit=UNIT)
    draw(figure, title)
    st.caption(
        f"{PLOTS['head_values'].caption} A value is the {CHANGE}, when that head alone is ablated; intervals resample"
        " sentences, the same with and without the head."
    )
    download(pd.DataFrame(head_importance.rows(found)), "Importance (CSV)", title)


def _agreement(found: Mapping[str, Any], title: str) -> None:
    gradient = found["gradient"]["value"]
    kinds = {
        KIND_NAMES[kind]: [
            point._replace(x=gradient[kind][layer][head]) for _, layer, head, point in rows
        ]
        for kind, rows in points(found).items()
    }
    figure = plots.head_scatter(
        kinds,
        title=title,
        x_label=f"mean |d loss / d gate|, {UNIT}",
        y_label=CHANGE,
    )
    draw(figure, title)
    found_ranks = "; ".join(
        f"{KIND_NAMES.get(kind, 'all heads')} {_rank(value)}"
        for kind, value in found["agreement"].items()
    )
    st.caption(
        f"{PLOTS['head_scatter'].caption} Across: one pass with gradients for all heads (Michel et al. 2019, eq. 2)."
        f" Up: each head ablated. Rank correlation (Spearman): {found_ranks}."
    )


def _rank(value: Mapping[str, float] | None) -> str:
    return "unknown" if value is None else f"{value['spearman']:.2f}".replace("-", "−")


def _pruning(found: Mapping[str, Any], title: str) -> None:
    """The loss and the scores by number of pruned heads."""
    curves = found["curves"]
    names = {name: f"least important first, by {label}" for name, label in ORDERS.items()}
    names["random"] = f"random order, mean and range of {curves['random']['n_orders']}"
    lines = [
        LineSeries(name, *(curves[order][key] for key in ("n_pruned", "loss", "low", "high")))
        for order, name in names.items()
    ]
    loss_title = f"Loss without the least important heads\n{title}"
    figure = plots.line_chart(
        lines,
        title=loss_title,
        x_label="heads that are off",
        y_label=f"loss, {UNIT}",
        is_log=True,
    )
    draw(figure, loss_title)
    st.caption(
        "Shades: 95 % intervals over sentences; for random orders the range. Importance is measured for one head at a"
        " time, so that heads that replace each other look unimportant until both are off."
    )
    frames = [
        pd.DataFrame({"order": order, **{key: curves[order][key] for key in KEYS}})
        for order in names
    ]
    download(pd.concat(frames), "Prune curves (CSV)", loss_title)
    _quality(found["quality"], f"Scores without the least important heads\n{title}")


KEYS = ("n_pruned", "loss", "low", "high")
METRICS = {"bleu": "BLEU", "chrf": "chrF"}


def _quality(rows: Sequence[Mapping[str, Any]], title: str) -> None:
    lines = []
    for order, label in ORDERS.items():
        own = [row for row in rows if row["order"] == order]
        lines += [
            LineSeries(f"{name}, by {label}", *([row[key] for row in own] for key in ("n_pruned", metric)))
            for metric, name in METRICS.items()
        ]  # fmt: skip
    figure = plots.line_chart(lines, title=title, x_label="heads that are off", y_label="score")
    draw(figure, title)
    st.caption("Greedy decoding of the same sentences, against their references.")
    download(pd.DataFrame(rows), "Scores (CSV)", title)
