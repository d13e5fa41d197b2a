"""Trees of elements made by hand, with markup in every text that a visitor can write."""

import io
import json

import pandas as pd
import plotly.graph_objects as go
import pyarrow as pa
from streamlit.proto.Block_pb2 import Block
from streamlit.proto.Element_pb2 import Element

from s2s.ui.snapshot.record import Node

NASTY = "</script><script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">"


def element(kind: str, **values: object) -> Node:
    found = Element()
    proto = getattr(found, kind)
    for name, value in values.items():
        setattr(proto, name, value)
    proto.SetInParent()
    return Node(element=found)


def chart(*tokens: str) -> Node:
    figure = go.Figure(
        go.Bar(x=[*tokens], y=[*range(1, len(tokens) + 1)]), {"title": {"text": "Bars"}}
    )
    return element("plotly_chart", spec=json.dumps(json.loads(figure.to_json())), alt=NASTY)


def table(frame: pd.DataFrame, columns: dict[str, object]) -> Node:
    out = io.BytesIO()
    packed = pa.Table.from_pandas(frame)
    with pa.ipc.new_stream(out, packed.schema) as writer:
        writer.write_table(packed)
    node = element("dataframe", columns=json.dumps(columns), alt=NASTY)
    assert node.element
    node.element.dataframe.arrow_data.data = out.getvalue()
    return node


def folded(label: str, *children: Node) -> Node:
    block = Block()
    block.expandable.label = label
    return Node(block=block, children=[*children])


def nasty_page() -> list[Node]:
    strip = {"chosen": 0, "tokens": [{"text": NASTY, "probability": "5%", "note": NASTY}]}
    return [
        element("heading", tag="h1", body=NASTY),
        element("markdown", body=NASTY, element_type=1),
        element("markdown", body=NASTY, element_type=2),
        element("markdown", body=NASTY, element_type=4),
        element("html", body=f"<p>{NASTY}</p>"),
        element("code", code_text=NASTY),
        element("alert", body=NASTY, title=NASTY),
        element("metric", label=NASTY, body=NASTY, delta=NASTY),
        element("json", body=NASTY),
        element("text", body=NASTY),
        element("text_input", id="src", label=NASTY),
        chart(NASTY, "b"),
        table(pd.DataFrame({NASTY: [NASTY]}), {}),
        element("bidi_component", component_name="token_strip", json=json.dumps(strip)),
        folded(NASTY, element("text", body=NASTY)),
    ]
