"""The model's diagram, and the card of the component chosen in it."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import streamlit as st

from s2s.config import POSITION_KINDS
from s2s.plots import compact_number, format_value
from s2s.sizing import BYTES, COMPONENT_KINDS, Component, NamedShape, cost, within
from s2s.ui.architecture.diagram_layout import diagram_of
from s2s.ui.architecture.models import differing_settings, label_of, settings_of
from s2s.ui.architecture.request import ArchitectureRequest, select_component
from s2s.ui.canvas import BoxNote, diagram, diagram_svg, picture_button
from s2s.ui.kit import file_name

# Axis names for readers who are new to shapes.
AXES: Mapping[str, str] = MappingProxyType(
    {
        "batch": "sentences",
        "src_len": "source tokens",
        "tgt_len": "target tokens",
        "d_model": "columns of the residual stream",
        "heads": "heads",
        "d_head": "columns per head",
        "d_head / 2": "pairs of columns per head",
        "heads * d_head": "columns of all heads",
        "d_ff": "hidden columns",
        "src_vocab": "source vocabulary entries",
        "tgt_vocab": "target vocabulary entries",
        "positions": "positions",
        "buckets": "distance buckets",
    }
)
LEGEND = "Solid: the residual stream. Dashed: residual connections. Thick: the encoder's output (memory)."
GROUP_SOURCE = "Vaswani et al. 2017, Figure 1 and section 3.1"
ABOUT_GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "": "Reads a source sentence (bottom left) and generates its translation (top right), one token at a time.",
        "encoder": "Reads the source and turns each token into a vector that depends on the whole sentence."
        " Together these vectors are the memory.",
        "encoder.layer": "Self-attention mixes information between tokens, then the feed-forward transforms each token"
        " separately. Every layer repeats this.",
        "decoder": "Generates the target: attends to the tokens so far and to the memory, and computes a logit"
        " for every possible next token.",
        "decoder.layer": "Self-attention over the target so far, cross-attention to the memory, then a feed-forward"
        " on each token separately.",
    }
)


def show_diagram(request: ArchitectureRequest) -> None:
    """The whole model; components that differ from the other model are marked."""
    differing = {row.key: row.values for row in differing_settings(request.model, request.other)}
    is_pre = request.model.spec.recipe.model.norm.place == "pre"
    drawing = diagram_of(request.components, is_pre=is_pre)
    notes = {box.name: _note(request, box.name, differing) for box in drawing.boxes}
    diagram(drawing, notes, request.selected, key="model diagram", on_pick=select_component)
    legend = LEGEND
    if request.other and differing:
        legend += " ≠: differs in the other model."
    st.caption(legend)
    marked = [name for name, note in notes.items() if note.is_marked]
    title = f"Architecture · {request.model.name}"
    svg = diagram_svg(drawing, marked, title=title, caption=diagram_caption(request))
    picture_button(svg, file_name(title), label="Save the picture", key="save diagram")


def diagram_caption(request: ArchitectureRequest) -> str:
    """The model's sizes and, where another model is compared, the settings in which that one differs."""
    model = request.model.spec.recipe.model
    sizes = (
        f"{cost(request.components).parameters:,} parameters",
        f"d_model {model.d_model}",
        f"heads per layer: encoder {model.encoder.n_heads}, decoder {model.decoder.n_heads}",
        f"positions: {model.positions.kind}",
        "no norms" if model.norm.kind == "none" else f"{model.norm.place}-norm",
    )
    lines = [" · ".join(sizes), LEGEND]
    if request.other:
        rows = differing_settings(request.model, request.other)
        changes = [f"{row.key}: {' / '.join(map(format_value, row.values))}" for row in rows]
        lines.append(f"≠: differs in {request.other.name}. {'; '.join(changes)}")
    return "\n".join(lines)


def _note(
    request: ArchitectureRequest, name: str, differing: Mapping[str, tuple[Any, ...]]
) -> BoxNote:
    """What hovering over a box shows: output shape, costs, and settings that differ."""
    inside = within(request.components, name)
    costs = cost(inside)
    component = next((other for other in inside if other.name == name), None)
    lines = [f"output: {shape_in_words(component.outputs[-1])}"] if component else []
    lines += [
        f"{costs.parameters:,} parameters",
        f"{compact_number(costs.flops)} FLOPs per forward pass",
    ]
    if component:
        keys = [key for key in differing if key in settings_of(component)]
    else:
        keys = [
            key
            for key in differing
            if key.endswith("n_layers") and name == f"{key.partition('.')[0]}.layer"
        ]
    other = request.other.name if request.other else ""
    for key in keys:
        here, there = map(format_value, differing[key])
        lines.append(f"{key}: {here}, in {other} {there}")
    return BoxNote(lines, bool(keys))


