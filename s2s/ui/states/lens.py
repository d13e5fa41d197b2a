"""The logit lens: what the decoder would write if it stopped after each layer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from s2s import plots
from s2s.analysis import LogitLens
from s2s.plots import LensCell, fine_percent, logit_lens_csv
from s2s.runs import Run
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.charts import chart
from s2s.ui.states import cached
from s2s.ui.states.request import Asked, short_names


def show(asked: Asked) -> None:
    """The grid, what to make of it, and one place in full."""
    found = cached.lens(asked.run, asked.text, asked.target)
    guesses = _guesses(asked.run, found)
    rows = asked.seen.tgt_tokens
    names = short_names(asked.seen.side("decoder").n_layers)
    title = f"{asked.name}\ndecoder · logit lens\nthe likeliest next token after each layer"
    figure = plots.PLOTS["logit_lens"].draw(guesses, rows, names, title=title)
    chart(
        figure,
        alt=f"Grid: {title.replace(chr(10), ', ')}; {said(found)}",
        file_name=file_name(title),
    )
    st.markdown(f"{said(found)} {plots.PLOTS['logit_lens'].caption}")
    st.caption(caveat(asked.run))
    _layer(asked, guesses)
    make = partial(logit_lens_csv, guesses, rows, names)
    st.download_button(
        "Numbers (CSV)",
        make,
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def said(found: LogitLens) -> str:
    """How early the written tokens are the likeliest."""
    n_layers = found.target_ranks.shape[0] - 1
    n = found.target_ranks.shape[1]
    counts = [(layer, int((row == 1).sum())) for layer, row in enumerate(found.target_ranks)]
    after = ", ".join(
        f"{count} {'before the first layer' if not layer else f'after layer {layer}'}"
        for layer, count in counts
    )
    end = (
        ""
        if counts[n_layers][1] == n
        else " The last is the model's own distribution: what was forced upon it need not be likeliest."
    )
    return f"Of the {n} tokens that are written, so many are the likeliest: {after}.{end}"


def caveat(run: Run) -> str:
    """What the earlier columns can and cannot say."""
    model = run.recipe.model
    norm = (
        "no norm stands between them"
        if not model.decoder.final_norm
        else "the final norm is applied to them, too"
    )
    if model.norm.place == "post":
        norm += "; each layer here ends in a norm of its own, so that early states are on another scale than the last"
    begin = (
        " At the embeddings it finds the token just read, since the projection is the embedding matrix."
        if model.output.tied
        else ""
    )
    return (
        "The lens (nostalgebraist 2020) reads states before the last layer as if they were the last:"
        f" {norm}. Nothing trained them for that, so a poor guess early on says little, and a right one much."
        " The last column is exactly what the model predicts."
        f"{begin}"
    )


def _guesses(run: Run, found: LogitLens) -> list[list[LensCell]]:
    """`[place][layer]`."""
    names = run.tgt_tokenizer.tokens

    def guess(layer: int, place: int) -> LensCell:
        ids = found.ids[layer, place]
        shares = found.probabilities[layer, place]
        return LensCell(
            names(ids),
            shares.tolist(),
            int(found.target_ranks[layer, place]),
            float(found.target_probabilities[layer, place]),
        )

    n_layers, n_places = found.target_ranks.shape
    return [[guess(layer, place) for layer in range(n_layers)] for place in range(n_places)]


def _layer(asked: Asked, guesses: Sequence[Sequence[LensCell]]) -> None:
    """The chosen layer, place by place: what hover says, for those who do not point."""
    shown = []
    for token, row in zip(asked.seen.tgt_tokens, guesses, strict=True):
        guess = row[asked.layer]
        best = enumerate(zip(guess.tokens, guess.shares, strict=True), 1)
        told = {"written": token, "rank": guess.rank, "probability": fine_percent(guess.written)}
        shown.append(
            told | {f"{n}.": f"{name} · {fine_percent(share)}" for n, (name, share) in best}
        )
    st.markdown(f"**The likeliest tokens · {asked.layer_name}**")
    look = {
        "rank": st.column_config.NumberColumn(
            width=70, help="Of the written token; 1: the likeliest."
        )
    }
    st.dataframe(
        shown,
        hide_index=True,
        column_config=look,
        key="lens table",
        alt=f"The likeliest tokens, {asked.layer_name}",
    )
