"""A diagram whose boxes can be chosen by mouse, touch or keyboard. Knows nothing of models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from s2s.plots import DIAGRAM_WIDTH, Diagram
from s2s.ui.canvas.sent import sent

FILE = Path(__file__)


def diagram(drawing: Diagram, *, key: str, on_pick: Callable[[str], None]) -> None:
    """Draw a diagram; choosing a box calls `on_pick` with its name. All texts travel as data only."""

    def picked() -> None:
        name = sent(key, "pick").get("name")
        if name in [box.name for box in drawing.boxes]:
            on_pick(str(name))

    DIAGRAM(key=key, data=diagram_data(drawing), on_pick_change=picked)


def diagram_data(drawing: Diagram) -> dict[str, Any]:
    """The data from which the browser draws a diagram."""
    return {
        "chosen": drawing.chosen,
        "size": [DIAGRAM_WIDTH, drawing.height],
        "boxes": [box._asdict() | {"lines": [*box.lines]} for box in drawing.boxes],
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
