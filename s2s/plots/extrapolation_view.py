"""The picture of `Extrapolation`: accuracy by the length of a line, a line per encoding."""

from __future__ import annotations

from s2s.analysis import Matrix
from s2s.config import POSITION_KINDS
from s2s.jobs import extrapolation
from s2s.plots.picture import Picture
from s2s.plots.positions import LineSeries
from s2s.plots.positions import extrapolation as draw
from s2s.questions import SCORES, Extrapolated, Extrapolation

CHANCE = {"digits": 10.0, "whole": None}  # percent: there are ten digits
SPREAD = " The shade around a line reaches from the worst seed to the best."
CAPTION = (
    "Models that differ only in their position encoding learned to {task} lines of {low} to {high} digits in {steps:,}"
    " steps. Here they are tested on lines of up to {longest} digits, {each} of each length, decoded greedily. If a"
    " line falls at the edge of the shaded training lengths, that encoding does not extrapolate.{spread} These are"
    " small models on a toy task: what is best here may not be best elsewhere."
)


def pictures(question: Extrapolation, answer: Extrapolated, model: str) -> list[Picture]:
    kinds = answer.of_kinds(question.score)
    n_seeds = max(map(len, kinds.values()), default=1)
    seeds = f"mean of {n_seeds} seeds" if n_seeds > 1 else "one seed"
    origin = f"shipped, {seeds}" if answer.is_shipped else "trained here"
    score = SCORES[question.score]
    title = f"{question.task.capitalize()} · {score}\n{origin}"
    low, high = extrapolation.TRAINED
    caption = CAPTION.format(
        task=question.task,
        low=low,
        high=high,
        steps=question.steps,
        longest=extrapolation.LENGTHS[-1],
        each=extrapolation.EACH,
        spread=SPREAD if n_seeds > 1 else "",
    )
    figure = draw(
        [_line(kind, 100 * rows) for kind, rows in kinds.items()],
        extrapolation.TRAINED,
        title=title,
        y_label=f"{score} (%)",
        chance=CHANCE[question.score],
    )
    alt = f"Lines: accuracy by the length of a line, for each encoding; {title.replace(chr(10), ', ')}"
    said = question.finding(answer)
    return [Picture("extrapolation", title, figure, alt, question.table(answer), said, caption)]


def _line(kind: str, percent: Matrix) -> LineSeries:
    shade = (percent.min(0), percent.max(0)) if len(percent) > 1 else ()
    return LineSeries(POSITION_KINDS[kind].label, extrapolation.LENGTHS, percent.mean(0), *shade)
