"""A model as a diagram: where each component stands, from the bottom up as in Vaswani et al. 2017, Figure 1."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from s2s.plots.bars import compact_number
from s2s.plots.diagram import DIAGRAM_WIDTH, Arrow, Box, Diagram, Label
from s2s.sizing import COMPONENT_KINDS, Component, within

# Heights in pixels: of a box with two lines and with one, of an arrow, of a sum's ring.
TALL = 38
FLAT = 22
ARROW = 12
SUM = 16
BOX_WIDTH = 150
MARGIN = 6  # below and above a box that stands beside the stream and is taller than the sum there
# The x of each stack's residual stream, and the side of it that faces the diagram's edge.
STREAMS = MappingProxyType({"encoder": (115, -1), "decoder": (325, 1)})
ATTENTION = ("self_attention", "masked_attention", "cross_attention")
TONES = MappingProxyType({"embeddings": "embedding", "norms": "norm", "output": "output"})
SUBLAYERS = ("self", "cross", "feed_forward")


def diagram_of(components: Sequence[Component], *, is_pre: bool) -> Diagram:
    """The model's diagram, with norms before the sublayers (`is_pre`) or after the sums; a layer is drawn once."""
    drawing = Diagram()
    encoder = _StackColumn(drawing, "encoder", within(components, "encoder"), is_pre=is_pre)
    decoder = _StackColumn(drawing, "decoder", within(components, "decoder"), is_pre=is_pre)
    encoder_end = encoder.draw()
    top = min(encoder_end, decoder.draw())
    drawing.boxes.append(Box("", "The whole model", "", 10, top - 20, 176, TALL, "group"))
    _draw_memory(drawing, encoder.x, encoder_end, decoder.memory_entry)
    return _shifted(drawing, 30 - (top - 4))


def _draw_memory(drawing: Diagram, x: float, y: float, entry: tuple[float, float]) -> None:
    between = DIAGRAM_WIDTH / 2
    above = y - ARROW
    path = ((x, y), (x, above), (between, above), (between, entry[1]), entry)
    drawing.arrows.append(Arrow("memory", path))
    drawing.labels.append(Label("memory", (x + between) / 2 + 10, above - 6))


def _shifted(drawing: Diagram, down: float) -> Diagram:
    return Diagram(
        [box._replace(y=box.y + down) for box in drawing.boxes],
        [
            Arrow(arrow.kind, tuple((x, y + down) for x, y in arrow.points))
            for arrow in drawing.arrows
        ],
        [label._replace(y=label.y + down) for label in drawing.labels],
        [(x, y + down) for x, y in drawing.sums],
        [(x, y + down, w, h) for x, y, w, h in drawing.frames],
        down + 8 + FLAT + 4,
    )


