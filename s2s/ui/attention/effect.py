"""What came of a change of attention, in words: two translations, one distribution before and after."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st
from torch import Tensor

from s2s import plots
from s2s.analysis import INTERVENTIONS, Attention, Head
from s2s.runs import Run
from s2s.runs.intervention import InterventionResult, Interventions, Next
from s2s.ui.attention.request import Asked
from s2s.ui.kit import captions, differences
from s2s.ui.kit.captions import nats
from s2s.ui.kit.text import plain

SHOWN = 8  # tokens of the distribution
TOLD = 4  # heads by name
HARDLY = 0.005  # nats
END = "</s>"
SHARE = st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0)


def show(asked: Asked, change: Interventions, found: InterventionResult) -> None:
    """In this order: what happened, both texts, the distribution."""
    st.markdown(told(asked.seen, change, found))
    _texts(found)
    if found.next:
        _next(asked.run, found, found.next)


def in_force(change: Interventions, seen: Attention) -> str:
    """What is done to the model, as markdown."""
    parts = []
    if change.keys:
        n_heads = "all heads" if change.among is None else _count(len(change.among), "head")
        place = f"token {change.place + 1} ({_quoted(seen.tgt_tokens[change.place])})"
        looked = _listed([seen.src_tokens[key] for key in change.keys])
        parts.append(
            f"while {place} is written, {n_heads} of cross-attention look{'s' if n_heads == '1 head' else ''} only at {looked}"
        )
    for how, row in INTERVENTIONS.items():
        if own := [head for head, name in change.heads if name == how]:
            parts.append(f"{row.label.lower()}: {_heads(own)}")
    return "; ".join(parts)


def told(seen: Attention, change: Interventions, found: InterventionResult) -> str:
    """What happened, as markdown."""
    if not change.keys:
        return _of_heads(change, found)
    looked = _listed([seen.src_tokens[key] for key in change.keys])
    start = f"With {_count(len(change.heads), 'head')} changed, the" if change.heads else "The"
    return f"{start} model was made to look at {looked} while it wrote token {change.place + 1}; it {_wrote(found, change.place)}"


def _of_heads(change: Interventions, found: InterventionResult) -> str:
    start = f"With {_count(len(change.heads), 'head')} changed the model"
    if found.next is None:
        gained = found.after.log_prob - found.before.log_prob
        surely = (
            "as surely as"
            if abs(gained) < HARDLY
            else "more surely than"
            if gained > 0
            else "less surely than"
        )
        return f"{start} writes the same translation, {surely} before."
    return f"{start} writes another translation. They part at token {found.next.place + 1}: it {_wrote(found, found.next.place)}"


def _wrote(found: InterventionResult, place: int) -> str:
    ours, theirs = (
        one.tokens[place] if place < len(one.tokens) else END for one in (found.after, found.before)
    )
    if ours == END != theirs:
        return f"stopped instead of writing {_quoted(theirs)}."
    if ours != theirs:
        instead = "stopping" if theirs == END else _quoted(theirs)
        return f"wrote {_quoted(ours)} instead of {instead}, then went on by itself."
    return (
        "stopped there all the same."
        if ours == END
        else f"wrote {_quoted(ours)} all the same, then went on by itself."
    )


def _texts(found: InterventionResult) -> None:
    """The old one, and the new one with what differs marked."""
    shown, differing = differences.highlighted(found.after.text, found.before.text)
    texts = (
        ("Without", found.before, html.escape(found.before.text), ""),
        ("With", found.after, shown, ", by the changed model"),
    )
    with st.container(gap="xsmall"):
        for name, one, text, whose in texts:
            st.caption(f"{name} the change · log-probability {nats(one.log_prob)} nats{whose}")
            with st.container(key=f"translation changed {name}"):
                st.html(
                    f'<p dir="auto" title="Click to select, then copy">{text or "(nothing)"}</p>'
                )
        if differing and not differing.is_empty:
            said = "<ins>Underlined</ins> words stand only in the new translation, <del>struck out</del> ones only in the old."
            st.html(f'<p class="legend"><small>{said}</small></p>')
    if found.kept:
        kept = "first token is" if found.kept == 1 else f"first {found.kept} tokens are"
        st.caption(
            f"The {kept} kept as the target has {'it' if found.kept == 1 else 'them'}; what follows is the model's."
        )


def _next(run: Run, found: InterventionResult, parted: Next) -> None:
    """The most probable tokens of either side."""
    begun = found.before.tokens[: parted.place]
    st.markdown(
        f"**What could stand as token {parted.place + 1}**, after {_quoted(' '.join(begun[-3:])) if begun else 'nothing'}"
    )
    rows = table(run, parted)
    frame = pd.DataFrame(rows, columns=["token", "without", "with"])
    best = f"most probable without the change {rows[0][0]}, with it {max(rows, key=lambda row: row[2])[0]}"
    look = {"without": SHARE, "with": SHARE}
    st.dataframe(
        frame,
        hide_index=True,
        column_config=look,
        alt=f"Probabilities of the next token: {best}",
        key="next changed",
    )
    name = captions.file_name(f"{run.folder.id} token {parted.place + 1} changed")
    make = partial(numbers, rows)
    st.download_button(
        "Probabilities (CSV)",
        make,
        f"{name}.csv",
        "text/csv",
        key="next numbers",
        on_click="ignore",
        icon=":material/download:",
    )


def table(run: Run, parted: Next) -> list[tuple[str, float, float]]:
    """Token, probability without and with the change: those that either finds most probable, by the first."""
    before = parted.before.exp()
    after = parted.after.exp()
    best = before.maximum(after).topk(min(SHOWN, len(before))).indices.tolist()
    best.sort(key=lambda token: -float(before[token]))
    return [
        (run.tgt_tokenizer.tokens([token])[0], _rounded(before, token), _rounded(after, token))
        for token in best
    ]


def _rounded(row: Tensor, token: int) -> float:
    return round(float(row[token]), 6)


def numbers(rows: Sequence[tuple[str, float, float]]) -> str:
    """The table as CSV."""
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(("token", "without the change", "with the change"))
    lines.writerows((plots.csv_cell(token), *values) for token, *values in rows)
    return out.getvalue()


def _heads(heads: Sequence[Head]) -> str:
    named = [f"{head.kind} layer {head.layer + 1} head {head.head + 1}" for head in heads[:TOLD]]
    return ", ".join(named) + (f" and {len(heads) - TOLD} more" if len(heads) > TOLD else "")


def _listed(tokens: Sequence[str]) -> str:
    *first, last = map(_quoted, tokens)
    return f"{', '.join(first)} and {last}" if first else last


def _quoted(token: str) -> str:
    return f"*{plain(token)}*"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
