"""The logit lens: what the decoder would predict if it stopped after each layer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from s2s import plots
from s2s.analysis import LogitLens
from s2s.plots import LensCell, fine_percent, logit_lens_csv
from s2s.runs import Run
from s2s.ui.kit import chart, file_name
from s2s.ui.states import cached_states
from s2s.ui.states.request import StatesRequest, axis_names


def show(request: StatesRequest) -> None:
    """The grid, how to read it, and the chosen layer as a table."""
    lens = cached_states.logit_lens(request.run, request.text, request.forced)
    cells = _cells(request.run, lens)
    rows = request.states.tgt_tokens
    layers = axis_names(request.states.side("decoder").n_layers)
    title = f"{request.name}\ndecoder · logit lens\nmost probable next token after each layer"
    summary = counts_sentence(lens)
    figure = plots.PLOTS["logit_lens"].draw(cells, rows, layers, title=title)
    chart(
        figure,
        alt=f"Grid: {title.replace(chr(10), ', ')}; {summary}",
        file_name=file_name(title),
    )
    st.markdown(f"{summary} {plots.PLOTS['logit_lens'].caption}")
    inputs = request.states.tgt_inputs
    st.caption(
        caveat(
            request.run, [read == row[0].tokens[0] for read, row in zip(inputs, cells, strict=True)]
        )
    )
    _layer_table(request, cells)
    st.download_button(
        "Download data (CSV)",
        partial(logit_lens_csv, cells, rows, layers),
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def counts_sentence(lens: LogitLens) -> str:
    """How many of the target's tokens each layer finds most probable."""
    n_tokens = lens.target_ranks.shape[1]
    counts = [int((ranks == 1).sum()) for ranks in lens.target_ranks]
    names = ["before the first layer", *(f"after layer {n}" for n in range(1, len(counts)))]
    each = ", ".join(f"{count} {name}" for count, name in zip(counts, names, strict=True))
    sentence = f"Of the {n_tokens} tokens of the target, this many are the most probable: {each}."
    if counts[-1] < n_tokens:
        sentence += " The last is the model's own distribution: a forced token need not be its most probable."
    return sentence


def caveat(run: Run, is_read: Sequence[bool]) -> str:
    """What the earlier columns can and cannot show. `is_read` says of each row whether the embeddings' most probable
    token is the one just read.
    """
    model = run.recipe.model
    has_norms = model.norm.kind != "none"
    norm = "there is no final norm to apply"
    if has_norms and model.decoder.final_norm:
        norm = "the final norm is applied to them, too"
    if has_norms and model.norm.place == "post":
        norm += "; each layer here ends in its own norm, so early states have another scale than the last"
    tied = (
        f" At the embeddings {sum(is_read)} of {len(is_read)} are the token just read: the projection is the embedding"
        " matrix."
        if model.output.tied and any(is_read)
        else ""
    )
    return (
        f"The lens (nostalgebraist 2020) reads states of earlier layers as if they were the last: {norm}. They were"
        " never trained for that, so a wrong early prediction says little, and a right one much. The last column is"
        f" exactly what the model predicts.{tied}"
    )


def _cells(run: Run, lens: LogitLens) -> list[list[LensCell]]:
    """`[position][layer]`."""
    names = run.tgt_tokenizer.tokens
    n_layers, n_positions = lens.target_ranks.shape

    def cell(layer: int, position: int) -> LensCell:
        return LensCell(
            names(lens.ids[layer, position]),
            lens.probabilities[layer, position].tolist(),
            int(lens.target_ranks[layer, position]),
            float(lens.target_probabilities[layer, position]),
        )

    return [[cell(layer, position) for layer in range(n_layers)] for position in range(n_positions)]


def _layer_table(request: StatesRequest, cells: Sequence[Sequence[LensCell]]) -> None:
    """The chosen layer, one row per position: what hover says, for those who do not point."""
    rows = []
    for token, layers in zip(request.states.tgt_tokens, cells, strict=True):
        cell = layers[request.layer]
        row = {
            "target": token,
            "rank": cell.rank,
            "probability": fine_percent(cell.written),
        }
        best = enumerate(zip(cell.tokens, cell.shares, strict=True), 1)
        row |= {f"{n}.": f"{name} · {fine_percent(share)}" for n, (name, share) in best}
        rows.append(row)
    title = f"Most probable tokens · {request.layer_name}"
    st.markdown(f"**{title}**")
    rank_column = st.column_config.NumberColumn(
        width=70, help="Rank of the target's token; 1: the most probable."
    )
    st.dataframe(
        rows,
        hide_index=True,
        column_config={"rank": rank_column},
        key="lens table",
        alt=title,
    )
