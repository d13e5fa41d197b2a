"""Attention figures for papers, on white: arrays and tokens in, a self-contained SVG out.

Everything that a color shows is also shown in another way.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np
from plotly.colors import sample_colorscale, unlabel_rgb

from s2s.plots import theme
from s2s.plots.attention import LEGIBLE, Weights, by_row

Link = tuple[int, int, float]  # row, key, weight
Links = Sequence[Link]

FONT = "'Helvetica Neue', Helvetica, Arial, 'Noto Sans', sans-serif"
INK = "#0C131D"
GRAY = "#5A6473"
MARGIN = 16
NOTHING = "There is no attention to show: one side has no tokens."
MAX_TOKEN = 24  # characters of a token that are drawn; its title has all of them
CELLS = (
    (LEGIBLE, 38),
    (24, 26),
    (48, 17),
    (10**9, 11),
)  # maximum number of rows or columns, pixels of each
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
    """One style per head, for tokens that are `step` pixels apart; a single head has plain lines."""
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
    """`weights` is (rows, keys), from 0 to 1. Hovering a cell shows its tokens and its weight.

    `per_row` scales each row by its largest weight; the numbers stay the weights.
    """
    if weights.size == 0:
        return _sheet(title, caption, 0, 0, [NOTHING])
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
        _text("attends to", left + wide / 2, 10, 12, anchor="middle", fill=GRAY),
        _rotated(verb, 10, top + high / 2),
    ]
    scale = _scale(
        "share of the row maximum" if per_row else "weight", left + wide + 18, top, min(high, 150)
    )
    width = max(left + wide + 66, left + wide + 0.71 * across * is_slanted)
    cells = _cells(weights, keys, rows, (left, top, cell), by_row(weights) if per_row else weights)
    return _sheet(title, caption, width, top + high, [*names, *head, *side, *cells, *scale])


def lines(
    heads: Mapping[str, Links],
    keys: Sequence[str],
    rows: Sequence[str],
    *,
    title: str,
    caption: str = "",
    verb: str = "predicts",
) -> str:
    """Two columns of tokens joined by the links of each head. Hovering a line shows its head, tokens and weight."""
    if not keys or not rows:
        return _sheet(title, caption, 0, 0, [NOTHING])
    step = token_spacing(keys, rows)
    font = min(14, step - 3)
    high = step * max(len(keys), len(rows))
    top = 28
    left = _room(keys, font) + 12
    right = left + BETWEEN
    names = [
        _text("attends to", left - 12, 12, 12, anchor="end", fill=GRAY),
        _text(verb, right + 12, 12, 12, anchor="start", fill=GRAY),
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
    return _sheet(
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
            _text(number, x + cell / 2 - 0.5, y + cell / 2 + 4, 12, anchor="middle", fill=inks[at])
            if has_numbers
            else ""
        )
        yield f"<g>{title_tag}{box}{written}</g>"


def faintness(weight: float) -> float:
    """The opacity of a line."""
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
    """Rows of sample lines with their names."""
    each = 64 + max(_width(name, 12) for name in names)
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
        samples.append(line + _text(name, x + 46, y + 4, 12))
    return [
        "".join(samples[first : first + in_a_row]) for first in range(0, len(samples), in_a_row)
    ]


def _scale(name: str, left: float, top: float, high: float) -> Iterator[str]:
    """The color scale from 1 at the top to 0, made of boxes: a gradient would need an id to refer to."""
    n_boxes = 32
    colors = sample_colorscale(theme.SEQUENTIAL, np.linspace(1, 0, n_boxes).tolist())
    for at, color in enumerate(colors):
        y = top + high * at / n_boxes
        yield f'<rect x="{left:.1f}" y="{y:.2f}" width="10" height="{high / n_boxes + 0.5:.2f}" fill="{_hex(color)}"/>'
    for value, y in ((1.0, top + 8), (0.0, top + high)):
        yield _text(f"{value:.0f}", left + 15, y, 11, fill=GRAY)
    yield _rotated(name, left + 26, top + high / 2, 11)


def _key(token: str, x: float, y: float, font: int, *, is_slanted: bool) -> str:
    if not is_slanted:
        return _token(token, x, y - 0.36 * font, font, anchor="middle")
    return f'<g transform="translate({x:.1f} {y:.1f}) rotate(-45)">{_token(token, 0, 0, font, anchor="start")}</g>'


def _token(token: str, x: float, middle: float, font: int, *, anchor: str, more: str = "") -> str:
    """A token at this height, shortened where it is long; then hover shows all of it."""
    written = theme.shortened(token, MAX_TOKEN)
    return _text(
        written,
        x,
        middle + 0.36 * font,
        font,
        anchor=anchor,
        more=more,
        title=token if written != token else "",
    )


def _rotated(words: str, x: float, y: float, font: int = 12) -> str:
    text = _text(words, 0, 4, font, anchor="middle", fill=GRAY)
    return f'<g transform="translate({x:.1f} {y:.1f}) rotate(-90)">{text}</g>'


def _text(
    words: str,
    x: float,
    y: float,
    font: float,
    *,
    anchor: str = "start",
    fill: str = INK,
    more: str = "",
    title: str = "",
) -> str:
    about = f"<title>{_safe(title)}</title>" if title else ""
    style = f'font-size="{font}" text-anchor="{anchor}" fill="{fill}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}{more}>{_safe(words)}{about}</text>'


def _label(name: str, row: str, key: str, weight: float) -> str:
    return _safe(f"{name}{': ' if name else ''}{row} → {key}: {weight:.4f}")


def _safe(words: str) -> str:
    """Without anything that XML reads as markup or forbids."""
    return escape(visible_controls(words), {'"': "&quot;"})


def visible_controls(words: str) -> str:
    """Control characters as their symbols, a tab as `␉`; what else XML forbids (XML 1.0, section 2.2) as U+FFFD."""
    return "".join(
        chr(0x2400 + ord(character))
        if ord(character) < 32
        else "\ufffd"
        if _is_forbidden(character)
        else character
        for character in words
    )


def _is_forbidden(character: str) -> bool:
    return (
        "\ud800" <= character <= "\udfff"
        or character in "\ufffe\uffff"
        or "\x7f" <= character <= "\x9f"
    )


def _sheet(title: str, caption: str, width: float, high: float, body: Iterable[str]) -> str:
    """A white sheet with a title above the body and a caption below."""
    if not width:
        return _sheet(title, caption, 440, 40, [_text(word, 0, 22, 14) for word in body])
    wide = max(width, _width(title, 16), 440.0)
    under = [line for part in caption.split("\n") for line in _wrapped(part, wide, 11.5)]
    below = high + 32
    total_x = wide + 2 * MARGIN
    total_y = below + 18 * len(under) + 2 * MARGIN + 12
    heading = (
        f'<text x="0" y="14" font-size="16" font-weight="600" fill="{INK}">{_safe(title)}</text>'
    )
    notes = [
        f'<text x="0" y="{below + 26 + 17 * at:.1f}" font-size="11.5" fill="{GRAY}">{_safe(line)}</text>'
        for at, line in enumerate(under)
    ]
    aside = (wide - width) / 2
    description = " · ".join(caption.splitlines())
    size = f'width="{total_x:.0f}" height="{total_y:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {total_x:.0f} {total_y:.0f}"'
        f' font-family="{FONT}" role="img"><title>{_safe(title)}</title><desc>{_safe(description)}</desc>'
        f'<rect width="100%" height="100%" fill="#ffffff"/><g transform="translate({MARGIN} {MARGIN})">{heading}'
        f'<g transform="translate({aside:.1f} 32)">{"".join(body)}</g>{"".join(notes)}</g></svg>'
    )


def _wrapped(words: str, width: float, font: float) -> list[str]:
    per_character = max(0.86 * _width(words, font) / max(1, len(words)), 0.4 * font)
    return textwrap.wrap(words, max(1, int(width / per_character)))


def _room(tokens: Sequence[str], font: float) -> float:
    return max(_width(theme.shortened(token, MAX_TOKEN), font) for token in tokens)


def _width(words: str, font: float) -> float:
    """The approximate width of a text in pixels: there is no browser to measure it."""
    return font * sum(
        0
        if unicodedata.combining(character)
        else 1.05
        if unicodedata.east_asian_width(character) in "WF"
        else 0.6
        for character in words
    )


def _size(table: Sequence[tuple[int, int]], n: int) -> int:
    return next(size for limit, size in table if n <= limit)


def _hex(color: str) -> str:
    """`rgb(0, 34, 78)` -> `#00224e`."""
    return "#" + "".join(f"{round(value):02x}" for value in unlabel_rgb(color))