class _StackColumn:
    def __init__(
        self, drawing: Diagram, name: str, components: Sequence[Component], *, is_pre: bool
    ) -> None:
        self.drawing = drawing
        self.name = name
        self.is_pre = is_pre
        self.components = {
            component.name.removeprefix(f"{name}.").removeprefix("layer."): component
            for component in components
        }
        self.x, self.side = STREAMS[name]
        self.y = 0.0
        self.positions_exit: tuple[float, float] | None = None  # of positions used in attention
        self.memory_entry = (0.0, 0.0)

    def draw(self) -> float:
        self._draw_title()
        self._box("tokens")
        self._draw_positions()
        self._box("norm")
        self._draw_layer()
        self._box("final_norm")
        self._box("output")
        self._draw_layer_title()
        if self.name == "decoder":
            self._arrow("stream", (self.x, self.y), (self.x, self.y - ARROW))
            self._label("logits of the next token", self.y - ARROW - 6)
        return self.y

    def _draw_title(self) -> None:
        name = self.name.capitalize()
        x = self.x - BOX_WIDTH / 2
        self.drawing.boxes.append(Box(self.name, name, "", x, self.y + 8, BOX_WIDTH, FLAT, "group"))
        ids = "source ids" if self.name == "encoder" else "target ids so far"
        self._label(ids, self.y - 4)
        self.y -= FLAT - 6

    def _draw_layer_title(self) -> None:
        n_layers = max(component.copies for component in self.components.values())
        label = f"× {n_layers} layer{'s' * (n_layers > 1)}"
        x, y, w, _ = self.drawing.frames[-1]
        self.drawing.boxes.append(
            Box(f"{self.name}.layer", label, "", x + 22, y + 6, w - 44, FLAT, "group")
        )

    def _arrow(self, kind: str, *points: tuple[float, float]) -> None:
        self.drawing.arrows.append(Arrow(kind, points))

    def _label(self, text: str, y: float) -> None:
        self.drawing.labels.append(Label(text, self.x, y))

    def _box(self, name: str) -> None:
        component = self.components.get(name)
        if component is None or (component.kind == "residual" and not component.weights):
            return
        is_flat = component.group == "norms"
        h = FLAT if is_flat else TALL
        label = "Norm" if component.kind == "residual" else COMPONENT_KINDS[component.kind].label
        small = "" if is_flat else _parameters(component)
        x = self.x - BOX_WIDTH / 2
        self._up(ARROW)
        self.drawing.boxes.append(
            Box(component.name, label, small, x, self.y - h, BOX_WIDTH, h, _tone(component))
        )
        self.y -= h

    def _up(self, by: float) -> None:
        self._arrow("stream", (self.x, self.y), (self.x, self.y - by))
        self.y -= by

    def _sum(self) -> None:
        self._up(ARROW)
        self.drawing.sums.append((self.x, self.y - SUM / 2))
        self.y -= SUM

    def _draw_positions(self) -> None:
        component = self.components.get("positions")
        if component is None:
            return
        w = 74.0
        x = self.x + self.side * 70 - 37
        if component.outputs[-1].name == "rows":
            self._up(MARGIN)
            self._sum()
            middle = self.y + SUM / 2
            edges = (self.x + self.side * 33, middle), (self.x + self.side * SUM / 2, middle)
            self._arrow("position", *edges)
        else:
            self._up(MARGIN + ARROW + SUM)
            middle = self.y + SUM / 2
            self.positions_exit = (self.x + self.side * 103, middle - TALL / 2)
        small = _parameters(component)
        y = middle - TALL / 2
        self.drawing.boxes.append(
            Box(component.name, "Positions", small, x, y, w, TALL, "embedding")
        )
        self._up(TALL / 2 - SUM / 2 + MARGIN)

    def _draw_layer(self) -> None:
        bottom = self.y - 4
        for name in SUBLAYERS:
            self._draw_sublayer(name)
        self.y -= 6
        top = self.y - FLAT - 6
        self._up(FLAT + 6)
        edge = self.x + self.side * 97  # beyond the residual arrows
        left, right = sorted((edge, self.x - self.side * 83))
        self.drawing.frames.append((left, top, right - left, bottom - top))

    def _draw_sublayer(self, name: str) -> None:
        component = self.components.get(name if name == "feed_forward" else f"{name}_attention")
        if component is None:
            return
        norm = f"{name}_residual"
        self._up(ARROW)
        start = self.y
        if self.is_pre:
            self._box(norm)
        self._box(component.name.rpartition(".")[2])
        self._draw_inputs(component)
        self._sum()
        around = self.x + self.side * 89
        middle = self.y + SUM / 2
        end = (self.x + self.side * SUM / 2, middle)
        self._arrow("residual", (self.x, start), (around, start), (around, middle), end)
        if not self.is_pre:
            self._box(norm)

    def _draw_inputs(self, component: Component) -> None:
        middle = self.y + TALL / 2
        if component.kind == "cross_attention":
            self.memory_entry = (self.x - BOX_WIDTH / 2, middle)
        elif component.kind in ATTENTION and self.positions_exit:
            start = self.positions_exit
            end = (self.x + self.side * BOX_WIDTH / 2, middle)
            self._arrow("position", start, (start[0], middle), end)


def _parameters(component: Component) -> str:
    if component.tied_to and not component.weights:
        return "tied"
    if not component.weights:
        return "no parameters"
    return f"{compact_number(component.parameters)}{' each' if component.copies > 1 else ''}"


def _tone(component: Component) -> str:
    return "attention" if component.kind in ATTENTION else TONES.get(component.group, "forward")
