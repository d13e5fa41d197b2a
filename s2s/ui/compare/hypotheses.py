"""The hypotheses of a decoding, best first, with the probability of each token."""

from __future__ import annotations

import html
import io
import math
from collections.abc import Sequence
from functools import partial

import streamlit as st

from s2s.files import csv_writer
from s2s.runs import Decoded, DecodedHypothesis
from s2s.ui.kit import four_digits, nats, percent

MOST = 10  # hypotheses on the screen; the CSV has all


def best(decoded: Decoded, key: str = "tokens") -> None:
    """The best hypothesis, each token with its probability below."""
    found = decoded.hypotheses[0]
    with st.container(key=key):
        st.html(_tokens(found))
        st.caption(
            "Below each token: its probability, given the source and the tokens before it. The stronger its color, the"
            " more probable."
            f" Together: log-probability {nats(found.log_prob)} nats. The model gives {_of_what(found)} a probability"
            f" of {percent(math.exp(found.log_prob))}."
        )


def _of_what(found: DecodedHypothesis) -> str:
    return "this output" if found.tokens[-1] == "</s>" else "outputs that begin like this"


def others(decoded: Decoded) -> None:
    """The other hypotheses."""
    for rank, found in enumerate(decoded.hypotheses[1:MOST], start=2):
        numbers = (
            f"score {four_digits(found.score)} · log-probability {four_digits(found.log_prob)} nats"
            f" · {len(found.tokens)} tokens{html.escape(_ending(found))}"
        )
        st.html(
            f'<p dir="auto"><b>{rank}.</b> {html.escape(found.text) or "(nothing)"}'
            f"<br><small>{numbers}</small></p>{_tokens(found)}"
        )
    if len(decoded.hypotheses) > MOST:
        st.caption(f"{len(decoded.hypotheses) - MOST} more are in the download.")


def download(decoded: Decoded, key: str = "hypotheses") -> None:
    """A download of all tokens of all hypotheses."""
    st.download_button(
        "Download data (CSV)",
        partial(table, decoded),
        "hypotheses.csv",
        "text/csv",
        key=key,
        on_click="ignore",
        icon=":material/download:",
    )


def table(decoded: Decoded) -> str:
    """CSV, one row per token: rank, log-probability and score of its hypothesis, position, token, log-probability,
    probability.
    """
    out = io.StringIO()
    rows = csv_writer(out)
    rows.writerow(
        ["rank", "hypothesis_log_prob", "score", "position", "token", "log_prob", "probability"]
    )
    for rank, found in enumerate(decoded.hypotheses, 1):
        for position, (token, value) in enumerate(
            zip(found.tokens, found.token_log_probs, strict=True), 1
        ):
            summary = [rank, found.log_prob, found.score]
            rows.writerow([*summary, position, token, value, math.exp(value)])
    return out.getvalue()


def _ending(found: DecodedHypothesis) -> str:
    """Whether the count of tokens has one for the end."""
    return ", with </s>" if found.tokens[-1] == "</s>" else ", truncated"


def _tokens(found: DecodedHypothesis) -> str:
    return token_row(found.tokens, found.token_log_probs)


def token_row(tokens: Sequence[str], log_probs: Sequence[float]) -> str:
    """Tokens in a row, as HTML; background color and number show the probability."""
    return f'<div class="tokens">{"".join(map(_token, tokens, log_probs))}</div>'


def _token(token: str, log_prob: float) -> str:
    share = math.exp(log_prob)
    ground = f"color-mix(in srgb, #0072B2 {round(45 * share)}%, transparent)"
    content = f"<b><bdi>{html.escape(token)}</bdi></b><small>{percent(share)}</small>"
    return f'<span style="background: {ground}">{content}</span>'
