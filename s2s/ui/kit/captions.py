"""Words around the picture: the translation, how to read the attention, the numbers."""

from __future__ import annotations

import html
import math
import re
import textwrap
from collections.abc import Sequence
from functools import partial
from types import MappingProxyType

import streamlit as st

from s2s import analysis, plots
from s2s.analysis import AttentionMap, Weights
from s2s.runs import Decoded, Run
from s2s.ui.kit import cached
from s2s.ui.kit.charts import chart

SURE = 0.6  # a weight that is worth a sentence
MOSTLY = 0.5
LINE = 62  # characters of a title; a reduction with a long name takes two lines
DOING = {"predicts": "Writing", "reads": "Reading"}
KIND_NAMES = {
    "cross": "cross-attention",
    "encoder": "encoder self-attention",
    "decoder": "decoder self-attention",
}
RULES = {
    "cross": plots.PLOTS["attention"].reading,
    "encoder": "Each row is one source word being read; its cells, which sum to 1, say which words of the source it takes from.",
    "decoder": "Each row is one word being written; its cells, which sum to 1, say where it looks among the words already written"
    " (never ahead: the upper right is empty).",
}
MARKS = MappingProxyType({"<s>": "is the start", "</s>": "marks the end"})
READ_BACK = "Each row is one word that was written and is now being read; its cells, which sum to 1, say where the model looks meanwhile."


def show_translation(decoded: Decoded) -> None:
    """Large; a click selects all of it. (`st.code` would bring a copy icon, and 0.8 s of highlighter before the picture.)"""
    with st.container(key="translation"):
        st.html(
            f'<p dir="auto" title="Click to select, then copy">{html.escape(decoded.text) or "(nothing)"}</p>'
        )


def log_probability(decoded: Decoded) -> None:
    """How probable the model finds what it wrote."""
    st.caption(
        f"Log-probability {nats(decoded.log_prob)} nats: of all it could have written, the model puts"
        f" {percent(math.exp(decoded.log_prob))} on this sentence."
    )


def show_heatmap(
    run: Run, kind: str, shown: AttentionMap, *, sums: Weights | None = None, per_row: bool = False
) -> str:
    """The heatmap. Returns its name: run, checkpoint, kind, and what the picture is. `sums` and `per_row` as in `plots.heatmap`."""
    title = heatmap_title(run, kind, shown.name)
    broken = "\n".join(part for line in title.split("\n") for part in textwrap.wrap(line, LINE))
    figure = plots.heatmap(
        shown.weights,
        shown.keys,
        shown.rows,
        title=broken,
        verb=shown.verb,
        sums=sums,
        per_row=per_row,
    )
    with st.container(key="canvas", gap=None):
        chart(figure, alt=f"Heatmap of {title.replace(chr(10), ', ')}", file_name=file_name(title))
        is_first = (
            st.session_state.setdefault("first picture", title) == title
        )  # the browser has no Plotly yet
        if (
            is_first
            and not per_row
            and (still := plots.static_heatmap(shown.weights, shown.keys, shown.rows, title=broken))
        ):
            st.html(still)
    return title


def heatmap_title(run: Run, kind: str, place: str) -> str:
    """Two lines: `demo-en-fr · step 1,500`, `cross-attention · layer 2 of 2 · mean of 4 heads`."""
    return f"{cached.title(run.folder.id)} · step {run.step:,}\n{KIND_NAMES[kind]} · {place}"


def reading_guide(
    kind: str, shown: AttentionMap, *, is_whole: bool = True, is_part: bool = False
) -> None:
    """One sentence with words of this picture, one that holds for all. `is_whole`: rows sum to 1; `is_part`: of a larger picture."""
    if not shown.weights.size:
        return
    word, key, weight = clearest_row(shown.weights, shown.rows, shown.keys)
    most = "mostly" if weight >= MOSTLY else "most"
    of_what = "of what is shown here, " if is_part else ""
    example = f"{DOING[shown.verb]} {_quoted(word)}, {of_what}the model looks {most} at {_quoted(key)} ({weight:.2f})."
    rule = READ_BACK if (kind, shown.verb) == ("cross", "reads") else RULES[kind]
    rule = rule if is_whole and not is_part else rule.replace(", which sum to 1,", "")
    marks = [
        f"<code>{html.escape(mark)}</code> {does}"
        for mark, does in MARKS.items()
        if mark in (*shown.rows, *shown.keys)
    ]
    end = f" {' and '.join(marks)}." if marks else ""
    st.html(f"{f'<p>{example}</p>' if weight else ''}<p>{html.escape(rule)}{end}</p>")


def _quoted(token: str) -> str:
    return f"<em><bdi>{html.escape(token)}</bdi></em>"


def clearest_row(
    weights: Weights, words: Sequence[str], keys: Sequence[str]
) -> tuple[str, str, float]:
    """The row that shows most: a strong look that crosses others, as where two words change places; never the end."""
    rows = analysis.strongest_keys(weights, keys, words)
    places = weights.argmax(1)
    candidates = [i for i, word in enumerate(words) if word != "</s>"] or [0]

    def worth(i: int) -> tuple[bool, int, float]:
        crossings = sum(int((places[other] - places[i]) * (other - i) < 0) for other in candidates)
        is_sure = rows[i][2] >= SURE
        return is_sure, crossings if is_sure else 0, rows[i][2]

    return rows[max(candidates, key=worth)]


def download_button(shown: AttentionMap, title: str) -> None:
    """The numbers of the picture, as a table."""
    make = partial(plots.attention_csv, shown.weights, shown.keys, shown.rows, shown.verb)
    st.download_button(
        "Numbers (CSV)",
        make,
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def file_name(shown: str) -> str:
    """What a picture's name gives a file: letters, digits and hyphens."""
    return re.sub(r"[^\w-]+", "-", shown).strip("-")


def nats(log_prob: float) -> str:
    """`-1.5` -> `−1.50`."""
    return f"{log_prob:.2f}".replace("-", "−")


def percent(share: float) -> str:
    """`0.254` -> `25%`."""
    return f"{share:.0%}" if share >= 0.01 else "less than 1%"
