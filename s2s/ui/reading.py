"""Words around the picture: the translation, how to read the attention, the numbers."""

from __future__ import annotations

import html
import math
import re
from functools import partial

import streamlit as st

from s2s import analysis, plots
from s2s.analysis import Attention
from s2s.analysis.attention import Weights
from s2s.runs import Decoded, Run

SURE = 0.6  # a weight that is worth a sentence


def translation(decoded: Decoded) -> None:
    """Large; a click selects all of it. (`st.code` would bring a copy icon, and 0.8 s of highlighter before the picture.)"""
    with st.container(key="translation"):
        st.html(f'<p title="Click to select, then copy">{html.escape(decoded.text) or "(nothing)"}</p>')


def certainty(decoded: Decoded) -> None:
    """How probable the model finds what it wrote."""
    share = _percent(math.exp(decoded.log_prob))
    nats = f"{decoded.log_prob:.2f}".replace("-", "−")
    st.caption(f"Log-probability {nats} nats: of all it could have written, the model puts {share} on this sentence.")


def name(run: Run, layer: int, head: int | None) -> str:
    """`demo-en-fr · layer 2 of 2 · mean of 4 heads`: which numbers a picture shows."""
    stack = run.recipe.model.decoder
    which = f"mean of {stack.n_heads} heads" if head is None else f"head {head + 1} of {stack.n_heads}"
    return f"{run.folder.id} · layer {layer + 1} of {stack.n_layers} · {which}"


def how(weights: Weights, seen: Attention) -> None:
    """One sentence with words of this picture, one that holds for all."""
    word, key, weight = telling(weights, seen)
    example = f"Writing <em>{html.escape(word)}</em>, the model looks mostly at <em>{html.escape(key)}</em> ({weight:.2f})."
    end = "<code>&lt;/s&gt;</code> marks the end."
    st.html(f"<p>{example}</p><p>{html.escape(plots.PLOTS['attention'].reading)} {end}</p>")


def telling(weights: Weights, seen: Attention) -> tuple[str, str, float]:
    """The row that shows most: a strong look that crosses others, as where two words change places; never the end."""
    rows = analysis.reading(weights, seen.src_tokens, seen.tgt_tokens)
    places = weights.argmax(1)[:-1]

    def worth(i: int) -> tuple[bool, int, float]:
        crossings = int((places[:i] > places[i]).sum() + (places[i + 1 :] < places[i]).sum())
        is_sure = rows[i][2] >= SURE
        return is_sure, crossings if is_sure else 0, rows[i][2]

    return rows[max(range(len(places)), key=worth, default=0)]


def download(weights: Weights, seen: Attention, shown: str) -> None:
    """The numbers of the picture, as a table."""
    make = partial(plots.numbers, weights, seen.src_tokens, seen.tgt_tokens)
    file = re.sub(r"[^\w-]+", "-", shown) + ".csv"
    st.download_button("Numbers (CSV)", make, file, "text/csv", on_click="ignore", icon=":material/download:")


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 else "less than 1 %"
