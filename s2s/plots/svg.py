"""Attention figures for papers, on white: arrays and tokens in, a self-contained SVG out.

Everything that a color shows is also shown in another way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from plotly.colors import sample_colorscale, unlabel_rgb

from s2s.plots import theme
from s2s.plots.attention import LEGIBLE, Weights, by_row
from s2s.plots.svg_sheet import GRAY, message_sheet, rotated, safe, sheet, text, text_width

Link = tuple[int, int, float]  # row, key, weight
Links = Sequence[Link]

NOTHING = "There is no attention to show: one side has no tokens."
MAX_TOKEN = 24  # characters of a token that are drawn; its title has all of them
# maximum number of rows or columns, pixels of each
CELLS = ((LEGIBLE, 38), (24, 26), (48, 17), (10**9, 11))
STEPS = ((24, 30), (48, 22), (10**9, 17))  # maximum number of tokens in a column, pixels of each
BETWEEN = 300  # pixels from one column of tokens to the other
COLORS = theme.CATEGORICAL[:-1]  # yellow lines are invisible on white
DASHES = ("", "8 4", "2 3", "10 3 2 3", "18 5")
# Circle, square, triangle, cross. With five dashes, twenty heads are distinct without colors, sixty with them.
MARKERS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.5-3.5h7v7h-7z",
    "M0-4.5L4.5 3.5h-9z",
    "M-4.5-1.5h3v-3h3v3h3v3h-3v3h-3v-3h-3z",
)
MAX_MARKED = 400  # lines up to which each has its marker
FAINT = 0.16  # opacity of a line of weight 0
THIN = 0.8  # width of a line of weight 0
THICK = 4.2  # width of a line of weight 1, where there is room


class LineStyle(NamedTuple):
    """What distinguishes the lines of one head from those of another."""

    color: str
    dash: str
    marker: str
    offset: float  # pixels between the end of a line and the middle of its token
    marker_at: float  # the marker's position along a line, from 0 to 1
    thick: float  # its width at weight 1


def line_styles(n_heads: int, step: int) -> list[LineStyle]:
    """One style of line per head, for tokens that are `step` pixels apart; a single head has plain lines."""
    if n_heads == 1:
        return [LineStyle(COLORS[0], "", "", 0, 0.5, THICK)]
    apart = min(4.0, 0.62 * step / max(1, n_heads))
    return [
        LineStyle(
            COLORS[at % len(COLORS)],
            DASHES[at % len(DASHES)],
            MARKERS[at % len(MARKERS)],
            offset=apart * (at - (n_heads - 1) / 2),
            marker_at=0.2 + 0.6 * (at + 0.5) / n_heads,
            thick=max(1.6, min(THICK, apart)),
        )
        for at in range(n_heads)
    ]


def heatmap(
    weights: Weights,
    keys: Sequence[str],
    rows: Sequence[str],
    *,
    title: str,
    caption: str = "",
    verb: str = "predicts",
    per_row: bool = False,
) -> str:
    """A heatmap as SVG. `weights` is (rows, keys), from 0 to 1. Hovering a cell shows its tokens and its weight.

    `per_row` scales each row by its largest weight; the numbers stay the weights.
    """
    if weights.size == 0:
        return message_sheet(title, caption, NOTHING)
    cell = _size(CELLS, max(weights.shape))
    font = min(14, int(0.72 * cell))
    across = _room(keys, font)
    down = _room(rows, font)
    is_slanted = across > cell - 4
    top = 24 + (0.71 * across + 8 if is_slanted else font + 4)
    left = 30 + down
    wide = cell * len(keys)
    high = cell * len(rows)
    head = [
        _key(token, left + (at + 0.5) * cell, top - 7, font, is_slanted=is_slanted)
        for at, token in enumerate(keys)
    ]
    side = [
        _token(token, left - 9, top + (at + 0.5) * cell, font, anchor="end")
        for at, token in enumerate(rows)
    ]
    names = [
        text("attends to", left + wide / 2, 10, 12, anchor="middle", fill=GRAY),
        rotated(verb, 10, top + high / 2),
    ]
    scale = color_scale(
        "share of the row maximum" if per_row else "weight", left + wide + 18, top, min(high, 150)
    )
    width = max(left + wide + 66, left + wide + 0.71 * across * is_slanted)
    cells = _cells(weights, keys, rows, (left, top, cell), by_row(weights) if per_row else weights)
    return sheet(title, caption, width, top + high, [*names, *head, *side, *cells, *scale])


def lines(
    heads: Mapping[str, Links],
    keys: Sequence[str],
    rows: Sequence[str],
    *,
    title: str,
    caption: str = "",
    verb: str = "predicts",
) -> str:
    """An SVG: two columns of tokens joined by each head's links. Hovering a line shows its head, tokens and weight."""
    if not keys or not rows:
        return message_sheet(title, caption, NOTHING)
    step = token_spacing(keys, rows)
    font = min(14, step - 3)
    high = step * max(len(keys), len(rows))
    top = 28
    left = _room(keys, font) + 12
    right = left + BETWEEN
    names = [
        text("attends to", left - 12, 12, 12, anchor="end", fill=GRAY),
        text(verb, right + 12, 12, 12, anchor="start", fill=GRAY),
    ]
    starts, ends = ([top + y for y in centers(len(side), high)] for side in (keys, rows))
    words = [
        _token(token, x, y, font, anchor=anchor, more=f' data-{name}="{at}"')
        for name, x, anchor, side, middles in (
            ("key", left - 12, "end", keys, starts),
            ("row", right + 12, "start", rows, ends),
        )
        for at, (token, y) in enumerate(zip(side, middles, strict=True))
    ]
    is_marked = sum(map(len, heads.values())) <= MAX_MARKED
    joined = [
        (
            weight,
            f'<g data-row="{row}" data-key="{key}" opacity="{faintness(weight):.3f}">'
            f"<title>{_label(name if len(heads) > 1 else '', rows[row], keys[key], weight)}</title>"
            f"{_line((left, starts[key]), (right, ends[row]), weight, style, is_marked=is_marked)}</g>",
        )
        for (name, links), style in zip(heads.items(), line_styles(len(heads), step), strict=True)
        for row, key, weight in links
    ]
    strongest_on_top = [line for _, line in sorted(joined, key=lambda each: each[0])]
    width = right + 12 + _room(rows, font)
    legend = _legend([*heads], width, top + high + 22) if len(heads) > 1 else []
    return sheet(
        title,
        caption,
        width,
        top + high + 22 * len(legend) + 8,
        [*names, *strongest_on_top, *words, *legend],
    )


