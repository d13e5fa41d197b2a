"""A diagram of boxes and arrows whose boxes can be chosen by mouse, touch or keyboard. Knows nothing of models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from s2s.ui.canvas.sent import sent

DIAGRAM_WIDTH = 440  # pixels at full size
FILE = Path(__file__)


class Box(NamedTuple):
    """A box that can be chosen: two lines of text, its rectangle, and the tone that colors it."""

    name: str
    label: str
    small: str
    x: float
    y: float
    w: float
    h: float
    tone: str


class Arrow(NamedTuple):
    """A line with a head, along these points; `kind` is its style: `stream`, `residual`, `memory` or `position`."""

    kind: str
    points: tuple[tuple[float, float], ...]


class Label(NamedTuple):
    """Text centered at a point."""

    text: str
    x: float
    y: float


@dataclass
class Diagram:
    """All shapes, in pixels from the top left."""

    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    sums: list[tuple[float, float]] = field(default_factory=list)  # centers of the + rings
    frames: list[tuple[float, float, float, float]] = field(default_factory=list)  # x, y, w, h
    height: float = 0.0


class BoxNote(NamedTuple):
    """The lines shown when a box is hovered, and whether the box is marked as different."""

    lines: Sequence[str]
    is_marked: bool = False


def diagram(
    drawing: Diagram,
    notes: Mapping[str, BoxNote],
    chosen: str,
    *,
    key: str,
    on_pick: Callable[[str], None],
) -> None:
    """`notes` by a box's name; choosing a box calls `on_pick` with its name. All texts travel as data only."""

    def picked() -> None:
        name = sent(key, "pick").get("name")
        if name in [box.name for box in drawing.boxes]:
            on_pick(str(name))

    DIAGRAM(key=key, data=diagram_data(drawing, notes, chosen), on_pick_change=picked)


def diagram_data(drawing: Diagram, notes: Mapping[str, BoxNote], chosen: str) -> dict[str, Any]:
    """What the browser draws from."""
    boxes = []
    for box in drawing.boxes:
        note = notes.get(box.name, BoxNote(()))
        boxes.append(box._asdict() | {"lines": list(note.lines), "marked": note.is_marked})
    return {
        "chosen": chosen,
        "size": [DIAGRAM_WIDTH, drawing.height],
        "boxes": boxes,
        "arrows": [
            [arrow.kind, [list(point) for point in arrow.points]] for arrow in drawing.arrows
        ],
        "labels": [list(label) for label in drawing.labels],
        "sums": [list(center) for center in drawing.sums],
        "frames": [list(frame) for frame in drawing.frames],
    }


DIAGRAM = st.components.v2.component(
    "diagram",
    html="""<div class="diagram"><svg role="group"
  aria-label="The model, from token ids at the bottom to logits at the top; choose a component">
</svg><div class="tip" aria-hidden="true"></div></div>""",
    css=FILE.with_suffix(".css").read_text(encoding="utf-8"),
    js=FILE.with_suffix(".js").read_text(encoding="utf-8"),
)
