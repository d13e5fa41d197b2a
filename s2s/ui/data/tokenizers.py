"""Tokenizers side by side: a table of measurements, how each splits an example, and the choice of one."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.config import TokenizerConfig
from s2s.links.share import printable
from s2s.tokenizers import (
    TOKENIZERS,
    UNK,
    ComparisonRow,
    ExampleTokens,
    SideStatistics,
    Tokenizer,
    load,
)
from s2s.ui.kit import as_markdown, cached, chart, plain
from s2s.ui.kit.tables import frame_csv

MAX_CHARACTERS = 500  # of a visitor's sentence
MAX_TOKENS = 150  # of a sentence that are drawn
# Percent of the color in a token's background: the contrast of its text is at least 9:1, in light and in dark.
SHARE = 24
BACKGROUNDS = ("#0072B2", "#E69F00")  # alternating; Okabe and Ito, as in s2s/plots/theme.py
UNKNOWN = "#D55E00"
DEFAULT = TokenizerConfig()
FORMATS = MappingProxyType(
    {"tokens per word": "%.2f", "unknown": "percent", "too long": "percent", "seconds": "%.1f"}
)


def panel(
    rows: Sequence[ComparisonRow],
    key: str,
    *,
    advice: str = "",
    now: TokenizerConfig = DEFAULT,
    folder: Path | None = None,
) -> dict[str, Any]:
    """Returns the recipe settings of the chosen tokenizer; none while that is the recipe's, `now`, if not measured.

    `advice` is a sentence shown above where words are not separated by spaces. `key` identifies the dataset.
    With the `folder` of the saved tokenizers, a visitor can try them on a sentence.
    """
    if not rows:
        st.info("No tokenizer has been measured on these pairs.", icon=":material/hourglass_empty:")
        return {}
    named = names(rows)
    if advice:
        st.warning(as_markdown(advice), icon=":material/space_bar:")
    _table(named, key)
    _length_chart(named)
    if st.session_state.get(f"{key} tokenizer now") != now:  # the recipe was changed elsewhere
        st.session_state[f"{key} tokenizer now"] = now
        st.session_state.pop(f"{key} tokenizer", None)
    text = _sentence(key) if folder else ""
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


def names(rows: Sequence[ComparisonRow]) -> dict[str, ComparisonRow]:
    """The rows by their names, e.g. `bpe · 4,000`: in the order of `TOKENIZERS`, small vocabularies first."""
    order = list(TOKENIZERS)
    return {
        _name(row): row
        for row in sorted(rows, key=lambda row: (order.index(row.kind), row.src.vocab_size))
    }


def _name(row: ComparisonRow) -> str:
    sizes = dict.fromkeys((f"{row.src.vocab_size:,}", f"{row.tgt.vocab_size:,}"))
    automatic = (
        " (automatic)" if row.requested_size is None and TOKENIZERS[row.kind].is_subword else ""
    )
    return f"{row.kind} · {' / '.join(sizes)}{automatic}"


def settings(row: ComparisonRow) -> str:
    """The same choice on the command line."""
    values = {
        key: "null" if value is None else str(value).lower() for key, value in row.changes.items()
    }
    return " ".join(f"--set {key}={value}" for key, value in values.items())


def frame(named: Mapping[str, ComparisonRow]) -> pd.DataFrame:
    """One row per tokenizer; rates from 0 to 1, lengths in tokens, time in seconds."""
    return pd.DataFrame(
        [_row(row) for row in named.values()], index=pd.Index(named, name="tokenizer")
    )


def _row(row: ComparisonRow) -> dict[str, float | None]:
    src = _side(row.src)
    tgt = _side(row.tgt)
    both = {
        f"{label}, {side}": values[label]
        for label in src
        for side, values in (("source", src), ("target", tgt))
    }
    return {"too long": row.too_long, **both, "seconds": row.seconds}


def _side(side: SideStatistics) -> dict[str, float | None]:
    return {
        "tokens per word": side.tokens_per_word,
        "unknown": side.unknown_rate,
        "median length": side.median,
        "95th percentile": side.p95,
        "longest": side.longest,
        "vocabulary size": side.vocab_size,
    }


def _table(named: Mapping[str, ComparisonRow], key: str) -> None:
    table = frame(named)
    limit = next(iter(named.values())).limit
    columns = {
        name: st.column_config.NumberColumn(format=FORMATS.get(name.partition(",")[0], "localized"))
        for name in table
    }
    st.dataframe(
        table,
        column_config=columns,
        alt="Comparison of tokenizers: one row each, with measurements of both sides",
        key=f"{key} tokenizer table",
    )
    st.caption(
        "Words are separated by spaces. Unknown: fraction of the held-out tokens that are `<unk>`. Lengths in tokens,"
        f" without `</s>`. Pairs longer than {limit}, `</s>` included, are dropped unless `data.max_length` is raised."
    )
    st.download_button(
        "Download data (CSV)",
        partial(frame_csv, table, index=True),
        "tokenizers.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"{key} tokenizer csv",
    )


def _length_chart(named: Mapping[str, ComparisonRow]) -> None:
    """How long targets become, by kind and vocabulary size."""
    kinds = {
        kind: [(row.tgt.vocab_size, row.tgt.median) for row in named.values() if row.kind == kind]
        for kind in TOKENIZERS
    }
    measured = {kind: points for kind, points in kinds.items() if points}
    figure = plots.vocabulary_size(measured, title="Length of the targets by tokenizer")
    lengths = "; ".join(
        f"{kind} {points[-1][1]:g} tokens with a vocabulary of {points[-1][0]:,}"
        for kind, points in measured.items()
    )
    chart(figure, alt=f"Median length of the targets: {lengths}", file_name="tokenizers")
    st.caption(plots.PLOTS["vocabulary_size"].caption)


def _own(named: Mapping[str, ComparisonRow], now: TokenizerConfig) -> str:
    """The name of the recipe's own tokenizer: that of its row, if it was measured."""
    for name, row in named.items():
        if (row.kind, row.requested_size) == (now.kind, now.vocab_size):
            return name
    size = f" · {now.vocab_size:,}" if now.vocab_size else ""
    return f"{now.kind}{size} (the recipe's, not measured)"


def _comparable(others: Mapping[str, ComparisonRow], row: ComparisonRow) -> str:
    """The next subword tokenizer of another kind with the same requested size."""
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
    """The visitor's own sentence; empty where the example of the dataset is shown."""
    typed = st.text_input(
        "Try a sentence",
        key=f"{key} tokenizer sentence",
        max_chars=MAX_CHARACTERS,
        placeholder="Type a sentence to see how both tokenizers split it; empty: an example of the dataset",
        persist_state="session",
    )
    return printable(typed or "").strip()


def _tokens(row: ComparisonRow, folder: Path | None, text: str) -> None:
    """The tokens of a sentence, or of an example pair. Raises UserError if the tokenizer was not saved."""
    if not folder or not text:
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