def shape_in_words(shape: NamedShape) -> str:
    """`32 sentences × 20 source tokens × 128 columns of the residual stream`."""
    return " × ".join(
        f"{length:,} {AXES[axis]}" for axis, length in zip(shape.axes, shape.lengths, strict=True)
    )


def in_bytes(n_bytes: float) -> str:
    """`528_384` -> `528 kB`."""
    short = compact_number(n_bytes)
    return f"{short}B" if " " in short else f"{short} B"


def show_card(request: ArchitectureRequest) -> None:
    """The chosen component or group: what it is for, its costs, and its shapes."""
    inside = within(request.components, request.selected)
    component = next((other for other in inside if other.name == request.selected), None)
    st.subheader(label_of(request.components, request.selected), anchor=False)
    about, source = _about(request, component)
    st.markdown(f"{about}  \n*{source}*")
    _costs_table(request, inside, copies=component.copies if component else 1)
    if component:
        _shape_tables(request, component)
    else:
        st.caption(
            f"For a batch of {request.sizes.batch} sentences. Choose a component in the diagram to see its weights and"
            " shapes."
        )


def _about(request: ArchitectureRequest, component: Component | None) -> tuple[str, str]:
    """A sentence or two, and their source."""
    if component is None:
        return ABOUT_GROUPS[request.selected], GROUP_SOURCE
    kind = COMPONENT_KINDS[component.kind]
    if component.kind != "positions":
        return kind.about, kind.source
    encoding = POSITION_KINDS[request.model.spec.recipe.model.positions.kind]
    return f"{kind.about} {encoding.summary}", encoding.source


def _costs_table(
    request: ArchitectureRequest, inside: tuple[Component, ...], *, copies: int
) -> None:
    total = cost(request.components)
    costs = cost(inside)
    layers = f" (all {copies} layers)" if copies > 1 else ""
    saved = in_bytes(costs.saved_activations * BYTES) if costs.saved_activations else "none"
    rows = {
        "parameters": f"{costs.parameters:,}{layers}",
        "share of the model": _share(costs.parameters, total.parameters),
        "parameter memory": in_bytes(costs.parameters * BYTES),
        "FLOPs forward": f"{compact_number(costs.flops)}, {_share(costs.flops, total.flops)} of the model",
        "attention products (QKᵀ, AV)": _share(costs.attention_flops, costs.flops)
        if costs.attention_flops
        else "none",
        "saved activations": saved,
    }
    cells = (f"<th>{name}</th><td>{html.escape(text)}</td>" for name, text in rows.items())
    _table("Costs", cells)


def _share(number: float, total: float) -> str:
    return f"{number / total:.1%}" if total else "0.0%"


def _shape_tables(request: ArchitectureRequest, component: Component) -> None:
    """Weights, outputs and matrix products of a single copy."""
    per_layer = " per layer" if component.copies > 1 else ""
    if component.tied_to:
        owner = next(other for other in request.components if other.name == component.tied_to)
        name = component.tied_to.replace(".", ", ")
        st.caption(
            f"Its matrix is that of {name} ({owner.parameters:,} parameters), counted there."
        )
    if component.weights:
        _table(f"Weights{per_layer}", map(_sized_row, component.weights))
    outputs = (
        f"<th>{shape.name}</th><td>{html.escape(shape_in_words(shape))}</td>"
        for shape in component.outputs
    )
    _table(f"Outputs{per_layer}", outputs)
    if component.flops:
        products = (*component.weight_products, *component.attention_products)
        _table(f"Multiply-adds{per_layer} (2 FLOPs each)", map(_sized_row, products))
    else:
        st.caption(
            "No FLOPs are counted here: only matrix products count, because they take most of the time."
        )


def _sized_row(shape: NamedShape) -> str:
    axes = " × ".join(
        f'<span title="{html.escape(AXES[axis])}">{n:,}</span>'
        for axis, n in zip(shape.axes, shape.lengths, strict=True)
    )
    return f"<th>{shape.name}</th><td>{axes} = {shape.size:,}</td>"


def _table(title: str, rows: Iterable[str]) -> None:
    cells = "".join(f"<tr>{row}</tr>" for row in rows)
    st.html(f'<div class="parts"><p>{html.escape(title)}</p><table>{cells}</table></div>')
