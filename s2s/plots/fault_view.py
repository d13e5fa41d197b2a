"""The pictures of `FaultResults`: the losses of both runs, what both translate, their numbers, and those of all."""

from __future__ import annotations

from s2s.config import shortened
from s2s.demo import Measured
from s2s.faults import FAULTS
from s2s.plots.picture import ComparedRows, Picture
from s2s.plots.positions import LineSeries, line_chart
from s2s.questions import FaultResults, MeasuredFaults, Table
from s2s.questions import fault_results as results
from s2s.questions.fault_results import BROKEN, HEALTHY, MEASURES, SHOWN_BY

LOSSES = (
    "Our two runs, which ship with the program, learned to write a row of digits backwards: one with this fault, one"
    " without."
)
DEMO = "The model demo-en-fr translates, once with this fault and once without."
MOST = 80  # characters of a translation that never ends


def pictures(question: FaultResults, answer: MeasuredFaults, model: str) -> list[Picture]:
    title = FAULTS[question.fault].title.replace("`", "")
    title = f"Our runs · {title}" if answer.pair(question.fault)[0].is_trained else title
    broken, healthy = answer.pair(question.fault)
    finding = question.finding(answer)
    curves = [_curves(title, broken, healthy, finding)] if broken.is_trained else []
    return [
        *curves,
        _outputs(title, broken, healthy, "" if curves else finding),
        _numbers(title, question.table(answer)),
        _all(answer),
    ]


def _curves(title: str, broken: Measured, healthy: Measured, finding: str) -> Picture:
    lines = [
        LineSeries(f"{kind}, {name}", steps, values)
        for name, run in ((BROKEN, broken), (HEALTHY, healthy))
        for kind, steps, values in (
            ("training", run.steps, run.loss),
            ("validation", run.valid_steps, run.valid_loss),
        )
    ]
    rows = [
        [line.name, step, loss] for line in lines for step, loss in zip(line.x, line.y, strict=True)
    ]
    heading = f"{title} · loss during training"
    figure = line_chart(
        lines,
        title=heading,
        x_label="training step",
        y_label="loss (nats per token, log scale)",
        is_log=True,
    )
    last = f"at the end {broken.final_loss:.2f} {BROKEN}, {healthy.final_loss:.2f} {HEALTHY}"
    table = Table(("run", "step", "loss"), rows)
    return Picture("fault curves", heading, figure, f"{heading}; {last}", table, finding, LOSSES)


def _outputs(title: str, broken: Measured, healthy: Measured, finding: str) -> Picture:
    both = zip(broken.outcome.outputs, healthy.outcome.outputs, strict=True)
    rows = [
        [source, shortened(text, MOST), other, reference]
        for (source, reference, text), (_, _, other) in both
    ]
    columns = ("source", BROKEN, HEALTHY, "reference")
    return Picture(
        "fault outputs",
        f"{title} · translations",
        ComparedRows(
            columns,
            rows,
            (BROKEN, HEALTHY),
            [row[3] for row in rows],
            ("a translation", "its reference"),
        ),
        f"Table of {len(rows)} sentences, as both runs translate them",
        Table(columns, rows),
        finding,
        "" if broken.is_trained else DEMO,
    )


def _numbers(title: str, table: Table) -> Picture:
    shown = [
        [name, *map(MEASURES[name].written, values), MEASURES[name].about]
        for name, *values in table.rows
    ]
    return Picture(
        "fault numbers",
        f"{title} · numbers",
        ComparedRows((*table.columns, "what it is"), shown, (), [None] * len(shown), ("", "")),
        f"Table of {len(shown)} measures",
        table,
    )


def _all(answer: MeasuredFaults) -> Picture:
    shown = []
    for fault, measure in SHOWN_BY.items():
        pair = (results.numbers(one)[measure] for one in answer.pair(fault))
        written = map(MEASURES[measure].written, pair)
        shown.append([FAULTS[fault].title.replace("`", ""), measure, *written])
    rows = [[run, *results.numbers(one).values()] for run, one in answer.results.items()]
    return Picture(
        "all faults",
        "All faults\nthe number that gives each away",
        Table(("fault", "shown by", BROKEN, HEALTHY), shown),
        f"Table of {len(shown)} faults",
        Table(("run", *MEASURES), rows),
    )
