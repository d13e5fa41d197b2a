"""The scores of an evaluation as plots: quality against speed and diversity, and the effect of a swept setting."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from s2s import plots
from s2s.files import csv_writer
from s2s.plots import SweepLine, TradeoffPoint
from s2s.runs import Evaluation, System
from s2s.scores import METRIC_NAMES
from s2s.ui.evaluate.table import value
from s2s.ui.evaluate.view_state import STATE
from s2s.ui.kit import cached, chart, file_name, shortened, unique_names
from s2s.words import MetricName

Scores = Mapping[str, Any]  # of one system
Names = Mapping[str, MetricName]
SystemScores = list[tuple[System, Scores]]
QUALITY = ("bleu", "chrf", "ter", "rouge_l", "exact_match")
X_LABELS = {
    "sentences_per_second": "sentences per second",
    "distinct_2": "distinct word pairs, % of all",
}
SWEEP_SCORES = ("length_ratio", "repetition", "sentences_per_second")  # offered besides QUALITY


def panel(evaluation: Evaluation, scores: Scores, names: Names = METRIC_NAMES) -> None:
    """One plot per tab; nothing for a single system or without references."""
    systems = scores["systems"]
    keys = [*QUALITY, *scores.get("external", {})]
    quality = [key for key in keys if any(value(system, key) is not None for system in systems)]
    if not quality or len(evaluation.systems) < 2:
        return
    has_sweep = any(system.sweep for system in evaluation.systems)
    offered = [*quality, *(SWEEP_SCORES if has_sweep else ())]
    labels = {key: names[key].label for key in offered}
    chosen = STATE.choice("quality", "Score", labels, default=quality[0], width=200)
    tabs = [*(["Sweep"] if has_sweep else []), "Quality and speed", "Quality and diversity"]
    for name, tab in zip(tabs, st.tabs(tabs), strict=True):
        with tab:
            if name == "Sweep":
                _sweep(evaluation, systems, names[chosen])
                continue
            x = "distinct_2" if name.endswith("diversity") else "sentences_per_second"
            with st.container(key=f"tradeoff {name}"):
                _tradeoff(evaluation, systems, x, names[chosen])


def tradeoff_caption(height: MetricName, across: MetricName) -> str:
    """How to read the points: which way is better, of the numbers of which one is."""
    caption = plots.PLOTS["tradeoff"].caption
    up = {"higher": "Up", "lower": "Down"}.get(height.better)
    right = {"higher": "to the right", "lower": "to the left"}.get(across.better)
    if up and right:
        return (
            f"{caption} {up} and {right} is better: a system with no other on that side of it, in both directions, is"
            " on the Pareto frontier."
        )
    way = up or (right and right.capitalize())
    return f"{caption} {way} is better." if way else caption


def sweep_caption(setting: str, score: MetricName) -> str:
    """How to read the line; where wider searches should find better translations, what it means that they do not."""
    caption = plots.PLOTS["sweep_curve"].caption
    if setting != "num_beams" or not score.better or score.key not in QUALITY:
        return caption
    worse = "falls" if score.better == "higher" else "rises"
    return (
        f"{caption} Where the line {worse} although the search is wider, the model prefers outputs that people do"
        " not."
    )


def _title(evaluation: Evaluation, what: str, n: int) -> str:
    runs = dict.fromkeys(
        f"{cached.title(system.run)} · {cached.step_name(system.run, system.step)}"
        for system in evaluation.systems
        if system.run
    )
    whose = ", ".join(runs) if len(runs) <= 2 else f"{len(runs)} runs"
    return f"{whose} · {shortened(evaluation.test.name, 30)}\n{what} · {n:,} sentences"


def _tradeoff(evaluation: Evaluation, systems: Sequence[Scores], x: str, name: MetricName) -> None:
    points = _points(evaluation, systems, x, name.key)
    what = f"{name.label} and {METRIC_NAMES[x].label.lower()}"
    title = _title(evaluation, what, systems[0]["n"])
    figure = plots.tradeoff(_merged(points), title=title, x_label=X_LABELS[x], y_label=name.label)
    values = "; ".join(f"{point.name}: {point.x:.4g}, {point.y:.4g}" for point in points)
    chart(figure, alt=f"{what} of {len(points)} systems. {values}", file_name=file_name(title))
    st.caption(tradeoff_caption(name, METRIC_NAMES[x]))
    _download(what, ("system", x, name.key), [(point.name, point.x, point.y) for point in points])


def _points(
    evaluation: Evaluation, systems: Sequence[Scores], x: str, y: str
) -> list[TradeoffPoint]:
    """One point per system that has both scores; systems of one checkpoint and strategy share a color."""
    groups = list(dict.fromkeys((system.model, system.strategy) for system in evaluation.systems))
    return [
        TradeoffPoint(
            system.name,
            across,
            up,
            *_interval(scores, y),
            groups.index((system.model, system.strategy)),
            _label(system),
        )
        for system, scores in zip(evaluation.systems, systems, strict=True)
        if (across := value(scores, x)) is not None and (up := value(scores, y)) is not None
    ]


def _merged(points: Sequence[TradeoffPoint]) -> list[TradeoffPoint]:
    """Points that would be drawn on top of each other become one with all their names."""
    groups: dict[tuple[str, str], list[TradeoffPoint]] = {}
    for point in points:
        groups.setdefault((f"{point.x:.3g}", f"{point.y:.3g}"), []).append(point)
    return [
        replace(
            group[0],
            name=", ".join(point.name for point in group),
            label=", ".join(point.label or point.name for point in group),
        )
        for group in groups.values()
    ]


def _label(system: System) -> str:
    """The value of the swept setting, which tells points of one color apart; else empty."""
    return str(system.settings[system.sweep]) if system.sweep else ""


def _interval(scores: Scores, key: str) -> tuple[float | None, float | None]:
    score = scores.get("scores", {}).get(key, {})
    return score.get("low"), score.get("high")


def _sweep(evaluation: Evaluation, systems: Sequence[Scores], score: MetricName) -> None:
    setting = next(system.sweep for system in evaluation.systems if system.sweep)
    by_line = _systems_by_line(evaluation, systems, setting)
    lines = [_sweep_line(name, rows, setting, score.key) for name, rows in by_line.items()]
    rows = [
        (line.name, x, height)
        for line in lines
        for x, height in zip(line.values, line.scores, strict=True)
    ]
    what = f"{score.label} by {setting}"
    title = _title(evaluation, what, systems[0]["n"])
    figure = plots.sweep_curve(lines, title=title, x_label=setting, y_label=score.label)
    values = "; ".join(f"{name} at {x:g}: {height:.4g}" for name, x, height in rows)
    chart(figure, alt=f"{what}. {values}", file_name=file_name(title))
    st.caption(sweep_caption(setting, score))
    _download(what, ("line", setting, score.key), rows)


def _systems_by_line(
    evaluation: Evaluation, systems: Sequence[Scores], setting: str
) -> dict[str, SystemScores]:
    """The systems of the sweep, grouped by checkpoint and strategy."""
    lines: dict[str, SystemScores] = {}
    models = {system.model for system in evaluation.systems}
    n_models = Counter(model.run for model in models)
    titles = unique_names({system.run: cached.title(system.run) for system in evaluation.systems})
    for system, scores in zip(evaluation.systems, systems, strict=True):
        if system.sweep == setting:
            name = f"{titles[system.run]}, {system.strategy}"
            if n_models[system.run] > 1:
                name += f", {cached.step_name(system.run, system.step)}"
            lines.setdefault(name, []).append((system, scores))
    return lines


def _sweep_line(name: str, rows: SystemScores, setting: str, y: str) -> SweepLine:
    """Sorted by the setting's value; with intervals where every point has one."""
    points = sorted(
        (
            (float(system.settings[setting]), score, *_interval(scores, y))
            for system, scores in rows
            if (score := value(scores, y)) is not None
        ),
        key=lambda point: point[0],
    )
    values = tuple(point[0] for point in points)
    heights = tuple(point[1] for point in points)
    if any(low is None for _, _, low, _ in points):
        return SweepLine(name, values, heights)
    lows = tuple(float(low or 0) for _, _, low, _ in points)
    highs = tuple(float(high or 0) for *_, high in points)
    return SweepLine(name, values, heights, lows, highs)


def _download(what: str, head: Sequence[str], rows: Sequence[tuple[str, float, float]]) -> None:
    out = io.StringIO()
    lines = csv_writer(out)
    lines.writerow(head)
    lines.writerows([name, x, y] for name, x, y in rows)
    name = file_name(what)
    st.download_button(
        "Download data (CSV)",
        out.getvalue(),
        f"{name}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"csv {name}",
    )
