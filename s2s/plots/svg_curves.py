"""Training curves for paper and for files that run no script: values in, a self-contained SVG out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from s2s.plots import theme
from s2s.plots.curves import DEFAULT_OPTIONS, NO_STEPS_YET, Curve, CurveOptions, curve_points
from s2s.plots.curves import CurvePoints as Points
from s2s.plots.svg_sheet import GRAY, message_sheet, rotated, safe, sheet, text, text_width

WIDTH = 560.0  # pixels of the plotted area
HEIGHT = 220.0
LEGEND = 26.0  # pixels above it
N_TICKS = 5  # intervals on an axis, about
RADIUS = 3.0  # of the marks of held-out values
FONT = 12

Span = tuple[float, float]


def curves(
    lines: Sequence[Curve],
    *,
    title: str,
    y_label: str,
    x_label: str = "step",
    caption: str = "",
    options: CurveOptions = DEFAULT_OPTIONS,
) -> str:
    """An SVG: solid for training batches, dashed with marks for held-out pairs; hovering a mark shows its value."""
    drawn = [(line, found) for line in lines if len((found := curve_points(line, options)).steps)]
    if not drawn:
        return message_sheet(title, caption, NO_STEPS_YET)
    across = _span([found.steps for _, found in drawn])
    up = _span([found.smoothed for _, found in drawn])
    left = 34 + max(text_width(_number(tick), FONT) for tick in ticks(*up))
    body = [
        *_axes(across, up, left),
        rotated(y_label, 8, LEGEND + HEIGHT / 2),
        text(x_label, left + WIDTH / 2, LEGEND + HEIGHT + 38, FONT, anchor="middle", fill=GRAY),
        *_legend([line for line, _ in drawn], left),
    ]
    for line, found in drawn:
        body += _curve(line, found, across, up, left)
    return sheet(title, caption, left + WIDTH + 16, LEGEND + HEIGHT + 44, body)


def ticks(low: float, high: float) -> list[float]:
    """Round numbers from `low` to `high`, about N_TICKS intervals: `ticks(0, 7.3)` -> `[0, 2, 4, 6]`."""
    rough = (high - low) / N_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= 0.7 * rough)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


def _span(arrays: Sequence[np.ndarray]) -> Span:
    low = min(float(values.min()) for values in arrays)
    high = max(float(values.max()) for values in arrays)
    if high > low:
        return low, high
    room = abs(low) * 0.1 or 1.0
    return low - room, high + room


def _axes(across: Span, up: Span, left: float) -> Iterator[str]:
    bottom = LEGEND + HEIGHT
    for tick in ticks(*up):
        y = _y(tick, up)
        yield _stroke(left, y, left + WIDTH, y, 'stroke-width="0.5" opacity="0.5"')
        yield text(_number(tick), left - 8, y + 4, FONT, anchor="end", fill=GRAY)
    for tick in ticks(*across):
        x = _x(tick, across, left)
        yield _stroke(x, bottom, x, bottom + 4)
        yield text(_number(tick), x, bottom + 18, FONT, anchor="middle", fill=GRAY)
    yield _stroke(left, bottom, left + WIDTH, bottom)


def _stroke(x0: float, y0: float, x1: float, y1: float, more: str = "") -> str:
    return f'<path d="M{x0:.1f},{y0:.1f}L{x1:.1f},{y1:.1f}" stroke="{GRAY}" {more}/>'


def _legend(lines: Sequence[Curve], left: float) -> Iterator[str]:
    x = left
    for line in lines:
        dash = ' stroke-dasharray="6 4"' if line.is_held_out else ""
        color = _color(line)
        yield f'<path d="M{x:.1f},6h26" stroke="{color}" stroke-width="2" fill="none"{dash}/>'
        if line.is_held_out:
            yield f'<circle cx="{x + 13:.1f}" cy="6" r="{RADIUS}" fill="{color}"/>'
        yield text(line.name, x + 32, 10, FONT)
        x += 52 + text_width(line.name, FONT)


def _curve(line: Curve, found: Points, across: Span, up: Span, left: float) -> Iterator[str]:
    places = [
        (_x(step, across, left), _y(value, up))
        for step, value in zip(found.steps.tolist(), found.smoothed.tolist(), strict=True)
    ]
    color = _color(line)
    dash = ' stroke-dasharray="6 4"' if line.is_held_out else ""
    path = "L".join(f"{x:.1f},{y:.1f}" for x, y in places)
    yield f'<path d="M{path}" stroke="{color}" stroke-width="1.6" fill="none" stroke-linejoin="round"{dash}/>'
    if not line.is_held_out:
        return
    for (x, y), step, value in zip(places, found.steps, found.values, strict=True):
        name = safe(f"{line.name}, {step:,.0f}: {value:.4g}")
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}" fill="{color}"><title>{name}</title></circle>'


def _color(line: Curve) -> str:
    return theme.CATEGORICAL[line.run % len(theme.CATEGORICAL)]


def _x(value: float, span: Span, left: float) -> float:
    return left + WIDTH * (value - span[0]) / (span[1] - span[0])


def _y(value: float, span: Span) -> float:
    return LEGEND + HEIGHT * (span[1] - value) / (span[1] - span[0])


def _number(value: float) -> str:
    return f"{value:,.10g}" if 1e-3 <= abs(value) < 1e7 or value == 0 else f"{value:g}"
