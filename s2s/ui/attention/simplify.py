"""The switches that simplify an attention map before it is drawn: merge tokens into words, hide sinks."""

from __future__ import annotations

import streamlit as st

from s2s.analysis import AttentionMap, Remaining, merge_words, without_sinks
from s2s.runs import Run
from s2s.tokenizers import Tokenizer
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import percent

FAINT = 0.5  # of its weight: what is left of a row that kept less looks more certain than it is
MERGED = (
    "Tokens are merged into words, a space with the word after it: weights on the tokens of a word are summed, their"
    " rows averaged; `<s>` and `</s>` stay."
)
NOTHING_TO_MERGE = "Every token is already a word."


def switches() -> None:
    """The controls, in a popover."""
    with st.popover("Simplify", icon=":material/mop:", width=130):
        STATE.toggle(
            "words",
            "Merge words",
            help="Merge the tokens of a word: weights on them are summed, their rows averaged (Clark et al. 2019).",
        )
        STATE.toggle(
            "drop",
            "Hide sinks",
            help="Hide the columns of `<s>`, `</s>` and punctuation, on which heads put weight they have no use for,"
            " and scale"
            " rows to 1.",
        )


def simplified(run: Run, kind: str, picture: AttentionMap) -> tuple[AttentionMap, str]:
    """The map as the switches ask, and a note on what was done, with tokens in backticks; empty if nothing was."""
    notes = []
    if STATE.now.words:
        rows_whole, keys_whole = (has_word_tokens(tokenizer) for tokenizer in tokenizers(run, kind))
        picture = merge_words(picture, rows_whole=rows_whole, keys_whole=keys_whole)
        notes.append(NOTHING_TO_MERGE if rows_whole and keys_whole else MERGED)
    if STATE.now.drop:
        remaining = without_sinks(picture)
        hidden = [key for key in dict.fromkeys(picture.keys) if key not in remaining.picture.keys]
        notes.append(_hidden_note(remaining, hidden))
        picture = remaining.picture
    return picture, " ".join(notes)


def tokenizers(run: Run, kind: str) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers of the rows and of the columns of a kind of attention."""
    src = run.src_tokenizer
    tgt = run.tgt_tokenizer
    return {"cross": (tgt, src), "encoder": (src, src), "decoder": (tgt, tgt)}[kind]


def has_word_tokens(tokenizer: Tokenizer) -> bool:
    """Whether its tokens are words."""
    return tokenizer.kind == "word"


def _hidden_note(remaining: Remaining, hidden: list[str]) -> str:
    """`41% of the weight was on ... and is hidden; ...`."""
    if not hidden:
        return "No column is `<s>`, `</s>` or punctuation."
    tokens = " ".join(f"`{key}`" for key in hidden)
    note = f"{percent(remaining.share)} of the weight was on {tokens} and is hidden; rows are scaled to sum to 1 again."
    if remaining.least < FAINT:
        note += f" The row that lost most kept {percent(remaining.least)} of its weight."
    if remaining.n_empty == 1:
        note += " One row had no other weight and is empty."
    elif remaining.n_empty:
        note += f" {remaining.n_empty} rows had no other weight and are empty."
    return note