def token_spacing(keys: Sequence[str], rows: Sequence[str]) -> int:
    """Pixels from one token to the next, on the side that has more of them."""
    return _size(STEPS, max(len(keys), len(rows)))


def centers(n_tokens: int, height: float) -> list[float]:
    """The vertical centers of the tokens, spread over the whole height: lines stay level when lengths differ."""
    return [height * (at + 0.5) / n_tokens for at in range(n_tokens)]


def _cells(
    weights: Weights,
    keys: Sequence[str],
    rows: Sequence[str],
    place: tuple[float, float, int],
    shades: Weights,
) -> Iterator[str]:
    left, top, cell = place
    colors = sample_colorscale(theme.SEQUENTIAL, np.clip(shades, 0, 1).ravel().astype(float))
    inks = theme.text_colors(shades)
    has_numbers = max(weights.shape) <= LEGIBLE
    for at, weight in enumerate(weights.ravel()):
        row, key = divmod(at, len(keys))
        x = left + key * cell
        y = top + row * cell
        title_tag = f"<title>{_label('', rows[row], keys[key], float(weight))}</title>"
        number = f"{weight:.2f}".removeprefix("0")
        box = f'<rect x="{x:.1f}" y="{y:.1f}" width="{cell - 1}" height="{cell - 1}" fill="{_hex(colors[at])}"/>'
        written = (
            text(number, x + cell / 2 - 0.5, y + cell / 2 + 4, 12, anchor="middle", fill=inks[at])
            if has_numbers
            else ""
        )
        yield f"<g>{title_tag}{box}{written}</g>"


def faintness(weight: float) -> float:
    """The opacity of a line for a weight."""
    return FAINT + (1 - FAINT) * _bounded(weight)


