"""The effect of an intervention in words: two translations, and the next-token distribution without and with it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from s2s.analysis import WEIGHT_INTERVENTIONS, Attention, Head
from s2s.files import csv_writer
from s2s.runs import Decoded, InterventionResult, Interventions, Next, Run
from s2s.ui.attention.request import AttentionRequest
from s2s.ui.kit import both_translations, captions, plain
from s2s.words import listed

MAX_TOKENS = 8  # of the distribution
MAX_NAMED_HEADS = 4
NEGLIGIBLE = 0.005  # nats
END = "</s>"
PROBABILITY = st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0)


def show(
    request: AttentionRequest, interventions: Interventions, result: InterventionResult
) -> None:
    """In this order: what happened, both translations, the distribution."""
    st.markdown(summary(request.attention, interventions, result))
    _translations(result)
    if result.next:
        _distribution(request.run, result, result.next)


def describe(interventions: Interventions, attention: Attention) -> str:
    """What is done to the model, as markdown."""
    parts = []
    if interventions.keys:
        parts.append(_override(interventions, attention))
    for slug, row in WEIGHT_INTERVENTIONS.items():
        if heads := [head for head, name in interventions.heads if name == slug]:
            parts.append(f"{row.label.lower()}: {_head_names(heads)}")
    return "; ".join(parts)


def _override(interventions: Interventions, attention: Attention) -> str:
    token = attention.tgt_tokens[interventions.position]
    keys = listed([_quoted(attention.src_tokens[key]) for key in interventions.keys])
    heads = "all heads of cross-attention look"
    if interventions.overridden is not None:
        n_heads = len(interventions.overridden)
        verb = "looks" if n_heads == 1 else "look"
        heads = f"{_count(n_heads, 'head')} of cross-attention {verb}"
    return f"while token {interventions.position + 1} ({_quoted(token)}) is written, {heads} only at {keys}"


def summary(attention: Attention, interventions: Interventions, result: InterventionResult) -> str:
    """What happened, as markdown."""
    n_heads = len(interventions.heads)
    if not interventions.keys:
        return _summary_of_heads(n_heads, result)
    keys = listed([_quoted(attention.src_tokens[key]) for key in interventions.keys])
    start = f"With {_count(n_heads, 'head')} changed, the" if n_heads else "The"
    position = interventions.position
    return (
        f"{start} model was made to attend to {keys} while it wrote token {position + 1}; it"
        f" {_outcome(result, position)}"
    )


def _summary_of_heads(n_heads: int, result: InterventionResult) -> str:
    start = f"With {_count(n_heads, 'head')} changed the model"
    if result.next is None:
        gain = result.after.log_prob - result.before.log_prob
        return f"{start} writes the same translation, {_certainty(gain)} before."
    position = result.next.position
    return (
        f"{start} writes another translation. They first differ at token {position + 1}: it"
        f" {_outcome(result, position)}"
    )


def _certainty(gain: float) -> str:
    if abs(gain) < NEGLIGIBLE:
        return "as certain of it as"
    return "more certain of it than" if gain > 0 else "less certain of it than"


def _outcome(result: InterventionResult, position: int) -> str:
    """What the changed model wrote at a position, as the end of a sentence."""
    before = _token_at(result.before, position)
    after = _token_at(result.after, position)
    if after == before == END:
        return "stopped there anyway."
    if after == before:
        return f"wrote {_quoted(after)} anyway, then continued on its own."
    if after == END:
        return f"stopped instead of writing {_quoted(before)}."
    instead = "stopping" if before == END else _quoted(before)
    return f"wrote {_quoted(after)} instead of {instead}, then continued on its own."


def _token_at(found: Decoded, position: int) -> str:
    return found.tokens[position] if position < len(found.tokens) else END


def _translations(result: InterventionResult) -> None:
    """Without and with the interventions, differences marked."""
    both_translations(result.before, result.after)
    if result.kept == 1:
        st.caption("The first token is forced to be that of the target; the model writes the rest.")
    elif result.kept:
        st.caption(
            f"The first {result.kept} tokens are forced to be those of the target; the model writes the rest."
        )


def _distribution(run: Run, result: InterventionResult, following: Next) -> None:
    """The most probable tokens without and with the interventions."""
    position = following.position
    prefix = " ".join(result.before.tokens[:position][-3:])
    start = run.tgt_tokenizer.tokens([run.recipe.model.ids.start])[0]
    after = _quoted(prefix or start)
    st.markdown(f"**Candidates for token {position + 1}**, after {after}")
    rows = table(run, following)
    with_best = max(rows, key=lambda row: row[2])[0]
    st.dataframe(
        pd.DataFrame(rows, columns=["token", "without", "with"]),
        hide_index=True,
        column_config={"without": PROBABILITY, "with": PROBABILITY},
        alt="Probabilities of the next token: most probable without the change"
        f" {rows[0][0]}, with it {with_best}",
        key="next changed",
    )
    name = captions.file_name(f"{run.folder.id} token {position + 1} changed")
    st.download_button(
        "Probabilities (CSV)",
        partial(table_csv, rows),
        f"{name}.csv",
        "text/csv",
        key="next numbers",
        on_click="ignore",
        icon=":material/download:",
    )


def table(run: Run, following: Next) -> list[tuple[str, float, float]]:
    """Token, probability without and with the interventions: the best of either, sorted by the first."""
    before = following.before.exp()  # (vocab,)
    after = following.after.exp()  # (vocab,)
    best = before.maximum(after).topk(min(MAX_TOKENS, len(before))).indices.tolist()
    best.sort(key=lambda token: -float(before[token]))
    return [
        (run.tgt_tokenizer.tokens([token])[0], float(before[token]), float(after[token]))
        for token in best
    ]


def table_csv(rows: Sequence[tuple[str, float, float]]) -> str:
    """The table as CSV."""
    out = io.StringIO()
    lines = csv_writer(out)
    lines.writerow(("token", "without the change", "with the change"))
    lines.writerows((token, *values) for token, *values in rows)
    return out.getvalue()


def _head_names(heads: Sequence[Head]) -> str:
    names = [
        f"{head.kind} layer {head.layer + 1} head {head.head + 1}"
        for head in heads[:MAX_NAMED_HEADS]
    ]
    n_more = len(heads) - len(names)
    return ", ".join(names) + (f" and {n_more} more" if n_more else "")


def _quoted(token: str) -> str:
    return f"*{plain(token)}*"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
