"""A page's tree of elements as HTML: figures, tables, texts and what its controls are set to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from s2s.reports import charts, document
from s2s.ui.snapshot import components, markdown, sanitizer, tables
from s2s.ui.snapshot.record import Node, key_of
from s2s.ui.streamlit_parts import (
    Alert,
    Block,
    Code,
    Element,
    Heading,
    Html,
    Json,
    Markdown,
    Metric,
    Text,
)

TOOLS = "tools"  # the container of the run picker and the Share button
STATIC = '<div class="static-heatmap"'  # what stands in for a figure until Plotly is there
ICON = re.compile(r":material/\w+: *")  # in the label of an option
LONGEST = 200  # characters of a control's value
CONTROLS = frozenset(
    {
        "button_group",
        "checkbox",
        "multiselect",
        "number_input",
        "radio",
        "selectbox",
        "slider",
        "text_area",
        "text_input",
    }
)
Values = Mapping[str, Any]  # of widgets, by id


def to_html(nodes: Sequence[Node], values: Values) -> str:
    """Everything that these show, in order; controls as their label and value."""
    return "".join(_node(node, values) for node in nodes)


def _node(node: Node, values: Values) -> str:
    if node.element is not None:
        return _element(node.element, values)
    block = node.block
    if block is None or block.WhichOneof("type") in ("popover", "dialog"):
        return ""
    key = key_of(block.id)
    if key == TOOLS:
        return ""
    inside = to_html(node.children, values)
    return _block(block, key, inside) if inside else ""


def _block(block: Block, key: str, inside: str) -> str:
    kind = block.WhichOneof("type")
    if kind == "expandable":
        is_open = " open" if block.expandable.expanded else ""
        label = markdown.inline(block.expandable.label)
        return f'<details class="fold"{is_open}><summary>{label}</summary>{inside}</details>'
    if kind == "tab":
        return f"<section><h3>{markdown.inline(block.tab.label)}</h3>{inside}</section>"
    if kind == "column":
        return f'<div class="column" style="flex:{block.column.weight:.3f} 1 16rem">{inside}</div>'
    names = [f"st-key-{re.sub('[^a-zA-Z0-9_-]', '-', key.strip())}"] if key else []
    if kind == "grid_container":
        names.append("grid")
    elif block.flex_container.direction == Block.FlexContainer.Direction.HORIZONTAL:
        names.append("row")
    return f'<div class="{" ".join(names)}">{inside}</div>' if names else f"<div>{inside}</div>"


def _element(element: Element, values: Values) -> str:
    kind = str(element.WhichOneof("type"))
    if kind in CONTROLS:
        return _control(getattr(element, kind), values)
    if kind == "plotly_chart":
        proto = element.plotly_chart
        return charts.chart(
            json.loads(proto.spec), proto.alt, width=element.width_config.pixel_width
        )
    draw = DRAWN.get(kind)
    return draw(getattr(element, kind)) if draw else ""


def _control(proto: Any, values: Values) -> str:
    value = values.get(proto.id)
    if isinstance(value, (list, tuple)):
        value = ", ".join(ICON.sub("", str(each)) for each in value)
    if isinstance(value, bool):
        value = "on" if value else "off"
    if not isinstance(value, (str, int, float)) or value == "":
        return ""
    shown = str(value) if len(str(value)) <= LONGEST else f"{str(value)[: LONGEST - 1]}…"
    label = markdown.inline(proto.label)
    return f'<p class="control"><span>{label}</span> <b><bdi>{document.text(shown)}</bdi></b></p>'


def _markdown(proto: Markdown) -> str:
    if proto.element_type == Markdown.Type.LATEX:
        return f"<p><code>{document.text(proto.body.strip().strip('$').strip())}</code></p>"
    if proto.element_type == Markdown.Type.DIVIDER:
        return "<hr>"
    html = markdown.to_html(proto.body)
    is_caption = proto.element_type == Markdown.Type.CAPTION
    return f'<div class="caption">{html}</div>' if is_caption else html


def _heading(proto: Heading) -> str:
    tag = proto.tag if proto.tag in ("h1", "h2", "h3") else "h3"
    return f"<{tag}>{markdown.inline(proto.body)}</{tag}>"


def _alert(proto: Alert) -> str:
    title = f"<b>{markdown.inline(proto.title)}</b> " if proto.title else ""
    return f'<div class="alert">{title}{markdown.to_html(proto.body)}</div>'


def _metric(proto: Metric) -> str:
    delta = f"<small>{document.text(proto.delta)}</small>" if proto.delta else ""
    label = markdown.inline(proto.label)
    return f'<p class="metric"><span>{label}</span><b>{document.text(proto.body)}</b>{delta}</p>'


def _html(proto: Html) -> str:
    if proto.body.startswith((STATIC, "<style")):
        return ""
    return f'<div class="stHtml">{sanitizer.clean(proto.body)}</div>'


def _code(proto: Code) -> str:
    return document.code(proto.code_text)


def _json(proto: Json) -> str:
    return document.code(proto.body)


def _text(proto: Text) -> str:
    return document.paragraph(proto.body)


DRAWN: Mapping[str, Callable[[Any], str]] = MappingProxyType(
    {
        "alert": _alert,
        "bidi_component": components.to_html,
        "code": _code,
        "dataframe": tables.dataframe,
        "heading": _heading,
        "html": _html,
        "json": _json,
        "markdown": _markdown,
        "metric": _metric,
        "table": tables.table,
        "text": _text,
    }
)