def _bounded(weight: float) -> float:
    return min(1.0, max(0.0, float(weight)))


def _line(
    start: tuple[float, float],
    end: tuple[float, float],
    weight: float,
    style: LineStyle,
    *,
    is_marked: bool,
) -> str:
    (left, up), (right, down) = (start[0], start[1] + style.offset), (end[0], end[1] + style.offset)
    middle = (left + right) / 2
    dash = f' stroke-dasharray="{style.dash}"' if style.dash else ""
    width = THIN + (style.thick - THIN) * _bounded(weight)
    curve = (
        f"M{left:.1f},{up:.1f}C{middle:.1f},{up:.1f} {middle:.1f},{down:.1f} {right:.1f},{down:.1f}"
    )
    path = (
        f'<path d="{curve}" fill="none" stroke="{style.color}" stroke-width="{width:.2f}"{dash}/>'
    )
    if not (style.marker and is_marked):
        return path
    t = style.marker_at
    before = (1 - t) ** 2 * (1 + 2 * t)  # the Bernstein weights of the two points on the left
    x = left * (1 - t) ** 3 + 3 * middle * t * (1 - t) + right * t**3
    y = up * before + down * (1 - before)
    return f'{path}<path d="{style.marker}" transform="translate({x:.1f} {y:.1f})" fill="{style.color}"/>'


def _legend(names: Sequence[str], width: float, top: float) -> list[str]:
    each = 64 + max(text_width(name, 12) for name in names)
    in_a_row = max(1, int(width // each))
    samples = []
    for at, (name, style) in enumerate(
        zip(names, line_styles(len(names), STEPS[0][1]), strict=True)
    ):
        x = each * (at % in_a_row)
        y = top + 22 * (at // in_a_row)
        line = _line(
            (x, y),
            (x + 38, y),
            0.5,
            style._replace(offset=0, marker_at=0.5, thick=3.2),
            is_marked=True,
        )
        samples.append(line + text(name, x + 46, y + 4, 12))
    return [
        "".join(samples[first : first + in_a_row]) for first in range(0, len(samples), in_a_row)
    ]


def color_scale(name: str, left: float, top: float, high: float) -> Iterator[str]:
    """The color scale from 1 at the top to 0, made of boxes: a gradient would need an id to refer to."""
    n_boxes = 32
    colors = sample_colorscale(theme.SEQUENTIAL, np.linspace(1, 0, n_boxes).tolist())
    for at, color in enumerate(colors):
        y = top + high * at / n_boxes
        yield f'<rect x="{left:.1f}" y="{y:.2f}" width="10" height="{high / n_boxes + 0.5:.2f}" fill="{_hex(color)}"/>'
    for value, y in ((1.0, top + 8), (0.0, top + high)):
        yield text(f"{value:.0f}", left + 15, y, 11, fill=GRAY)
    yield rotated(name, left + 26, top + high / 2, 11)


def _key(token: str, x: float, y: float, font: int, *, is_slanted: bool) -> str:
    if not is_slanted:
        return _token(token, x, y - 0.36 * font, font, anchor="middle")
    return f'<g transform="translate({x:.1f} {y:.1f}) rotate(-45)">{_token(token, 0, 0, font, anchor="start")}</g>'


def _token(token: str, x: float, middle: float, font: int, *, anchor: str, more: str = "") -> str:
    written = theme.shortened(token, MAX_TOKEN)
    return text(
        written,
        x,
        middle + 0.36 * font,
        font,
        anchor=anchor,
        more=more,
        title=token if written != token else "",
    )


def _label(name: str, row: str, key: str, weight: float) -> str:
    return safe(f"{name}{': ' if name else ''}{row} → {key}: {weight:.4f}")


def _room(tokens: Sequence[str], font: float) -> float:
    return max(text_width(theme.shortened(token, MAX_TOKEN), font) for token in tokens)


def _size(table: Sequence[tuple[int, int]], n: int) -> int:
    return next(size for limit, size in table if n <= limit)


def _hex(color: str) -> str:
    """A color in hexadecimal: `rgb(0, 34, 78)` -> `#00224e`."""
    return "#" + "".join(f"{round(value):02x}" for value in unlabel_rgb(color))
