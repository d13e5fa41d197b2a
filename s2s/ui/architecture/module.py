"""The drawing of the machine, and the card of the part that is chosen in it."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from s2s.model.positions import POSITIONS
from s2s.plots import compact_number, format_value
from s2s.sizing import BYTES, KINDS, VASWANI, Part, Sized, cost, within
from s2s.ui.architecture import request
from s2s.ui.architecture.drawing import drawing
from s2s.ui.architecture.request import Asked
from s2s.ui.canvas.diagram import Said, diagram

# An axis in words, for those who do not read shapes yet.
AXES: Mapping[str, str] = {
    "batch": "sentences",
    "src_len": "source tokens",
    "tgt_len": "target tokens",
    "d_model": "columns of the stream",
    "heads": "heads",
    "d_head": "columns of a head",
    "d_head / 2": "pairs of columns of a head",
    "heads * d_head": "columns of all heads",
    "d_ff": "hidden columns",
    "src_vocab": "pieces of the source vocabulary",
    "tgt_vocab": "pieces of the target vocabulary",
    "positions": "positions",
    "buckets": "ranges of distance",
}
FIGURE = f"{VASWANI}, Figure 1 and section 3.1"
OF_GROUPS: Mapping[str, str] = {
    "": "Reads a sentence below left and writes its translation above right, one token after the other.",
    "encoder": "Reads the source: each token becomes a vector that knows its neighbours. All of them together are the memory.",
    "encoder.layer": "Tokens exchange what they know, then each is worked on alone; every layer does it once more.",
    "decoder": "Writes the target: looks at what is written and at the memory, and scores the next token.",
    "decoder.layer": "Looks back, looks across at the memory, then each token is worked on alone.",
}


def picture(asked: Asked) -> None:
    """The machine; what differs from the other is marked."""
    marked = {row.key: row.values for row in request.differing(asked)}
    plan = drawing(asked.parts, is_pre=asked.shown.machine.recipe.model.norm.place == "pre")
    said = {box.name: _said(asked, box.name, marked) for box in plan.boxes}
    diagram(plan, said, asked.part, key="machine", on_pick=request.pick)
    legend = "Solid: the stream. Dashed: around a sublayer, the residual. Thick: the memory."
    st.caption(f"{legend} ≠: the other machine differs there." if marked else legend)


def _said(asked: Asked, name: str, marked: Mapping[str, tuple[Any, ...]]) -> Said:
    """What hovering over a box says: its shape, and its costs."""
    inner = within(asked.parts, name)
    costs = cost(inner)
    one = next((part for part in inner if part.name == name), None)
    shape = [f"makes {in_words(one.makes[-1])}"] if one else []
    numbers = [f"{costs.parameters:,} parameters", f"{compact_number(costs.flops)} FLOPs forward"]
    keys = [key for key in marked if one and key in request.shaping(one)]
    keys += [
        key
        for key in marked
        if name == f"{key.partition('.')[0]}.layer" and key.endswith("n_layers")
    ]
    other = asked.against.name if asked.against else ""
    differs = [
        f"{key}: {format_value(marked[key][0])}, in {other} {format_value(marked[key][1])}"
        for key in keys
    ]
    return Said([*shape, *numbers, *differs], bool(differs))


def in_words(array: Sized) -> str:
    """`32 sentences × 20 source tokens × 128 columns of the stream`."""
    return " × ".join(
        f"{length:,} {AXES[axis]}" for axis, length in zip(array.axes, array.lengths, strict=True)
    )


def in_bytes(n_bytes: float) -> str:
    """`528_384` -> `528 kB`."""
    short = compact_number(n_bytes)
    return f"{short}B" if " " in short else f"{short} B"


def card(asked: Asked) -> None:
    """Numbers, shapes and a sentence of what is chosen."""
    inner = request.around(asked)
    whole = cost(asked.parts)
    costs = cost(inner)
    one = next((part for part in inner if part.name == asked.part), None)
    st.subheader(request.label(asked, asked.part), anchor=False)
    about, source = (
        (KINDS[one.kind].about, KINDS[one.kind].source) if one else (OF_GROUPS[asked.part], FIGURE)
    )
    if one and one.kind == "positions":
        row = POSITIONS[asked.shown.machine.recipe.model.positions.kind]
        about = f"{about} {row.summary}"
        source = row.source
    st.markdown(f"{about}  \n*{source}*")
    times = f" (× {one.times} layers)" if one and one.times > 1 else ""
    rows = {
        "parameters": f"{costs.parameters:,}{times}",
        "share of all": _share(costs.parameters, whole.parameters),
        "their memory": in_bytes(costs.parameters * BYTES),
        "FLOPs forward": f"{compact_number(costs.flops)}, {_share(costs.flops, whole.flops)} of all",
        "of them looking": _share(costs.looks, costs.flops) if costs.looks else "none",
        "kept while training": in_bytes(costs.kept * BYTES) if costs.kept else "nothing",
    }
    _table(
        "Its numbers",
        (f"<th>{name}</th><td>{html.escape(text)}</td>" for name, text in rows.items()),
    )
    if one:
        _details(asked, one)
    else:
        st.caption(
            f"Of a batch of {asked.sizes.batch} sentences. Choose a part in the drawing to see what it holds and makes."
        )


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "0.0%"


def _details(asked: Asked, part: Part) -> None:
    """What one of them holds, makes and computes."""
    each = " (one layer)" if part.times > 1 else ""
    if part.borrows:
        lender = next(other for other in asked.parts if other.name == part.borrows)
        st.caption(
            f"Its matrix is that of {part.borrows.replace('.', ', ')} ({lender.parameters:,} numbers), counted there."
        )
    if part.weights:
        _table(f"Holds{each}", map(_array, part.weights))
    _table(
        f"Makes{each}",
        (f"<th>{array.name}</th><td>{html.escape(in_words(array))}</td>" for array in part.makes),
    )
    if part.flops:
        _table(
            f"Computes{each}: multiply-adds, 2 FLOPs each",
            map(_array, (*part.products, *part.looks)),
        )
    else:
        st.caption(
            "Its sums and products a number are not counted: only products of matrices are, which is where the time goes."
        )


def _array(array: Sized) -> str:
    axes = " × ".join(
        f'<span title="{html.escape(AXES[axis])}">{n:,}</span>'
        for axis, n in zip(array.axes, array.lengths, strict=True)
    )
    return f"<th>{array.name}</th><td>{axes} = {array.numbers:,}</td>"


def _table(title: str, rows: Iterable[str]) -> None:
    cells = "".join(f"<tr>{row}</tr>" for row in rows)
    st.html(f'<div class="parts"><p>{html.escape(title)}</p><table>{cells}</table></div>')
