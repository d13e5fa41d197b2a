"""A page with all heads of random attention, which benchmarks/heads.py opens: `?layers=6&heads=8&tokens=60`."""

import gc

import numpy as np
import numpy.typing as npt
import streamlit as st

from s2s.ui.canvas import heads_canvas, pack_heads

SHEETS = 4  # different ones, drawn in turn


@st.cache_resource
def sheets(layers: int, heads: int, n: int) -> list[npt.NDArray[np.float32]]:
    """Random weights, made once; objects that exist by then are frozen, as in the dashboard."""
    raw = np.random.default_rng(0).random((SHEETS, layers, heads, n, n), np.float32) ** 8
    made = [*(raw / raw.sum(-1, keepdims=True))]
    gc.collect()
    gc.freeze()
    return made


def turn(name: str) -> None:
    st.session_state[name] = st.session_state.get(name, 0) + 1


shape = (int(st.query_params[name]) for name in ("layers", "heads", "tokens"))
made = sheets(*shape)
st.button("Draw", on_click=turn, args=("drawn",))
st.button("Nothing", on_click=turn, args=("idle",))
tokens = [f"w{position}" for position in range(made[0].shape[-1])]
pixels = pack_heads(made[st.session_state.get("drawn", 0) % SHEETS], tokens, tokens, "reads")
with st.columns([3, 2])[1]:
    heads_canvas(
        pixels,
        (0, 0),
        None,
        per_row=False,
        key="grid",
        on_pick=lambda layer, head: None,
        on_enlarge=lambda layer, head: None,
    )
st.html(f'<span id="stamp" data-idle="{st.session_state.get("idle", 0)}"></span>')
