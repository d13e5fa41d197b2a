"""Where the parameters are, component by component, and the settings in which two models differ."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.config import ModelConfig, settings_of
from s2s.plots import format_value
from s2s.sizing import COMPONENT_GROUPS, component_rows, cost, group_parameters
from s2s.ui.architecture.models import NamedSpec, differing_settings
from s2s.ui.architecture.request import ArchitectureRequest
from s2s.ui.kit import chart, file_name, plain
from s2s.ui.kit.tables import frame_csv

NUMBER_COLUMNS = ("parameters", "FLOPs forward", "training memory (bytes)")


def show(request: ArchitectureRequest) -> None:
    """Bars, differences, table."""
    _bars(request)
    _differences(request)
    table = pd.DataFrame(component_rows(request.model.spec, request.sizes))
    total = cost(request.components)
    tokens = request.sizes.batch * (request.sizes.src_len + request.sizes.tgt_len)
    st.markdown(
        f"**{total.parameters:,} parameters**; a forward pass of this batch takes {total.flops:,} FLOPs,"
        f" {total.flops / tokens:,.0f} for each of its {tokens:,} tokens; a training step takes about three times as"
        " many."
    )
    st.dataframe(
        table,
        hide_index=True,
        placeholder="",
        key="parts",
        height="content",
        alt=f"{len(table)} components with their costs",
        column_config={
            name: st.column_config.NumberColumn(format="localized") for name in NUMBER_COLUMNS
        },
    )
    st.caption(
        "FLOPs: 2 per multiply-add of a matrix product, with weights or in attention, as torch's own counter counts"
        " them; norms, activations and sums are small in comparison. Training memory: weights, gradients, the"
        " optimizer's moments, and the activations saved for the backward pass of this batch. The forecast under"
        " Costs adds the memory of an update."
    )
    st.download_button(
        "Components (CSV)",
        frame_csv(table),
        f"{file_name(f'{request.model.name} components')}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _bars(request: ArchitectureRequest) -> None:
    models = [request.model, *([request.other] if request.other else [])]
    series = {
        name: group_parameters(model.spec)
        for name, model in zip(_unique_names(models), models, strict=True)
    }
    title = f"Parameters by component · {' and '.join(series)}"
    figure = plots.bars(COMPONENT_GROUPS, series, title=title, x_label="parameters")
    most, group = max(zip(next(iter(series.values())), COMPONENT_GROUPS, strict=True))
    alt = f"Bars of {title}; the most are in {group}, {most:,}"
    with st.container(border=True, key="bars"):
        chart(figure, alt=alt, file_name=file_name(title))
        st.caption(f"{plots.PLOTS['bars'].caption} A shared matrix counts once, at its first use.")


def _unique_names(models: list[NamedSpec]) -> list[str]:
    """A run may have the name of a preset: then both are numbered."""
    names = [model.name for model in models]
    if len(set(names)) == len(names):
        return names
    return [f"{name} ({number})" for number, name in enumerate(names, 1)]


def _differences(request: ArchitectureRequest) -> None:
    if request.other is None:
        return
    rows = differing_settings(request.model, request.other)
    name, other = _unique_names([request.model, request.other])
    st.subheader("Differences", anchor=False)
    if not rows:
        st.caption(f"{plain(name)} and {plain(other)} have the same shape.")
        return
    known = settings_of(ModelConfig)
    meaning = {key: setting.help for key, setting in known.items()}
    cells = [
        {
            "setting": row.key,
            name: format_value(row.values[0]),
            other: format_value(row.values[1]),
            "meaning": meaning.get(row.key, "Entries of the vocabulary."),
        }
        for row in rows
    ]
    st.dataframe(
        pd.DataFrame(cells),
        hide_index=True,
        placeholder="",
        key="differs",
        height="auto",
        alt=f"{len(rows)} settings that differ",
    )
