"""What decoding found, as one reads it: the texts, best first, and how probable each token was."""

from __future__ import annotations

import csv
import html
import io
import math
from functools import partial

import streamlit as st

from s2s import plots
from s2s.runs import Decoded, DecodedHypothesis
from s2s.ui.kit.captions import nats, percent

MOST = 10  # hypotheses that are drawn; the table to download has all


def best(decoded: Decoded, key: str = "tokens") -> None:
    """The first hypothesis with every token's probability under it."""
    found = decoded.hypotheses[0]
    with st.container(key=key):
        st.html(_strip(found))
        st.caption(
            "Under each token: its probability, given the source and the tokens before it. The fuller the colour, the surer."
            f" Together: log-probability {nats(found.log_prob)} nats, {percent(math.exp(found.log_prob))} of all it could have written."
        )


def others(decoded: Decoded) -> None:
    """The rest, a line each."""
    for rank, found in enumerate(decoded.hypotheses[1:MOST], start=2):
        numbers = f"log-probability {nats(found.log_prob)} nats · score {nats(found.score)}"
        st.html(
            f'<p dir="auto"><b>{rank}.</b> {html.escape(found.text) or "(nothing)"}<br><small>{numbers}</small></p>{_strip(found)}'
        )
    if len(decoded.hypotheses) > MOST:
        st.caption(f"{len(decoded.hypotheses) - MOST} more are in the table to download.")


def download(decoded: Decoded, key: str = "hypotheses") -> None:
    """Every token of every hypothesis."""
    st.download_button(
        "Numbers (CSV)",
        partial(table, decoded),
        "hypotheses.csv",
        "text/csv",
        key=key,
        on_click="ignore",
        icon=":material/download:",
    )


def table(decoded: Decoded) -> str:
    """One row a token: rank, its hypothesis' log-probability and score, place, token, log-probability, probability."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(
        ["rank", "hypothesis_log_prob", "score", "position", "token", "log_prob", "probability"]
    )
    for rank, found in enumerate(decoded.hypotheses, 1):
        for place, (token, value) in enumerate(
            zip(found.tokens, found.token_log_probs, strict=True), 1
        ):
            whole = [rank, f"{found.log_prob:.6f}", f"{found.score:.6f}"]
            rows.writerow(
                [*whole, place, plots.csv_cell(token), f"{value:.6f}", f"{math.exp(value):.6f}"]
            )
    return out.getvalue()


def _strip(found: DecodedHypothesis) -> str:
    """Tokens side by side; the ground says the probability, and so does the number."""
    return f'<div class="tokens">{"".join(map(_token, found.tokens, found.token_log_probs))}</div>'


def _token(token: str, log_prob: float) -> str:
    share = math.exp(log_prob)
    ground = f"color-mix(in srgb, #0072B2 {round(45 * share)}%, transparent)"
    return f'<span style="background: {ground}"><b><bdi>{html.escape(token)}</bdi></b><small>{percent(share)}</small></span>'
