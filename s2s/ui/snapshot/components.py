"""What the components of the pages show, drawn from the data that they were sent: as SVG, or as HTML."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from s2s.plots import svg, svg_heads, theme
from s2s.reports import document
from s2s.ui.canvas import Arrow, Box, Diagram, Label, diagram_svg
from s2s.ui.streamlit_parts import BidiComponent


def to_html(proto: BidiComponent) -> str:
    """Empty for a component that shows nothing of its own, such as a button."""
    draw = DRAWN.get(proto.component_name.rpartition(".")[2])
    return draw(proto) if draw else ""


def _heads(proto: BidiComponent) -> str:
    """The inverse of `pack_heads`: a byte is 255 times the square root of a weight."""
    packed = proto.bytes
    start = 4 + theme.palette().nbytes
    end = start + int.from_bytes(packed[:4], "little")
    header = json.loads(packed[start:end])
    shape = (header["layers"], header["heads"], len(header["rows"]), len(header["keys"]))
    pixels = np.frombuffer(packed[end:], np.uint8).reshape(shape)
    weights = (pixels.astype(np.float32) / np.float32(255)) ** 2
    roles = header["roles"] or [[""] * shape[1]] * shape[0]
    return document.figure(svg_heads.heads(weights, roles, title="All heads"))


def _lines(proto: BidiComponent) -> str:
    data = json.loads(proto.json)
    heads = {
        head["name"]: [(int(row), int(key), float(weight)) for row, key, weight in head["links"]]
        for head in data["heads"]
    }
    drawn = svg.lines(heads, data["keys"], data["rows"], title=data["alt"], verb=data["verb"])
    return document.figure(drawn)


def _diagram(proto: BidiComponent) -> str:
    data = json.loads(proto.json)
    marked = {box["name"] for box in data["boxes"] if box["marked"]}
    drawing = Diagram(
        boxes=[Box(*(box[name] for name in Box._fields)) for box in data["boxes"]],
        arrows=[Arrow(kind, tuple((x, y) for x, y in points)) for kind, points in data["arrows"]],
        labels=[Label(*label) for label in data["labels"]],
        sums=[(x, y) for x, y in data["sums"]],
        frames=[(x, y, w, h) for x, y, w, h in data["frames"]],
        height=data["size"][1],
    )
    drawn = diagram_svg(drawing, marked, title="Architecture", caption="")
    return document.figure(drawn, is_on_white=True)


def _strip(proto: BidiComponent) -> str:
    data = json.loads(proto.json)
    tokens = "".join(
        f"<span{' class=chosen' if at == data['chosen'] else ''}><b><bdi>{document.text(token['text'])}</bdi></b>"
        f"<small>{document.text(' '.join(filter(None, (token['probability'], token['note']))))}</small></span>"
        for at, token in enumerate(data["tokens"])
    )
    return f'<div class="tokens">{tokens}</div>'


DRAWN: Mapping[str, Callable[[BidiComponent], str]] = MappingProxyType(
    {
        "heads_canvas": _heads,
        "attention_lines": _lines,
        "diagram": _diagram,
        "token_strip": _strip,
    }
)
