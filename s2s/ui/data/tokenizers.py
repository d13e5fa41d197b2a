"""The choice of a tokenizer: how two of those that were measured split a sentence."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from s2s.config import Recipe, TokenizerConfig
from s2s.data import PROFILE_SECTIONS, ProfileFolder
from s2s.links.share import printable
from s2s.tokenizers import (
    TOKENIZERS,
    UNK,
    ComparisonRow,
    ExampleTokens,
    Tokenizer,
    TokenizerComparison,
    load,
)
from s2s.ui.kit import as_markdown, cached, plain

MAX_CHARACTERS = 500  # of a visitor's sentence
MAX_TOKENS = 150  # of a sentence that are drawn
# Percent of the color in a token's background: the contrast of its text is at least 9:1, in light and in dark.
SHARE = 24
BACKGROUNDS = ("#0072B2", "#E69F00")  # alternating; Okabe and Ito, as in s2s/plots/theme.py
UNKNOWN = "#D55E00"
CHOSEN = ("tokenizer.kind", "tokenizer.vocab_size")  # of a tokenizer's settings, in the recipe


def choose(found: TokenizerComparison, profile: ProfileFolder, recipe: Recipe) -> dict[str, Any]:
    """Draw two tokenizers beside each other, as they split a sentence or an example of the dataset.

    Returns the recipe settings of the one to use; none while that is the recipe's and was not measured.
    """
    named = found.named
    now = recipe.tokenizer
    key = profile.folder.name
    folder = profile.folder / PROFILE_SECTIONS["pieces"].name("pieces", recipe.data)
    if st.session_state.get(f"{key} tokenizer now") != now:  # the recipe was changed elsewhere
        st.session_state[f"{key} tokenizer now"] = now
        st.session_state.pop(f"{key} tokenizer", None)
    text = _sentence(key)
    left, right = st.columns(2, border=True)
    with left:
        own = _own(named, now)
        options = [*named] if own in named else [own, *named]
        chosen = _choice("Use this tokenizer", options, own, f"{key} tokenizer")
        row = named.get(chosen)
        if row is None:
            st.caption("The recipe keeps its tokenizer, unless you choose one that was measured.")
        else:
            _tokens(row, folder, text)
            st.caption(as_markdown(TOKENIZERS[row.kind].summary))
            st.code(settings(row), language=None, wrap_lines=True)
    with right:
        others = {name: other for name, other in named.items() if name != chosen} or named
        default = _comparable(others, row) if row else next(iter(others))
        other = others[_choice("Compare with", others, default, f"{key} tokenizer beside")]
        _tokens(other, folder, text)
    return row.changes if row else {}


def settings(row: ComparisonRow) -> str:
    values = {
        key: "null" if value is None else str(value).lower() for key, value in row.changes.items()
    }
    return " ".join(f"--set {key}={value}" for key, value in values.items())


def _own(named: Mapping[str, ComparisonRow], now: TokenizerConfig) -> str:
    for name, row in named.items():
        if (row.kind, row.requested_size) == (now.kind, now.vocab_size):
            return name
    size = f" · {now.vocab_size:,}" if now.vocab_size else ""
    return f"{now.kind}{size} (the recipe's, not measured)"


def _comparable(others: Mapping[str, ComparisonRow], row: ComparisonRow) -> str:
    alike = [
        name
        for name, other in others.items()
        if other.kind != row.kind
        and TOKENIZERS[other.kind].is_subword
        and other.requested_size == row.requested_size
    ]
    return next(iter([*alike, *others]))


def _choice(label: str, names: Iterable[str], default: str, key: str) -> str:
    options = list(names)
    if st.session_state.get(key) not in options:
        st.session_state[key] = default
    return str(st.selectbox(label, options, key=key, persist_state="session"))


def _sentence(key: str) -> str:
    typed = st.text_input(
        "Try a sentence",
        key=f"{key} tokenizer sentence",
        max_chars=MAX_CHARACTERS,
        placeholder="Type a sentence to see how both tokenizers split it; empty: an example of the dataset",
        persist_state="session",
    )
    return printable(typed or "").strip()


def _tokens(row: ComparisonRow, folder: Path, text: str) -> None:
    if not text:
        shown = {"Source": row.src.example, "Target": row.tgt.example}
    elif row.shared:
        shown = {"Your sentence": _split(folder / row.file("src"), text)}
    else:
        names = {"Your sentence as a source": "src", "as a target": "tgt"}
        shown = {name: _split(folder / row.file(side), text) for name, side in names.items()}
    for name, tokens in shown.items():
        st.markdown(plain(f"{name}: {len(tokens)} token{'' if len(tokens) == 1 else 's'}"))
        st.html(strip(tokens))


def _split(path: Path, text: str) -> ExampleTokens:
    tokenizer = _load(str(path))
    ids = tokenizer.encode(text)
    return tuple(zip(tokenizer.tokens(ids), ids, strict=True))


@cached.shared(max_entries=8, show_spinner=False)
def _load(path: str) -> Tokenizer:
    return load(path)


def strip(tokens: ExampleTokens) -> str:
    """HTML: tokens side by side in the direction of their script, on alternating backgrounds, with their ids."""
    spans = "".join(
        _token(token, id, BACKGROUNDS[position % len(BACKGROUNDS)])
        for position, (token, id) in enumerate(tokens[:MAX_TOKENS])
    )
    n_more = len(tokens) - MAX_TOKENS
    more = f"<small>and {n_more:,} more</small>" if n_more > 0 else ""
    return f'<div class="tokens" dir="{direction(tokens)}">{spans}{more}</div>'


def _token(token: str, id: int, background: str) -> str:
    color = f"color-mix(in srgb, {UNKNOWN if id == UNK else background} {SHARE}%, transparent)"
    text = f"<b><bdi>{html.escape(token)}</bdi></b><small>{id}</small>"
    return f'<span style="background: {color}">{text}</span>'


def direction(tokens: ExampleTokens) -> str:
    """`rtl` where the first letter with a direction belongs to a right-to-left script, as in Hebrew or Arabic."""
    classes = (
        unicodedata.bidirectional(character)
        for token, id in tokens
        if id > UNK
        for character in token
    )
    first = next((direction for direction in classes if direction in ("L", "R", "AL")), "L")
    return "ltr" if first == "L" else "rtl"
