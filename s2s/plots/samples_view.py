"""The pictures of `Samples`: how similar each is to each, and the texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.attention import LEGIBLE
from s2s.plots.picture import Picture
from s2s.questions import ComparedSamples, Samples, samples

CAPTION = (
    "Each row is a sample, each column a sample it is compared with; the brighter, the more similar. The row with the"
    " highest mean wins."
)
Floats = npt.NDArray[np.float64]
ROW = 30  # pixels
LEAST = 130  # pixels of all rows: the name of their axis is beside them
SMALL_ROW = 14  # of many rows


def pictures(question: Samples, answer: ComparedSamples, model: str) -> list[Picture]:
    title = f"{model}\n{answer.metric} of {answer.n} samples ({samples.NAME})"
    means = [each.expected for each in answer.samples]
    times = [each.times for each in answer.samples]
    return [
        Picture(
            "samples",
            title,
            utility(answer.pairs, means, times, title=title, measure=answer.metric),
            f"Heatmap of {title.replace(chr(10), ', ')}; {answer.means}",
            question.table(answer),
            question.finding(answer),
            CAPTION,
        ),
        Picture(
            "texts of samples",
            f"{model}\nThe samples",
            None,
            f"{len(answer.samples)} distinct samples",
            samples.samples_table(answer),
        ),
    ]


def utility(
    pairs: Floats, means: Sequence[float], counts: Sequence[int], *, title: str, measure: str
) -> go.Figure:
    """A heatmap of similarities: `pairs` is (samples, samples) from 0 to 100, the best sample first: sample i with
    sample j as its reference.
    """
    n = len(pairs)
    if not n:
        return theme.empty("There are no samples to compare.")
    if pairs.shape != (n, n) or not len(means) == len(counts) == n:
        raise ValueError(f"pairs are {pairs.shape}, means {len(means)}, counts {len(counts)}")
    has_numbers = n <= LEGIBLE
    traces = [
        _cells(pairs, measure, has_scale=not has_numbers),
        *([_numbers(pairs)] if has_numbers else []),
    ]
    numbers = [str(number) for number in range(1, n + 1)]
    ticks = {
        "tickmode": "array",
        "tickvals": list(range(n)),
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }
    layout = {
        "title": theme.heading(title),
        "height": 150 + max(LEAST, n * (ROW if has_numbers else SMALL_ROW)),
        "margin": {**theme.MARGIN, "l": 116},
        "xaxis": ticks
        | {
            "ticktext": numbers,
            "title": {"text": "reference sample"},
            "side": "top",
            "range": [-0.5, n - 0.5],
        },
        "yaxis": ticks
        | {
            "ticktext": labels(means, counts),
            "title": {"text": f"sample · mean {measure}"},
            "range": [n - 0.5, -0.5],
        },
        "dragmode": False,
        "showlegend": False,
    }
    return go.Figure(traces, layout)


def labels(means: Sequence[float], counts: Sequence[int]) -> list[str]:
    """A label per sample, `★ 1 ×4 · 71.2`: a star for the winner, the number, how often it was drawn, its mean."""
    often = [f" ×{count}" if count > 1 else "" for count in counts]
    marked = ["★ 1", *(str(number) for number in range(2, len(counts) + 1))]
    return [
        f"{number}{times} · {mean:.3g}"
        for number, times, mean in zip(marked, often, means, strict=True)
    ]


def _cells(pairs: Floats, measure: str, *, has_scale: bool) -> go.Heatmap:
    hover = [
        [f"sample {row} with reference {column}" for column in range(1, len(pairs) + 1)]
        for row in range(1, len(pairs) + 1)
    ]
    return go.Heatmap(
        z=np.ascontiguousarray(pairs, dtype=np.float32),
        zmin=0,
        zmax=100,
        colorscale=theme.SEQUENTIAL,
        xgap=1,
        ygap=1,
        customdata=np.array(hover, dtype=object),
        hovertemplate=f"%{{customdata}}: {measure} %{{z:.3~g}}<extra></extra>",
        showscale=has_scale,
        colorbar={"thickness": 10, "title": {"text": measure, "side": "right"}},
    )


def _numbers(pairs: Floats) -> go.Scatter:
    rows, columns = np.indices(pairs.shape, dtype=np.float32)
    return go.Scatter(
        x=columns.ravel(),
        y=rows.ravel(),
        mode="text",
        text=[f"{value:.0f}" for value in pairs.ravel()],
        textfont={"color": theme.text_colors((pairs / 100).astype(np.float32)), "size": 12},
        hoverinfo="skip",
    )
