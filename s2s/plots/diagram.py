"""A diagram of boxes and arrows as data, and as an SVG for papers, on white. Knows nothing of models."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from s2s.plots import svg_sheet

DIAGRAM_WIDTH = 440  # pixels at full size


class Box(NamedTuple):
    """A box that can be chosen: two lines of text, its rectangle, and the tone that colors it; the lines that are shown
    when it is hovered, and whether it is marked as different.
    """

    name: str
    label: str
    small: str
    x: float
    y: float
    w: float
    h: float
    tone: str
    lines: Sequence[str] = ()
    marked: bool = False


class Arrow(NamedTuple):
    """A line with a head, along these points; `kind` is its style: `stream`, `residual`, `memory` or `position`."""

    kind: str
    points: tuple[tuple[float, float], ...]


class Label(NamedTuple):
    """A text of the diagram, centered at a point."""

    text: str
    x: float
    y: float


@dataclass
class Diagram:
    """A diagram: all its shapes, in pixels from the top left, and the name of the box that is chosen."""

    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    sums: list[tuple[float, float]] = field(default_factory=list)  # centers of the + rings
    frames: list[tuple[float, float, float, float]] = field(default_factory=list)  # x, y, w, h
    height: float = 0.0
    chosen: str = ""


TONES = MappingProxyType(
    {
        "attention": "#E69F00",
        "forward": "#56B4E9",
        "norm": "#F0E442",
        "embedding": "#CC79A7",
        "output": "#009E73",
        "group": "#808080",
    }
)
LINE = "#606770"
DIFFERENT = "#D55E00"
STYLES = MappingProxyType(
    {
        "stream": f'stroke="{LINE}" stroke-width="1.4"',
        "residual": f'stroke="{LINE}" stroke-width="1.4" stroke-dasharray="4 3"',
        "memory": f'stroke="{DIFFERENT}" stroke-width="2.4"',
        "position": 'stroke="#CC79A7" stroke-width="1.8" stroke-dasharray="1.5 3"',
    }
)


def diagram_svg(drawing: Diagram, *, title: str, caption: str) -> str:
    """The diagram as an SVG, as the browser draws it, without what is chosen there; the box without a name is a button
    for the screen.
    """
    frames = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="10" fill="#f7f7f8" stroke="#adb1b6"/>'
        for x, y, w, h in drawing.frames
    ]
    sums = [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="#ffffff" stroke="{svg_sheet.INK}"/>'
        f"{svg_sheet.text('+', x, y + 4.5, 12.5, anchor='middle')}"
        for x, y in drawing.sums
    ]
    labels = [
        svg_sheet.text(label.text, label.x, label.y, 11.5, anchor="middle", fill=svg_sheet.GRAY)
        for label in drawing.labels
    ]
    boxes = [part for box in drawing.boxes if box.name for part in _box(box)]
    arrows = [part for arrow in drawing.arrows for part in _arrow(arrow)]
    body = [*frames, *arrows, *sums, *labels, *boxes]
    return svg_sheet.sheet(title, caption, DIAGRAM_WIDTH, drawing.height, body)


def _arrow(arrow: Arrow) -> Iterator[str]:
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in arrow.points)
    yield f'<path d="M{path}" fill="none" {STYLES[arrow.kind]}/>'
    (from_x, from_y), (x, y) = arrow.points[-2:]
    angle = math.degrees(math.atan2(y - from_y, x - from_x))
    place = f"translate({x:.1f} {y:.1f}) rotate({angle:.1f})"
    yield f'<path d="M0 0L-6 3.2L-6 -3.2Z" transform="{place}" fill="{LINE}"/>'


def _box(box: Box) -> Iterator[str]:
    border = f'stroke="{LINE}"'
    if box.marked:
        border = f'stroke="{DIFFERENT}" stroke-width="2" stroke-dasharray="5 2.5"'
    size = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.w:.1f}" height="{box.h:.1f}"'
    yield f'<rect {size} rx="6" fill="{_tint(TONES[box.tone])}" {border}/>'
    x = box.x + box.w / 2
    y = box.y + box.h / 2
    bold = ' font-weight="600"'
    yield svg_sheet.text(
        box.label, x, y - 3 if box.small else y + 4.5, 12.5, anchor="middle", more=bold
    )
    if box.small:
        yield svg_sheet.text(box.small, x, y + 12, 10.5, anchor="middle")
    if box.marked:
        x = box.x + box.w - 3
        yield (
            f'<circle cx="{x:.1f}" cy="{box.y + 3:.1f}" r="7" fill="#ffffff" stroke="{DIFFERENT}"/>'
        )
        yield svg_sheet.text("≠", x, box.y + 7, 12, anchor="middle", more=' font-weight="700"')


def _tint(color: str) -> str:
    channels = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(0.24 * channel + 0.76 * 255):02x}" for channel in channels)
