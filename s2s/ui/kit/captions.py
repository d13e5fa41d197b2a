"""Around a heatmap of attention: the translation, how to read the picture, the data to download."""

from __future__ import annotations

import html
import math
import re
import textwrap
from functools import partial
from types import MappingProxyType

import numpy as np
import streamlit as st

from s2s import plots
from s2s.analysis import AttentionMap, Weights
from s2s.faults import FAULTS
from s2s.questions import KIND_NAMES, clearest_row
from s2s.runs import Decoded, Run
from s2s.ui.kit import cached
from s2s.ui.kit.charts import chart
from s2s.ui.kit.glossary import definitions

EXAMPLE = "picture example"  # the key of the sentence that a lesson hides where it is the answer
MOSTLY = 0.5
TITLE_WIDTH = 62  # characters of a line; a reduction with a long name takes two
# by kind and verb: what a row is, and what its weights are on
ROWS = MappingProxyType(
    {
        ("cross", "predicts"): ("predicted token", "each source token"),
        ("cross", "reads"): ("decoder input token, the previous output", "each source token"),
        ("encoder", "reads"): ("source token", "each token of the source"),
        ("decoder", "predicts"): ("predicted token", "each earlier token; later ones are masked"),
        ("decoder", "reads"): ("decoder input token", "itself and each earlier token"),
    }
)
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SPECIAL = MappingProxyType({"<s>": "starts", "</s>": "ends"})


def show_translation(decoded: Decoded) -> None:
    """Large; a click selects it. (`st.code` would bring a copy icon, and 0.8 s of highlighter before the picture.)"""
    with st.container(key="translation"):
        text = html.escape(decoded.text) or "(empty)"
        st.html(f'<p dir="auto" title="Click to select, then copy">{text}</p>')


def log_probability(decoded: Decoded) -> None:
    """How probable the model finds its translation."""
    is_ended = decoded.tokens[-1:] == ("</s>",)
    of_what = "this sentence" if is_ended else "sentences that begin like this"
    st.caption(
        f"Log-probability {nats(decoded.log_prob)} nats: the model gives {of_what} a probability of"
        f" {percent(math.exp(decoded.log_prob))}.",
        help=definitions("log-probability", "nats"),
    )


def show_heatmap(
    run: Run, kind: str, shown: AttentionMap, *, sums: Weights | None = None, per_row: bool = False
) -> str:
    """Returns the heatmap's title. `sums` and `per_row` as in `plots.heatmap`."""
    title = heatmap_title(run, kind, shown.name)
    wrapped = "\n".join(part for line in title.split("\n") for part in _wrap(line))
    labels = (shown.weights, shown.keys, shown.rows)
    if not np.isfinite(shown.weights).all():
        st.warning(f"No picture of {title.splitlines()[-1]}: its numbers are not finite.")
        return title
    figure = plots.heatmap(*labels, title=wrapped, verb=shown.verb, sums=sums, per_row=per_row)
    with st.container(key="canvas", gap=None):
        chart(figure, alt=f"Heatmap of {title.replace(chr(10), ', ')}", file_name=file_name(title))
        is_first = st.session_state.setdefault("first picture", title) == title
        if not is_first or per_row:
            return title
        if static := plots.static_heatmap(*labels, title=wrapped):  # until the browser has Plotly
            st.html(static)
    return title


def _wrap(line: str) -> list[str]:
    return textwrap.wrap(line, TITLE_WIDTH)


def heatmap_title(run: Run, kind: str, reduction: str) -> str:
    """Two lines: `demo-en-fr · step 1,500`, `cross-attention · layer 2 of 2 · mean of 4 heads`."""
    return f"{cached.model_name(run)}\n{KIND_NAMES[kind]} · {reduction}"


def reading_guide(
    kind: str, shown: AttentionMap, *, fault: str = "", is_whole: bool = True, is_part: bool = False
) -> None:
    """An example from this picture, then a rule for all. `is_whole`: rows sum to 1; `is_part`: of a larger picture.

    `fault` is that of the run's recipe.
    """
    if not shown.weights.size or not np.isfinite(shown.weights).all():
        return
    token, key, weight = clearest_row(shown.weights, shown.rows, shown.keys)
    most = "mostly" if weight >= MOSTLY else "most"
    part = " of what is shown here," if is_part else ""
    verb = "predicts" if shown.verb == "predicts" else "reads"
    example = f"When the model {verb} {_quoted(token)},{part} it attends {most} to {_quoted(key)} ({weight:.2f})."
    rule = _rule(kind, shown.verb, is_normalized=is_whole and not is_part)
    if (row := FAULTS.get(fault)) and row.attention == kind and row.beside_picture:
        rule = f"{rule} {row.beside_picture}"
    present = [token for token in SPECIAL if token in (*shown.rows, *shown.keys)]
    special = [
        f"<code>{html.escape(token)}</code> {SPECIAL[token]} {'it' if number else 'a sentence'}"
        for number, token in enumerate(present)
    ]
    end = f" {' and '.join(special)}." if special else ""
    if weight:
        with st.container(key=EXAMPLE):
            st.html(f"<p>{example}</p>")
    st.html(f"<p>{rule}{end}</p>")


def _rule(kind: str, verb: str, *, is_normalized: bool) -> str:
    row, keys = ROWS[kind, verb]
    sums = ", which sum to 1," if is_normalized else ""
    return f"Each row is one {row}; its weights{sums} show how much attention goes to {keys}."


def _quoted(token: str) -> str:
    return f"<em><bdi>{html.escape(token)}</bdi></em>"


def download_button(shown: AttentionMap, title: str) -> None:
    """The weights of the picture, as a table."""
    st.download_button(
        "Download data (CSV)",
        partial(plots.attention_csv, shown.weights, shown.keys, shown.rows, shown.verb),
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def file_name(title: str) -> str:
    """A title as a file's name: letters, digits and hyphens."""
    return re.sub(r"[^\w-]+", "-", title).strip("-")


def nats(log_prob: float) -> str:
    """`-1.5` -> `−1.50`; what rounds to zero has no sign."""
    return f"{log_prob:z.2f}".replace("-", "−")


def four_digits(value: float) -> str:
    """Four significant digits: `-0.000123456` -> `−0.0001235`, `-520165.55` -> `−520,166`, `-0.0` -> `0`."""
    if not value:
        return "0"
    is_long = 1000 <= abs(value) < 1e9
    text = f"{value:,.0f}" if is_long else f"{value:#.4g}".rstrip(".")
    digits, _, power = text.partition("e")
    tens = f" × 10{str(int(power)).translate(SUPERSCRIPT)}" if power else ""
    return f"{digits}{tens}".replace("-", "−")


def percent(share: float) -> str:
    """`0.254` -> `25%`."""
    return f"{share:.0%}" if share >= 0.01 else "less than 1%"
