"""The pictures of `PositionKinds`: drawn from arrays alone, whichever kind has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import numpy as np

from s2s.analysis import positions as engine
from s2s.config import POSITION_KINDS
from s2s.plots import theme
from s2s.plots.picture import Figure, Picture
from s2s.plots.positions import (
    MAX_MATRIX_ROWS,
    LineSeries,
    downsampled,
    line_chart,
    matrix,
    rotations,
)
from s2s.questions import MEASURES, VECTORS, Encoding, PositionKinds, Table, rounded

ARMS = 3  # angles that are drawn
DEGREES_APART = 110  # between the positions where they start, if there are enough positions
MAX_HEADS = 6  # that have a line
N_COLUMNS = 5  # that have a line where there are no waves
N_PAIRS = 4  # spread over the width, to compare with the chosen one
BIASES = 256  # positions of a square that is drawn
COULD = "A model could use this; the picture does not show that it does."
CAPTIONS: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("matrix", "vectors"): (
            "Each row is the vector that is added to the word at that position. The picture does not show what a model"
            " makes of it."
        ),
        ("matrix", "query"): (
            "A query whose pairs of columns all start as (1, 0), at each position. A real query starts elsewhere in"
            " each pair; the angles are the same."
        ),
        ("matrix", "bias"): (
            "Each row is one head: what it adds to a score before the softmax, by the key's position minus the query's."
            " The scores of the words themselves, which may outweigh it, are not shown."
        ),
        (
            "waves",
            "vectors",
        ): "The two columns of one pair over the positions, and a column of other pairs.",
        (
            "waves",
            "query",
        ): "The two columns of one pair of a rotated query, and a column of other pairs.",
        ("distance", "vectors"): (
            "Shaded: from the lowest to the highest of all pairs equally far apart. Similarity is the same forwards and"
            " backwards, so it does not tell the direction."
        ),
        ("distance", "query"): (
            "The score of a query and a key, farther and farther apart: {vectors}. Equal vectors match best nearby,"
            " independent ones show no such trend: this is a tendency, not a rule. Shaded: one standard deviation."
        ),
        ("distance", "bias"): (
            "Left of 0 are keys before the query. If all tokens matched equally well, a weight would be multiplied by"
            " exp(number): −1 leaves 37 %."
        ),
        (
            "rotation",
            "vectors",
        ): f"One pair of columns at each position, and {ARMS} steps of the same length. {COULD}",
        ("rotation", "query"): (
            "One pair of columns of a query at each position. Its key rotates alike, so the angle between both, and"
            f" with it their score, depends on their distance alone. {COULD}"
        ),
    }
)


def pictures(question: PositionKinds, answer: Encoding, model: str) -> list[Picture]:
    row = POSITION_KINDS[answer.kind]
    heading = " · ".join(filter(None, (row.label, model)))
    about = f"{row.summary} {row.source}.".removesuffix(" .")
    said = question.finding(answer)
    drawn = [
        (part, *figure)
        for part in answer.parts
        if (question.show, part) in DRAWN
        for figure in DRAWN[question.show, part](question, answer, heading)
    ]
    if not drawn:
        why = theme.empty("There is nothing of this kind to draw.")
        name = f"{answer.kind} {question.show}"
        return [Picture(name, heading, why, f"{heading}: {said}", Table((), []), said, about)]
    learned = _learned(question) if row.table else ""
    found: list[Picture] = []
    for part, title, figure in drawn:
        is_first = not found
        how = CAPTIONS[question.show, part].format(vectors=VECTORS[question.vectors])
        found.append(
            Picture(
                f"{answer.kind} {question.show} {len(found) + 1}",
                title,
                figure,
                f"Picture: {title.replace(chr(10), ', ')}",
                question.part_table(answer, part),
                said if is_first else "",
                " ".join(filter(None, (about, how, learned))) if is_first else "",
            )
        )
    return found


def _learned(question: PositionKinds) -> str:
    if question.run:
        return "What it learns is this run's; positions that no sentence reached keep their initial values."
    return "What it learns is as drawn before training; “Longer than trained” trains a run that has learned it."


Drawn = Iterator[tuple[str, Figure]]  # titles and figures


def _numbers(question: PositionKinds, answer: Encoding, heading: str) -> Drawn:
    is_added = answer.vectors is not None
    columns = answer.vectors if answer.vectors is not None else answer.query
    if columns is None:
        return
    what = "dimensions" if is_added else "columns of a query"
    title = f"{heading}\n{len(columns):,} positions × {columns.shape[1]} {what}"
    across = "dimension" if is_added else "column of the query"
    yield title, matrix(columns, title=title, x_label=across, y_label="position")


def _heads(question: PositionKinds, answer: Encoding, heading: str) -> Drawn:
    if answer.bias is None:
        return
    values = answer.bias.mean
    title = f"{heading}\nadded to scores by {len(values)} heads, {len(answer.distances)} distances"
    figure = matrix(values, title=title, x_label="key minus query", y_label="head")
    yield title, figure.update_traces(y0=1, x0=int(answer.distances[0]))
    if answer.first_head is not None:
        square = answer.first_head[:BIASES, :BIASES]
        title = f"{heading}\nadded to scores by head 1, {len(square)} positions"
        yield title, matrix(square, title=title, x_label="key", y_label="query")


def _waves(question: PositionKinds, answer: Encoding, heading: str) -> Drawn:
    if (waves := answer.waves) is None:
        return
    sines = waves.imag.astype(np.float32)
    cosines = waves.real.astype(np.float32)
    x = np.arange(len(waves))
    n_pairs = waves.shape[1]
    if not answer.is_rotation:
        pairs = sorted({int(pair) for pair in np.linspace(0, n_pairs - 1, N_COLUMNS)})
        lines = [LineSeries(f"pair {pair + 1}", x, sines[:, pair]) for pair in pairs]
        title = f"{heading}\none column of {len(pairs)} of {n_pairs} pairs"
        yield title, line_chart(lines, title=title, x_label="position", y_label="value")
        return
    chosen = question.chosen(answer)
    periods = engine.wavelengths(waves)
    lines = [
        LineSeries(f"pair {chosen + 1}, {side}", x, values)
        for side, values in (("sine", sines[:, chosen]), ("cosine", cosines[:, chosen]))
    ]
    others = {int(pair) for pair in np.linspace(0, n_pairs - 1, N_PAIRS)} - {chosen}
    lines += [
        LineSeries(f"pair {pair + 1}, period {rounded(periods[pair])}", x, sines[:, pair])
        for pair in sorted(others)
    ]
    title = f"{heading}\npair {chosen + 1} of {n_pairs}: a period of {rounded(periods[chosen])} positions"
    yield title, line_chart(lines, title=title, x_label="position", y_label="value")
    line = LineSeries("period", np.arange(1, n_pairs + 1), periods.astype(np.float32))
    title = f"{heading}\nperiods from {rounded(periods[0])} to {rounded(periods[-1])} positions"
    yield (
        title,
        line_chart(
            [line], title=title, x_label="pair", y_label="positions per period", is_log=True
        ),
    )


def _similarity(question: PositionKinds, answer: Encoding, heading: str) -> Drawn:
    near = question.similarity(answer)
    measure = MEASURES[question.measure]
    n = len(near.mean)
    title = f"{heading}\n{measure} of two positions by their offset"
    line = LineSeries("mean", np.arange(n), near.mean, near.low, near.high)
    yield title, line_chart([line], title=title, x_label="offset", y_label=measure)
    step = -(-n // MAX_MATRIX_ROWS)
    few = engine.similarities(downsampled(question.compared(answer), step))
    cells, axis = (
        (f", means of {step} by {step}", f"position / {step}") if step > 1 else ("", "position")
    )
    title = f"{heading}\n{measure} of {n} by {n} positions{cells}"
    yield title, matrix(few, title=title, x_label=axis, y_label=axis)


def _scores(question: PositionKinds, answer: Encoding, heading: str) -> Drawn:
    scores = answer.scores
    if scores is None or answer.query is None:
        return
    mean = scores.mean(0)
    deviation = scores.std(0)
    shade = (mean - deviation, mean + deviation) if len(scores) > 1 else ((), ())
    line = LineSeries("mean", np.arange(len(mean)), mean, *shade)
    title = f"{heading}\nq·k / √{answer.query.shape[1]} by distance, {VECTORS[question.vectors]}"
    x_label = "positions from key to query"
    yield title, line_chart([line], title=title, x_label=x_label, y_label="score")


def _bias(question: PositionKinds, answer: Encoding, heading: str) -> Drawn:
    if (bias := answer.bias) is None:
        return
    n = len(bias.mean)
    heads = sorted({int(head) for head in np.linspace(0, n - 1, MAX_HEADS)})
    has_range = answer.first_head is not None
    lines = [
        LineSeries(
            f"head {head + 1}",
            answer.distances,
            bias.mean[head],
            *((bias.low[head], bias.high[head]) if has_range else ()),
        )
        for head in heads
    ]
    title = f"{heading}\nadded to scores by {len(heads)} of {n} heads"
    x_label, y_label = "key minus query", "added to the score"
    yield title, line_chart(lines, title=title, x_label=x_label, y_label=y_label)


def _circle(question: PositionKinds, answer: Encoding, heading: str) -> Drawn:
    if (waves := answer.waves) is None:
        return
    pair = question.chosen(answer)
    offset = question.over(answer)
    points = np.stack([waves[:, pair].real, waves[:, pair].imag], 1).astype(np.float32)
    which = f"{heading}\npair {pair + 1} of {waves.shape[1]}"
    last_start = len(points) - 1 - offset
    if answer.is_rotation:
        period = float(engine.wavelengths(waves)[pair])
        angle = 360 * offset / period
        title = f"{which}: {offset} positions later is {angle % 360:.3g}°"
        stride = min(
            last_start // (ARMS - 1), max(1, round(DEGREES_APART / 360 * min(period, 1e9)))
        )
        axes = ("cosine", "sine")
    else:
        title = f"{which}: no one angle for {offset} positions later"
        stride = last_start // (ARMS - 1)
        axes = ("second column", "first column")
    starts = sorted({arm * stride for arm in range(ARMS)})
    yield title, rotations(points, offset, starts, title=title, axes=axes)


DRAWN: Mapping[tuple[str, str], Callable[[PositionKinds, Encoding, str], Drawn]] = MappingProxyType(
    {
        ("matrix", "vectors"): _numbers,
        ("matrix", "query"): _numbers,
        ("matrix", "bias"): _heads,
        ("waves", "vectors"): _waves,
        ("waves", "query"): _waves,
        ("distance", "vectors"): _similarity,
        ("distance", "query"): _scores,
        ("distance", "bias"): _bias,
        ("rotation", "vectors"): _circle,
        ("rotation", "query"): _circle,
    }
)
