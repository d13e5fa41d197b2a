"""Tokenizers side by side: what each costs in numbers, how it cuts a sentence, and which one to take."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.config import TokenizerConfig
from s2s.tokenizers import TOKENIZERS, UNK, ComparisonRow, ExampleTokens, SideStatistics
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import as_markdown, plain

MOST = 150  # pieces of a sentence that are drawn
SHARE = 24  # per cent of the colour in a piece's ground; its text reads with 9:1 and more, in light and in dark
GROUNDS = ("#0072B2", "#E69F00")  # of neighbours, in turn; Okabe and Ito, as in s2s/plots/theme.py
UNKNOWN = "#D55E00"
DEFAULT = TokenizerConfig()
FORMATS = MappingProxyType(
    {"pieces a word": "%.2f", "unknown": "percent", "too long": "percent", "seconds": "%.1f"}
)


def panel(
    rows: Sequence[ComparisonRow], key: str, *, advice: str = "", now: TokenizerConfig = DEFAULT
) -> dict[str, Any]:
    """Returns what the chosen one changes in a recipe, at first that of `now`; `key` tells corpora apart. Nothing without rows.

    `advice` is a sentence that is said above, where the words of a side are not set apart.
    """
    if not rows:
        st.info("No tokenizer has been measured on these pairs.", icon=":material/hourglass_empty:")
        return {}
    named = names(rows)
    if advice:
        st.warning(as_markdown(advice), icon=":material/space_bar:")
    _table(named, key)
    _picture(named, key)
    if st.session_state.get(f"{key} pieces now") != now:  # the recipe was changed elsewhere
        st.session_state[f"{key} pieces now"] = now
        st.session_state[f"{key} pieces"] = _usual(named, now)
    chosen, beside = st.columns(2, border=True)
    with chosen:
        taken = _choice("Use this one", named, _usual(named, now), f"{key} pieces")
        _cut(named[taken])
        st.caption(as_markdown(TOKENIZERS[named[taken].kind].summary))
        st.code(settings(named[taken]), language=None, wrap_lines=True)
    with beside:
        others = {name: row for name, row in named.items() if name != taken} or named
        _cut(
            others[
                _choice("Beside it", others, _other(others, named[taken]), f"{key} pieces beside")
            ]
        )
    return named[taken].changes


def names(rows: Sequence[ComparisonRow]) -> dict[str, ComparisonRow]:
    """The rows by what they are called, e.g. `bpe · 4,000`; kinds in their usual order, small ones first."""
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
    """The same choice on a command line."""
    values = {
        key: "null" if value is None else str(value).lower() for key, value in row.changes.items()
    }
    return " ".join(f"--set {key}={value}" for key, value in values.items())


def frame(named: Mapping[str, ComparisonRow]) -> pd.DataFrame:
    """A line a tokenizer; shares from 0 to 1, lengths in tokens, time in seconds."""
    return pd.DataFrame(
        [_line(row) for row in named.values()], index=pd.Index(named, name="tokenizer")
    )


def _line(row: ComparisonRow) -> dict[str, float | None]:
    src = _numbers(row.src)
    tgt = _numbers(row.tgt)
    both = {
        f"{label}, {side}": values[label]
        for label in src
        for side, values in (("source", src), ("target", tgt))
    }
    return {"too long": row.too_long, **both, "seconds": row.seconds}


def _numbers(side: SideStatistics) -> dict[str, float | None]:
    return {
        "pieces a word": side.tokens_per_word,
        "unknown": side.unknown_rate,
        "median length": side.median,
        "95 % have at most": side.p95,
        "longest": side.longest,
        "pieces": side.vocab_size,
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
        alt="Tokenizers compared: a line each, numbers of both sides",
        key=f"{key} pieces table",
    )
    st.caption(
        "Words are what stands between blanks. Unknown: share of the held-out tokens that are `<unk>`. Lengths in tokens;"
        f" pairs over {limit}, the end included, are too long: they are left out unless `data.max_length` is raised."
    )
    st.download_button(
        "Numbers (CSV)",
        partial(table.to_csv),
        "tokenizers.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"{key} pieces csv",
    )


def _picture(named: Mapping[str, ComparisonRow], key: str) -> None:
    """How long targets become, by kind and size."""
    kinds = {
        kind: [(row.tgt.vocab_size, row.tgt.median) for row in named.values() if row.kind == kind]
        for kind in TOKENIZERS
    }
    measured = {kind: points for kind, points in kinds.items() if points}
    figure = plots.vocabulary_size(measured, title="Length of the targets by tokenizer")
    said = "; ".join(
        f"{kind} {points[-1][1]:g} tokens with {points[-1][0]:,} pieces"
        for kind, points in measured.items()
    )
    chart(figure, alt=f"Median length of the targets: {said}", file_name="tokenizers")
    st.caption(plots.PLOTS["vocabulary_size"].caption)


def _usual(named: Mapping[str, ComparisonRow], now: TokenizerConfig) -> str:
    """The one that the recipe has; else the automatic one of its kind, else the first."""
    same = [
        name
        for name, row in named.items()
        if (row.kind, row.requested_size) == (now.kind, now.vocab_size)
    ]
    kind = [
        name for name, row in named.items() if (row.kind, row.requested_size) == (now.kind, None)
    ]
    return next(iter([*same, *kind, *named]))


def _other(others: Mapping[str, ComparisonRow], taken: ComparisonRow) -> str:
    """The next one of another kind that was asked for in the same way."""
    alike = [
        name
        for name, row in others.items()
        if row.kind != taken.kind
        and TOKENIZERS[row.kind].is_subword
        and row.requested_size == taken.requested_size
    ]
    return next(iter([*alike, *others]))


def _choice(label: str, named: Mapping[str, ComparisonRow], usual: str, key: str) -> str:
    options = list(named)
    if st.session_state.get(key) not in options:
        st.session_state[key] = usual
    return str(st.selectbox(label, options, key=key, persist_state="session"))


def _cut(row: ComparisonRow) -> None:
    """The example sentence of both sides."""
    for name, side in (("Source", row.src), ("Target", row.tgt)):
        n = len(side.example)
        st.markdown(plain(f"{name}: {n} piece{'' if n == 1 else 's'}"))
        st.html(strip(side.example))


def strip(cut: ExampleTokens) -> str:
    """ExampleTokens side by side in the text's own direction, neighbours on different grounds, a border around each, its id under it."""
    spans = "".join(
        _piece(piece, index, GROUNDS[place % len(GROUNDS)])
        for place, (piece, index) in enumerate(cut[:MOST])
    )
    rest = f"<small>and {len(cut) - MOST:,} more</small>" if len(cut) > MOST else ""
    return f'<div class="tokens" dir="{direction(cut)}">{spans}{rest}</div>'


def _piece(piece: str, index: int, ground: str) -> str:
    colour = f"color-mix(in srgb, {UNKNOWN if index == UNK else ground} {SHARE}%, transparent)"
    return f'<span style="background: {colour}"><b><bdi>{html.escape(piece)}</bdi></b><small>{index}</small></span>'


def direction(cut: ExampleTokens) -> str:
    """`rtl` where the first letter with a direction goes from right to left, as in Hebrew or Arabic."""
    found = (
        unicodedata.bidirectional(character)
        for piece, index in cut
        if index > UNK
        for character in piece
    )
    return (
        "rtl" if next((each for each in found if each in ("L", "R", "AL")), "L") != "L" else "ltr"
    )
