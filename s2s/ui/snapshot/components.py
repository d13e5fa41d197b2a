"""What the components of the pages show, drawn from the data that they were sent: as SVG, or as HTML."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType

from s2s.plots import Arrow, Box, Diagram, Label, diagram_svg
from s2s.reports import document
from s2s.ui.streamlit_parts import BidiComponent


def to_html(proto: BidiComponent) -> str:
    """Empty for a component that shows nothing of its own, such as a button."""
    draw = DRAWN.get(proto.component_name.rpartition(".")[2])
    return draw(proto) if draw else ""


def _diagram(proto: BidiComponent) -> str:
    data = json.loads(proto.json)
    drawing = Diagram(
        boxes=[Box(*(box[name] for name in Box._fields)) for box in data["boxes"]],
        arrows=[Arrow(kind, tuple((x, y) for x, y in points)) for kind, points in data["arrows"]],
        labels=[Label(*label) for label in data["labels"]],
        sums=[(x, y) for x, y in data["sums"]],
        frames=[(x, y, w, h) for x, y, w, h in data["frames"]],
        height=data["size"][1],
    )
    drawn = diagram_svg(drawing, title="Architecture", caption="")
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
        "diagram": _diagram,
        "token_strip": _strip,
    }
)
