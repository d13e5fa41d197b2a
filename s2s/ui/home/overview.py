"""The whole model in one drawing: the encoder reads the source, the decoder writes the target."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st

from s2s.analysis import Attention
from s2s.runs import Run
from s2s.ui.shell import page_link


def overview(run: Run, attention: Attention) -> None:
    """Encoder, memory and decoder, with the tokens of this sentence."""
    model = run.recipe.model
    n_memory = len(attention.src_tokens)
    st.html(
        '<figure class="overview"><div>'
        f"<b>Encoder · {_layers(model.encoder.n_layers)}</b>"
        "<small>reads the whole source at once, and gives each token a vector</small>"
        f"{_chips(attention.src_tokens)}</div>"
        f"<p><b>memory →</b><small>{n_memory} vectors; cross-attention, the picture above, reads them</small></p>"
        f"<div><b>Decoder · {_layers(model.decoder.n_layers)}</b>"
        "<small>writes one token at a time, and sees only those before it</small>"
        f"{_chips(attention.tgt_tokens)}</div></figure>"
    )
    page_link("walkthrough", "Walk through the model, step by step")


def _layers(n_layers: int) -> str:
    return f"{n_layers} layer{'s' * (n_layers > 1)}"


def _chips(tokens: Sequence[str]) -> str:
    spans = (f"<span><bdi>{html.escape(token)}</bdi></span>" for token in tokens)
    return f'<div class="tokens">{"".join(spans)}</div>'
