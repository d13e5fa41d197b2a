"""What a dataset consists of: lengths, words, how many of them are known, and what tokenizers make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go

from s2s.plots import theme

MAX_BARS = 40
TICKS = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)
Growth = Sequence[tuple[int, int]]
# minimum count in the training set, share of word tokens, share of distinct words
CoverageRow = tuple[int, float, float]
WORD_ROW = 18  # pixels per word
SYMBOLS = ("circle", "diamond", "square", "cross", "x", "triangle-up", "star")


def sentence_lengths(
    src_counts: Sequence[int], tgt_counts: Sequence[int], *, title: str
) -> go.Figure:
    """A plot of sentence lengths: `counts[n]` sentences have n words. Sources as bars, targets as a step line."""
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


def length_ratio(
    counts: Sequence[int], edges: Sequence[float], median: float, *, title: str
) -> go.Figure:
    """A histogram of length ratios: `counts[i]` pairs have a ratio from `edges[i]` to `edges[i + 1]`, on a logarithmic
    scale; the first and the last count also those beyond.
    """
    if not sum(counts):
        return theme.empty("No pair has words on both sides.")
    logs = np.log2(np.asarray(edges, np.float64))
    spans = [
        f"{low:.2f} to {high:.2f} target words per source word" for low, high in pairwise(edges)
    ]
    spans[0] = f"{edges[1]:.2f} or fewer target words per source word"
    spans[-1] = f"{edges[-2]:.2f} or more target words per source word"
    bars = go.Bar(
        x=((logs[:-1] + logs[1:]) / 2).astype(np.float32),
        y=list(counts),
        width=np.diff(logs).astype(np.float32) * 0.9,
        marker={"color": theme.CATEGORICAL[0]},
        customdata=spans,
        hovertemplate="%{customdata}: %{y:,} pairs<extra></extra>",
        showlegend=False,
    )
    layout = theme.layout(
        title,
        300,
        f"target words per source word (median {median:.2f}, dashed)",
        "pairs",
    )
    shown = [tick for tick in TICKS if edges[0] <= tick <= edges[-1]]
    layout["xaxis"] |= {
        "rangemode": "normal",
        "tickmode": "array",
        "tickvals": np.log2(shown).tolist(),
        "ticktext": [*map(_tick, shown)],
    }
    figure = go.Figure([bars], layout)
    return figure.add_vline(
        float(np.log2(median)), line={"color": theme.CATEGORICAL[3], "width": 2, "dash": "dash"}
    )


def _tick(value: float) -> str:
    return f"{value:g}" if value >= 1 else f"1/{1 / value:g}"


def vocabulary_growth(src: Growth, tgt: Growth, *, title: str) -> go.Figure:
    """A plot of distinct words by word tokens, both on logarithmic scales: a power law is a straight line."""
    if not any(n_tokens for n_tokens, _ in (*src, *tgt)):
        return theme.empty("There are no words to count.")
    styles = (("source", src, 0, "solid", "circle"), ("target", tgt, 1, "dash", "diamond"))
    lines = [
        _growth(name, points, theme.CATEGORICAL[color], dash, symbol)
        for name, points, color, dash, symbol in styles
    ]
    layout = theme.layout(title, 300, "word tokens", "distinct words")
    for axis, counts in zip(("xaxis", "yaxis"), zip(*src, *tgt, strict=True), strict=True):
        seen = [count for count in counts if count]
        layout[axis] |= theme.log_axis(min(seen), max(seen))
    return go.Figure(lines, layout)


def _growth(name: str, points: Growth, color: str, dash: str, symbol: str) -> go.Scatter:
    n_tokens, n_distinct = (
        np.array([point for point in points if point[0]], np.int32).reshape(-1, 2).T
    )
    style: dict[str, Any] = {
        "line": {"color": color, "width": 2, "dash": dash},
        "marker": {"size": 5, "symbol": symbol},
    }
    hover = "%{x:,} word tokens, %{y:,} distinct words"
    return go.Scatter(
        x=n_tokens, y=n_distinct, name=name, mode="lines+markers", hovertemplate=hover, **style
    )


def coverage(src: Sequence[CoverageRow], tgt: Sequence[CoverageRow], *, title: str) -> go.Figure:
    """A bar chart of how many words are known, shares from 0 to 1. Solid bars count word tokens, hatched ones distinct
    words; the target's are outlined.
    """
    if not src and not tgt:
        return theme.empty("The validation set has no words.")
    bars = [
        _shares(f"{side}, {counted}", [(row[0], row[column]) for row in rows], color, hatch)
        for column, counted, hatch in ((1, "word tokens", ""), (2, "distinct words", "/"))
        for side, rows, color in (
            ("source", src, theme.CATEGORICAL[0]),
            ("target", tgt, theme.CATEGORICAL[1]),
        )
    ]
    layout = theme.layout(
        title, 340, "times a word occurs in the training set", "share of validation words"
    )
    layout["yaxis"] |= {"range": [0, 1], "tickformat": ".0%"}
    layout["xaxis"] |= {"type": "category"}
    layout["legend"] |= {"y": -0.35}
    return go.Figure(bars, layout | {"barmode": "group"})


def _shares(name: str, shares: Sequence[tuple[int, float]], color: str, hatch: str) -> go.Bar:
    outlined = {"color": "#000000", "width": 1.5 if name.startswith("target") else 0}
    return go.Bar(
        x=[f"{least} or more" for least, _ in shares],
        y=[share for _, share in shares],
        name=name,
        marker={
            "color": color,
            "pattern": {"shape": hatch, "fgcolor": "#000000", "fillmode": "overlay"},
            "line": outlined,
        },
        hovertemplate="%{x}: %{y:.1%}",
    )


def word_frequencies(counts: Sequence[tuple[str, int]], *, title: str) -> go.Figure:
    if not counts:
        return theme.empty("There are no words to count.")
    names = [theme.escaped(word) for word, _ in counts]
    positions = list(range(len(counts)))
    bars = go.Bar(
        x=[n for _, n in counts],
        y=positions,
        orientation="h",
        marker={"color": theme.CATEGORICAL[0]},
        customdata=names,
        hovertemplate="%{customdata}: %{x:,} occurrences<extra></extra>",
    )
    layout = theme.layout(title, 90 + WORD_ROW * len(counts), "occurrences", "")
    shown = [theme.escaped(theme.shortened(word)) for word, _ in counts]
    ticks = {"tickmode": "array", "tickvals": positions, "ticktext": shown, "automargin": True}
    layout["yaxis"] |= {"range": [len(counts) - 0.5, -0.5], "rangemode": "normal", **ticks}
    return go.Figure([bars], layout | {"bargap": 0.2})


def vocabulary_size(kinds: Mapping[str, Sequence[tuple[int, float]]], *, title: str) -> go.Figure:
    """A plot, per tokenizer, of (vocabulary size, median tokens per sentence), from small to large; sizes on a log
    scale.
    """
    if not any(kinds.values()):
        return theme.empty("No tokenizer has been measured.")
    lines = [_size(name, points, number) for number, (name, points) in enumerate(kinds.items())]
    layout = theme.layout(title, 300, "vocabulary size", "tokens per sentence (median)")
    sizes = [size for points in kinds.values() for size, _ in points if size > 0]
    layout["xaxis"] |= theme.log_axis(min(sizes, default=1), max(sizes, default=1))
    return go.Figure(lines, layout)


def _size(name: str, points: Sequence[tuple[int, float]], number: int) -> go.Scatter:
    color = theme.CATEGORICAL[number % len(theme.CATEGORICAL)]
    style: dict[str, Any] = {
        "line": {"color": color, "width": 2},
        "marker": {"size": 10, "symbol": SYMBOLS[number % len(SYMBOLS)]},
    }
    hover = f"{theme.escaped(name)}: vocabulary size %{{x:,}}, %{{y:g}} tokens<extra></extra>"
    sizes = [size for size, _ in points]
    tokens = [n for _, n in points]
    return go.Scatter(
        x=sizes,
        y=tokens,
        name=theme.escaped(name),
        mode="lines+markers",
        hovertemplate=hover,
        **style,
    )
