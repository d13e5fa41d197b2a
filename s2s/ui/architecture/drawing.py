"""Where the parts of a machine stand in its drawing: boxes, arrows and words, from the bottom up as in Vaswani et al. 2017, Figure 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from s2s.plots import compact_number
from s2s.sizing import KINDS, Part, within

# pixels at full size: the drawing, boxes, what is between them, a sum
WIDTH = 440
TALL = 38
FLAT = 22
GAP = 12
ADDED = 16
BOX = 150  # width of a box
BESIDE = 6  # room below and above a box that is higher than the stream beside it
PLACES = {
    "encoder": (115, -1),
    "decoder": (325, 1),
}  # the middle of a stack's stream, and on which side of it is the edge
ATTENTION = ("self_attention", "masked_attention", "cross_attention")
TONES = MappingProxyType(
    {"embeddings": "embedding", "norms": "norm", "output": "output"}
)  # of groups
SUBLAYERS = ("self", "cross", "feed_forward")


class Box(NamedTuple):
    """One that can be chosen; its words, where it stands, and which colour it has."""

    name: str
    label: str
    small: str
    x: float
    y: float
    w: float
    h: float
    tone: str


class Arrow(NamedTuple):
    """A line with a head, along these points; `stream`, `residual`, `memory` or `position`."""

    kind: str
    points: tuple[tuple[float, float], ...]


class Words(NamedTuple):
    """Written in the middle of a place."""

    text: str
    x: float
    y: float


@dataclass
class Drawing:
    """What is drawn. While it is being made, y falls from 0 upwards."""

    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)
    sums: list[tuple[float, float]] = field(
        default_factory=list
    )  # middles of the rings where two streams are added
    frames: list[tuple[float, float, float, float]] = field(
        default_factory=list
    )  # x, y, width, height
    height: float = 0.0


def drawing(parts: Sequence[Part], *, is_pre: bool) -> Drawing:
    """The machine of these parts, norms before sublayers or after sums; a layer is drawn once, as often as it may be there."""
    made = Drawing()
    stacks = {name: _Column(made, name, within(parts, name), is_pre=is_pre) for name in PLACES}
    encoder, decoder = (stack.draw() for stack in stacks.values())
    made.boxes.append(
        Box("", "The whole machine", "", 10, min(encoder, decoder) - 20, 176, TALL, "group")
    )
    x = stacks["encoder"].x
    top = min(encoder, decoder) - 4
    gutter, (edge, cross) = WIDTH / 2, stacks["decoder"].cross
    made.arrows.append(
        Arrow(
            "memory",
            (
                (x, encoder),
                (x, encoder - GAP),
                (gutter, encoder - GAP),
                (gutter, cross),
                (edge, cross),
            ),
        )
    )
    made.words.append(Words("memory", (x + gutter) / 2 + 10, encoder - GAP - 6))
    return _moved(made, 4 - top + 26)


def _moved(made: Drawing, down: float) -> Drawing:
    """The same, with nothing above 0."""
    return Drawing(
        [box._replace(y=box.y + down) for box in made.boxes],
        [Arrow(arrow.kind, tuple((x, y + down) for x, y in arrow.points)) for arrow in made.arrows],
        [words._replace(y=words.y + down) for words in made.words],
        [(x, y + down) for x, y in made.sums],
        [(x, y + down, w, h) for x, y, w, h in made.frames],
        down + 8 + FLAT + 4,
    )


class _Column:
    """One stack, drawn from the bottom; `y` is where its stream has come to."""

    def __init__(self, made: Drawing, name: str, parts: Sequence[Part], *, is_pre: bool) -> None:
        self.made = made
        self.name = name
        self.is_pre = is_pre
        self.parts = {
            part.name.removeprefix(f"{name}.").removeprefix("layer."): part for part in parts
        }
        self.x, self.side = PLACES[name]
        self.y = 0.0
        self.looks: list[tuple[float, float]] = []  # where positions come into self-attention
        self.cross = (0.0, 0.0)  # where the memory comes in

    def draw(self) -> float:
        """All of it; where its stream leaves it."""
        self.made.boxes.append(
            Box(
                self.name,
                self.name.capitalize(),
                "",
                self.x - BOX / 2,
                self.y + 8,
                BOX,
                FLAT,
                "group",
            )
        )
        self.made.words.append(
            Words(
                "source ids" if self.name == "encoder" else "target ids so far", self.x, self.y - 4
            )
        )
        self.y -= FLAT - 6
        self._box("tokens")
        self._positions()
        self._box("norm")
        self._layer()
        self._box("final_norm")
        self._box("output")
        n_layers = max(part.times for part in self.parts.values())
        first = f"{self.name}.layer"
        x, y, w, _ = self.made.frames[-1]
        self.made.boxes.append(
            Box(
                first,
                f"× {n_layers} layer{'s' * (n_layers > 1)}",
                "",
                x + 22,
                y + 6,
                w - 44,
                FLAT,
                "group",
            )
        )
        if self.name == "decoder":
            self.made.arrows.append(Arrow("stream", ((self.x, self.y), (self.x, self.y - GAP))))
            self.made.words.append(Words("scores of the next token", self.x, self.y - GAP - 6))
        return self.y

    def _box(self, name: str) -> None:
        """The next part of the stream, if there is one of that name."""
        part = self.parts.get(name)
        if part is None or (part.kind == "residual" and not part.weights):
            return
        flat = part.group == "norms"
        h = FLAT if flat else TALL
        self._up(GAP)
        label = "Norm" if part.kind == "residual" else KINDS[part.kind].label
        self.made.boxes.append(
            Box(
                part.name,
                label,
                "" if flat else _small(part),
                self.x - BOX / 2,
                self.y - h,
                BOX,
                h,
                _tone(part),
            )
        )
        self.y -= h

    def _up(self, by: float) -> None:
        self.made.arrows.append(Arrow("stream", ((self.x, self.y), (self.x, self.y - by))))
        self.y -= by

    def _sum(self) -> None:
        self._up(GAP)
        self.made.sums.append((self.x, self.y - ADDED / 2))
        self.y -= ADDED

    def _positions(self) -> None:
        """Beside the stream: added to it, or on the way to self-attention."""
        part = self.parts.get("positions")
        if part is None:
            return
        is_added = part.makes[-1].name == "rows"
        w = 74.0
        x = self.x + self.side * 70 - 37
        if is_added:
            self._up(BESIDE)
            self._sum()
            middle = self.y + ADDED / 2
            self.made.arrows.append(
                Arrow(
                    "position",
                    ((self.x + self.side * 33, middle), (self.x + self.side * ADDED / 2, middle)),
                )
            )
        else:
            self._up(BESIDE + GAP + ADDED)
            middle = self.y + ADDED / 2
            self.looks = [(self.x + self.side * 103, middle - TALL / 2)]
        self.made.boxes.append(
            Box(part.name, "Positions", _small(part), x, middle - TALL / 2, w, TALL, "embedding")
        )
        self._up(TALL / 2 - ADDED / 2 + BESIDE)

    def _layer(self) -> None:
        bottom = self.y - 4
        for name in SUBLAYERS:
            self._sublayer(name)
        self.y -= 6
        top = self.y - FLAT - 6
        self._up(FLAT + 6)
        edge = self.x + self.side * 97  # beyond the residual arrows
        left, right = sorted((edge, self.x - self.side * 83))
        self.made.frames.append((left, top, right - left, bottom - top))

    def _sublayer(self, name: str) -> None:
        part = self.parts.get(name if name == "feed_forward" else f"{name}_attention")
        if part is None:
            return
        norm = f"{name}_residual"
        self._up(GAP)
        start = self.y
        if self.is_pre:
            self._box(norm)
        self._box(part.name.rpartition(".")[2])
        self._meet(part)
        self._sum()
        around = self.x + self.side * 89
        middle = self.y + ADDED / 2
        self.made.arrows.append(
            Arrow(
                "residual",
                (
                    (self.x, start),
                    (around, start),
                    (around, middle),
                    (self.x + self.side * ADDED / 2, middle),
                ),
            )
        )
        if not self.is_pre:
            self._box(norm)

    def _meet(self, part: Part) -> None:
        """What comes in from beside: positions at self-attention, the memory at cross-attention."""
        middle = self.y + TALL / 2
        if part.kind == "cross_attention":
            self.cross = (self.x - BOX / 2, middle)
        elif part.kind in ATTENTION and self.looks:
            (start,) = self.looks
            self.made.arrows.append(
                Arrow(
                    "position", (start, (start[0], middle), (self.x + self.side * BOX / 2, middle))
                )
            )


def _small(part: Part) -> str:
    if part.borrows and not part.weights:
        return "shared"
    return (
        f"{compact_number(part.parameters)}{' each' if part.times > 1 else ''}"
        if part.weights
        else "no parameters"
    )


def _tone(part: Part) -> str:
    return "attention" if part.kind in ATTENTION else TONES.get(part.group, "forward")
