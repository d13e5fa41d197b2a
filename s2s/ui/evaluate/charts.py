"""The scores of an evaluation as pictures: quality beside speed and diversity, and what a swept setting does."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from s2s import plots
from s2s.plots import SweepLine, TradeoffPoint
from s2s.runs.evaluations import Evaluation, System
from s2s.ui.evaluate.table import COLUMNS, value
from s2s.ui.kit import cached
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import shortened

QUALITY = ("bleu", "chrf", "ter", "rouge_l", "exact_match")
BESIDE = {
    "sentences_per_second": "sentences a second",
    "distinct_2": "different pairs of words, percent of all",
}
ALSO = (
    "length_ratio",
    "repetition",
    "sentences_per_second",
)  # of a sweep, what else may go with it


def panel(asked: Evaluation, scores: Mapping[str, Any]) -> None:
    """A picture a tab."""
    systems = scores["systems"]
    known = [key for key in QUALITY if any(value(system, key) is not None for system in systems)]
    swept = [system for system in asked.systems if system.sweep]
    if not known or len(asked.systems) < 2:
        return
    names = [*(["Sweep"] if swept else []), "Quality and speed", "Quality and diversity"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        labels = {key: COLUMNS[key].label for key in (*known, *(ALSO if swept else ()))}
        if st.session_state.get("eval quality") not in labels:
            st.session_state["eval quality"] = known[0]
        label = labels.__getitem__
        up = str(
            st.selectbox(
                "Score",
                list(labels),
                format_func=label,
                key="eval quality",
                persist_state="session",
                width=200,
            )
        )
    for name, tab in zip(names, st.tabs(names), strict=True):
        with tab:
            if name == "Sweep":
                _sweep(asked, systems, up)
                continue
            with st.container(key=f"tradeoff {name}"):
                _scatter(
                    asked,
                    systems,
                    up,
                    "distinct_2" if name.endswith("diversity") else "sentences_per_second",
                )


def _title(asked: Evaluation, what: str, n: int) -> str:
    runs = dict.fromkeys(
        f"{cached.title(system.run)} · step {system.step:,}"
        for system in asked.systems
        if system.run
    )
    whose = ", ".join(runs) if len(runs) <= 2 else f"{len(runs)} runs"
    return f"{whose} · {shortened(asked.test.name, 30)}\n{what} · {n:,} sentences"


def _scatter(asked: Evaluation, systems: Sequence[Mapping[str, Any]], up: str, across: str) -> None:
    groups = list(dict.fromkeys((system.run, system.strategy) for system in asked.systems))
    points = [
        TradeoffPoint(
            system.name,
            x,
            y,
            *_interval(found, up),
            groups.index((system.run, system.strategy)),
            _label(system),
        )
        for system, found in zip(asked.systems, systems, strict=True)
        if (x := value(found, across)) is not None and (y := value(found, up)) is not None
    ]
    what = f"{COLUMNS[up].label} and {COLUMNS[across].label.lower()}"
    title = _title(asked, what, systems[0]["n"])
    figure = plots.tradeoff(
        _together(points), title=title, across=BESIDE[across], up=COLUMNS[up].label
    )
    said = "; ".join(f"{point.name}: {point.across:.4g}, {point.up:.4g}" for point in points)
    chart(figure, alt=f"{what} of {len(points)} systems. {said}", file_name=file_name(title))
    st.caption(plots.PLOTS["tradeoff"].caption)
    _download(
        what, ("system", across, up), [(point.name, point.across, point.up) for point in points]
    )


def _together(points: Sequence[TradeoffPoint]) -> list[TradeoffPoint]:
    """Those that stand on the same spot as one, under all their names."""
    spots: dict[tuple[str, str], list[TradeoffPoint]] = {}
    for point in points:
        spots.setdefault((f"{point.across:.3g}", f"{point.up:.3g}"), []).append(point)
    joined = (
        (held, ", ".join(each.label or each.name for each in held)) for held in spots.values()
    )
    return [
        replace(held[0], name=", ".join(each.name for each in held), label=label)
        for held, label in joined
    ]


def _label(system: System) -> str:
    """A swept system is one of a row of points of the same colour and sign: its value says which."""
    return str(system.settings[system.sweep]) if system.sweep else ""


def _interval(system: Mapping[str, Any], key: str) -> tuple[float | None, float | None]:
    found = system.get("scores", {}).get(key, {})
    return found.get("low"), found.get("high")


def _sweep(asked: Evaluation, systems: Sequence[Mapping[str, Any]], up: str) -> None:
    setting = next(system.sweep for system in asked.systems if system.sweep)
    lines = [
        _swept(name, rows, setting, up) for name, rows in _lines(asked, systems, setting).items()
    ]
    what = f"{COLUMNS[up].label} by {setting}"
    title = _title(asked, what, systems[0]["n"])
    figure = plots.sweep_curve(lines, title=title, across=setting, up=COLUMNS[up].label)
    said = "; ".join(
        f"{line.name} at {x:g}: {y:.4g}"
        for line in lines
        for x, y in zip(line.values, line.scores, strict=True)
    )
    chart(figure, alt=f"{what}. {said}", file_name=file_name(title))
    st.caption(plots.PLOTS["sweep_curve"].caption)
    rows = [
        (line.name, x, y) for line in lines for x, y in zip(line.values, line.scores, strict=True)
    ]
    _download(what, ("line", setting, up), rows)


Rows = list[tuple[System, Mapping[str, Any]]]


def _lines(
    asked: Evaluation, systems: Sequence[Mapping[str, Any]], setting: str
) -> dict[str, Rows]:
    """What was swept, by run and strategy."""
    found: dict[str, Rows] = {}
    for system, scores in zip(asked.systems, systems, strict=True):
        if system.sweep == setting:
            found.setdefault(f"{cached.title(system.run)}, {system.strategy}", []).append(
                (system, scores)
            )
    return found


def _swept(name: str, rows: Rows, setting: str, up: str) -> SweepLine:
    known = sorted(
        (
            (float(system.settings[setting]), y, *_interval(scores, up))
            for system, scores in rows
            if (y := value(scores, up)) is not None
        ),
        key=lambda one: one[0],
    )
    values = tuple(one[0] for one in known)
    heights = tuple(one[1] for one in known)
    if any(low is None for _, _, low, _ in known):
        return SweepLine(name, values, heights)
    return SweepLine(
        name,
        values,
        heights,
        tuple(float(low or 0) for _, _, low, _ in known),
        tuple(float(high or 0) for *_, high in known),
    )


def _download(what: str, head: Sequence[str], rows: Sequence[tuple[str, float, float]]) -> None:
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(head)
    lines.writerows([plots.csv_cell(name), f"{x:.6g}", f"{y:.6g}"] for name, x, y in rows)
    name = file_name(what)
    icon = ":material/download:"
    st.download_button(
        "Numbers (CSV)",
        out.getvalue(),
        f"{name}.csv",
        "text/csv",
        on_click="ignore",
        icon=icon,
        key=f"csv {name}",
    )
