"""Before a picture of attention is drawn: what is left out of it, and what is put together."""

from __future__ import annotations

import streamlit as st

from s2s.analysis import AttentionMap, Remaining, merge_words, without_sinks
from s2s.runs import Run
from s2s.tokenizers import Tokenizer
from s2s.ui.attention.values import OWN, remember, value
from s2s.ui.kit.captions import percent

FAINT = (
    0.5  # of its weight: a row that kept less is worth a word, for what is left of it looks sure
)
MERGED = (
    "Pieces are merged into the words between blanks, a blank with the word that it begins: weights on the pieces of a word are added"
    " up, rows of pieces averaged; `<s>` and `</s>` stay."
)
WHOLE = "Every token is a word here: there was nothing to merge."


def switches() -> None:
    """What `tidied` does; folded away."""
    with st.popover("Tidy up", icon=":material/mop:", width=130):
        _switch(
            "words",
            "Words",
            "Merge the pieces of a word: weights on them are added up, their rows averaged (Clark et al. 2019).",
        )
        _switch(
            "drop",
            "Leave out sinks",
            "Leave out the columns of `<s>`, `</s>` and punctuation, where heads put weight they have no use for, and scale rows to 1.",
        )


def tidied(run: Run, kind: str, picture: AttentionMap) -> tuple[AttentionMap, str]:
    """The picture as the switches want it, and what was done to it, in our words with tokens in backticks; empty where nothing was."""
    said = []
    if value("words"):
        rows, keys = (is_whole(tokenizer) for tokenizer in sides(run, kind))
        picture = merge_words(picture, rows_whole=rows, keys_whole=keys)
        said.append(WHOLE if rows and keys else MERGED)
    if value("drop"):
        left = without_sinks(picture)
        gone = [key for key in dict.fromkeys(picture.keys) if key not in left.picture.keys]
        said.append(
            _scaled(left, " ".join(f"`{key}`" for key in gone))
            if gone
            else "No column is `<s>`, `</s>` or punctuation."
        )
        picture = left.picture
    return picture, " ".join(said)


def sides(run: Run, kind: str) -> tuple[Tokenizer, Tokenizer]:
    """What cut the rows and what cut the columns of a kind of attention."""
    src = run.src_tokenizer
    tgt = run.tgt_tokenizer
    return {"cross": (tgt, src), "encoder": (src, src), "decoder": (tgt, tgt)}[kind]


def is_whole(tokenizer: Tokenizer) -> bool:
    """Whether its tokens are words."""
    return tokenizer.kind == "word"


def _scaled(left: Remaining, where: str) -> str:
    """`41% of the weight lay on ... and is left out; ...`."""
    rows = {0: "", 1: " One row had nothing else and is empty."}.get(
        left.n_empty, f" {left.n_empty} rows had nothing else and are empty."
    )
    faint = (
        f" The row that lost most kept {percent(left.least)} of its weight."
        if left.least < FAINT
        else ""
    )
    return f"{percent(left.share)} of the weight lay on {where} and is left out; rows are scaled to sum to 1 again.{faint}{rows}"


def _switch(name: str, label: str, about: str) -> None:
    key = OWN + name
    st.session_state.setdefault(key, value(name) == "1")
    is_on = st.toggle(label, key=key, persist_state="session", help=about)
    remember(**{name: "1" if is_on else ""})
