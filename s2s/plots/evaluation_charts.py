"""The scores of an evaluation as plots: quality against speed and diversity, a swept setting, sentences as points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from s2s.analysis import SentenceRow, correlation
from s2s.config import shortened, unique_names
from s2s.plots.picture import Picture
from s2s.plots.score_plots import (
    MOST_POINTS,
    SweepLine,
    TradeoffPoint,
    sentence_scores,
    sweep_curve,
    tradeoff,
)
from s2s.questions import Evaluate, Evaluated, Table
from s2s.runs import System
from s2s.scores import METRIC_NAMES, METRICS
from s2s.words import MetricName

QUALITY = ("bleu", "chrf", "ter", "rouge_l", "exact_match")
X_LABELS = {
    "sentences_per_second": "sentences per second",
    "distinct_2": "distinct word pairs, % of all",
}
SWEEP_SCORES = ("length_ratio", "repetition", "sentences_per_second")  # offered besides QUALITY
SWEPT, SPEED, DIVERSITY, POINTS = "sweep", "quality and speed", "quality and diversity", "scatter"
LOG_PROB = "log_prob"
TRADEOFF = "One point per system, with the interval of its height where one is known."
SWEEP = "One line per run and strategy, one point per value of the setting."
SCATTER = "One point per sentence. Where the points form a line, the two scores agree; inspect those far from it."


def qualities(answer: Evaluated) -> dict[str, str]:
    """The scores that the plots of systems offer, with their labels; none for one system."""
    found = answer.present([*QUALITY, *(name.key for name in answer.given)])
    if len(answer.names) < 2:
        return {}
    more = SWEEP_SCORES if _setting(answer) else ()
    return {key: answer.metrics[key].label for key in (*found, *more)} if found else {}


def points_offered(answer: Evaluated, number: int) -> dict[str, str]:
    """The scores that every sentence of a system has, with their labels."""
    rows = answer.sentences[number]
    known = [METRIC_NAMES[key] for key in METRICS]
    if all(row.log_prob is not None for row in rows):
        known.append(METRIC_NAMES[LOG_PROB])
    given = [name for name in answer.given if all(name.key in row.scores for row in rows)]
    return {name.key: name.label for name in (*known, *given)}


def title_of(answer: Evaluated, what: str, whose: str = "") -> str:
    """A title that names the runs, the test set and what is drawn."""
    runs = dict.fromkeys(f"{one.run} · {one.step}" for one in answer.made if one.step)
    whose = whose or (", ".join(runs) if len(runs) <= 2 else f"{len(runs)} runs")
    test = shortened(answer.evaluation.test.name, 30)
    return f"{f'{whose} · ' if whose else ''}{test}\n{what} · {answer.n:,} sentences"


def system_pictures(question: Evaluate, answer: Evaluated) -> list[Picture]:
    """Pictures of an evaluation: the sweep if there is one, quality against speed and against diversity."""
    offered = qualities(answer)
    if not offered:
        return []
    key = question.quality if question.quality in offered else next(iter(offered))
    score = answer.metrics[key]
    swept = [_sweep(answer, score)] if _setting(answer) else []
    return [
        *swept,
        _tradeoff(answer, SPEED, "sentences_per_second", score),
        _tradeoff(answer, DIVERSITY, "distinct_2", score),
    ]


def tradeoff_caption(height: MetricName, across: MetricName) -> str:
    """How to read the points of two scores: in which direction is better, where a score has one."""
    up = {"higher": "Up", "lower": "Down"}.get(height.better)
    right = {"higher": "to the right", "lower": "to the left"}.get(across.better)
    if up and right:
        return (
            f"{TRADEOFF} {up} and {right} is better: a system with no other on that side of it, in both directions, is"
            " on the Pareto frontier."
        )
    way = up or (right and right.capitalize())
    return f"{TRADEOFF} {way} is better." if way else TRADEOFF


def sweep_caption(setting: str, score: MetricName) -> str:
    """How to read a sweep's line; for wider searches, which should translate better, what it means if they do not."""
    if setting != "num_beams" or not score.better or score.key not in QUALITY:
        return SWEEP
    worse = "falls" if score.better == "higher" else "rises"
    return (
        f"{SWEEP} Where the line {worse} although the search is wider, the model prefers outputs that people do"
        " not."
    )


def _tradeoff(answer: Evaluated, name: str, x: str, score: MetricName) -> Picture:
    points = tradeoff_points(answer, x, score.key)
    across = METRIC_NAMES[x]
    what = f"{score.label} and {across.label.lower()}"
    title = title_of(answer, what)
    figure = tradeoff(merged(points), title=title, x_label=X_LABELS[x], y_label=score.label)
    values = "; ".join(f"{point.name}: {point.x:.4g}, {point.y:.4g}" for point in points)
    return Picture(
        name,
        title,
        figure,
        f"{what} of {len(points)} systems. {values}",
        Table(("system", x, score.key), [[one.name, one.x, one.y] for one in points]),
        caption=tradeoff_caption(score, across),
    )


