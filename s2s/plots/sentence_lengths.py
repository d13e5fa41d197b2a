"""The lengths of a dataset's sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from s2s.plots import theme

MAX_BARS = 40


def sentence_lengths(
    src_counts: Sequence[int], tgt_counts: Sequence[int], *, title: str
) -> go.Figure:
    """`counts[n]` sentences have n words. Sources as bars, targets as a step line."""
    longest = max(len(src_counts), len(tgt_counts))
    if not sum(src_counts):
        return theme.empty("There are no pairs to measure.")
    width = max(1, -(-longest // MAX_BARS))
    starts = np.arange(0, longest, width)
    src, tgt = (_binned(counts, longest, width) for counts in (src_counts, tgt_counts))
    spans = [
        f"{start} word{'' if start == 1 else 's'}"
        if width == 1
        else f"{start} to {start + width - 1} words"
        for start in starts
    ]
    hover = {"customdata": spans, "hovertemplate": "%{customdata}: %{y:,} sentences"}
    bars = go.Bar(x=starts, y=src, name="source", marker={"color": theme.CATEGORICAL[0]}, **hover)
    steps = {"color": theme.CATEGORICAL[1], "shape": "hvh", "width": 3}
    outline = go.Scatter(x=starts, y=tgt, name="target", mode="lines", line=steps, **hover)
    return go.Figure(
        [bars, outline],
        theme.layout(title, 300, "words per sentence", "sentences") | {"bargap": 0.1},
    )


def _binned(counts: Sequence[int], longest: int, width: int) -> list[int]:
    padded = np.zeros(-(-longest // width) * width, np.int64)
    padded[: len(counts)] = counts
    return [int(n) for n in padded.reshape(-1, width).sum(1)]