def tradeoff_points(answer: Evaluated, x: str, y: str) -> list[TradeoffPoint]:
    """One point per system that has both scores; systems of one checkpoint and strategy share a color."""
    systems = answer.evaluation.systems
    groups = list(dict.fromkeys((system.model, system.strategy) for system in systems))
    return [
        TradeoffPoint(
            system.name,
            across,
            up,
            *_interval(answer, number, y),
            groups.index((system.model, system.strategy)),
            str(system.settings[system.sweep]) if system.sweep else "",
        )
        for number, system in enumerate(systems)
        if (across := answer.value(number, x)) is not None
        and (up := answer.value(number, y)) is not None
    ]


def merged(points: Sequence[TradeoffPoint]) -> list[TradeoffPoint]:
    """The points, where those that would be drawn on top of each other become one with all their names."""
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


def _interval(answer: Evaluated, number: int, key: str) -> tuple[float | None, float | None]:
    score = answer.systems[number].get("scores", {}).get(key, {})
    return score.get("low"), score.get("high")


def _setting(answer: Evaluated) -> str:
    return next((system.sweep for system in answer.evaluation.systems if system.sweep), "")


def _sweep(answer: Evaluated, score: MetricName) -> Picture:
    setting = _setting(answer)
    lines = [
        _sweep_line(answer, name, numbers, score.key)
        for name, numbers in sweep_lines(answer, setting).items()
    ]
    rows = [
        [line.name, x, height]
        for line in lines
        for x, height in zip(line.values, line.scores, strict=True)
    ]
    what = f"{score.label} by {setting}"
    title = title_of(answer, what)
    values = "; ".join(f"{name} at {x:g}: {height:.4g}" for name, x, height in rows)
    return Picture(
        SWEPT,
        title,
        sweep_curve(lines, title=title, x_label=setting, y_label=score.label),
        f"{what}. {values}",
        Table(("line", setting, score.key), rows),
        caption=sweep_caption(setting, score),
    )


def sweep_lines(answer: Evaluated, setting: str) -> dict[str, list[int]]:
    """The numbers of the systems of the sweep, grouped by checkpoint and strategy."""
    systems = answer.evaluation.systems
    n_models = Counter(model.run for model in {system.model for system in systems})
    titles = unique_names(
        {system.run: made.run for system, made in zip(systems, answer.made, strict=True)}
    )
    lines: dict[str, list[int]] = {}
    for number, system in enumerate(systems):
        if system.sweep == setting:
            name = f"{titles[system.run]}, {system.strategy}"
            if n_models[system.run] > 1:
                name += f", {answer.made[number].step}"
            lines.setdefault(name, []).append(number)
    return lines


def _sweep_line(answer: Evaluated, name: str, numbers: Sequence[int], key: str) -> SweepLine:
    systems: Sequence[System] = answer.evaluation.systems
    points = sorted(
        (
            (float(systems[i].settings[systems[i].sweep]), score, *_interval(answer, i, key))
            for i in numbers
            if (score := answer.value(i, key)) is not None
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


def scatter_picture(question: Evaluate, answer: Evaluated) -> Picture:
    """A picture of two scores of the sentences of one system, and of how far they agree."""
    number = place(question.points_of, answer, 0)
    rows = answer.sentences[number]
    offered = points_offered(answer, number)
    x, y = (
        answer.metrics[key if key in offered else usual]
        for key, usual in ((question.across, "chrf"), (question.up, [*offered][-1]))
    )
    across, up = ([_value(row, name.key) for row in rows] for name in (x, y))
    what = f"{y.label} and {x.label}"
    title = title_of(answer, what, shortened(answer.names[number], 40))
    columns = [*dict.fromkeys((x.key, y.key))]
    found = correlation(across, up)
    agreement = (
        f"Pearson correlation {found.pearson:.3f}, Spearman rank correlation {found.spearman:.3f}."
        if found
        else "There is no correlation to compute: fewer than three sentences, or all have one value."
    )
    many = (
        f" {MOST_POINTS:,} of {len(rows):,} sentences are drawn; the correlations are of all."
        if len(rows) > MOST_POINTS
        else ""
    )
    return Picture(
        POINTS,
        title,
        sentence_scores(
            across,
            up,
            [row.source for row in rows],
            title=title,
            x_label=_label(x),
            y_label=_label(y),
        ),
        f"{what} of {len(rows)} sentences. {agreement}",
        Table(
            ("number", *columns),
            [[row.number, *(_value(row, key) for key in columns)] for row in rows],
        ),
        caption=f"{agreement}{many} {SCATTER}",
    )


def place(number: str, answer: Evaluated, usual: int) -> int:
    """A system's index, from 0, by its number in a link, from 1; `usual` for a number that there is not."""
    is_there = number.isdecimal() and 1 <= int(number) <= len(answer.names)
    return int(number) - 1 if is_there else usual


def _value(row: SentenceRow, key: str) -> float:
    return row.log_prob or 0.0 if key == LOG_PROB else row.scores[key]


def _label(name: MetricName) -> str:
    return f"{name.label} ({name.unit})" if name.unit else name.label
