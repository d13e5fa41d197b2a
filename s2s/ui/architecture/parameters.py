"""Where the parameters are: part by part, as a bar, and the settings in which two machines differ."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.config import ModelConfig, settings_of
from s2s.plots import format_value
from s2s.sizing import BYTES, GROUPS, KINDS, Machine, Part, Sizes, cost
from s2s.ui.architecture import request
from s2s.ui.architecture.request import Asked, Shown
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import plain

NUMBERS = ("parameters", "FLOPs forward", "training memory (bytes)")


def show(asked: Asked) -> None:
    """Bar, table, differences."""
    shown = [asked.shown, *([asked.against] if asked.against else [])]
    series = {
        name: by_group(one.machine, asked.sizes)
        for name, one in zip(_apart(shown), shown, strict=True)
    }
    title = f"Parameters by part · {' and '.join(series)}"
    figure = plots.bars(GROUPS, series, title=title, across="parameters")
    most = max(zip(next(iter(series.values())), GROUPS, strict=True))
    with st.container(border=True, key="bars"):
        chart(
            figure,
            alt=f"Bars of {title}; the most are in {most[1]}, {most[0]:,}",
            file_name=file_name(title),
        )
        st.caption(
            f"{plots.PLOTS['bars'].reading} A matrix that is shared counts once, where it is met first."
        )
    _differences(asked)
    table = frame(asked)
    total = cost(asked.parts)
    tokens = asked.sizes.batch * (asked.sizes.src_len + asked.sizes.tgt_len)
    st.markdown(
        f"**{total.parameters:,} parameters**; a forward pass of this batch takes {total.flops:,} FLOPs,"
        f" {total.flops / tokens:,.0f} for each of its {tokens:,} tokens, and learning from it about three times as many."
    )
    look = {name: st.column_config.NumberColumn(format="localized") for name in NUMBERS}
    alt = f"{len(table)} parts with their costs"
    st.dataframe(
        table,
        hide_index=True,
        placeholder="",
        key="parts",
        height="content",
        alt=alt,
        column_config=look,
    )
    st.caption(
        "FLOPs: 2 for each multiply-add of a matrix product, weights and attention alike, which is what torch's own counter counts; norms,"
        " activations and sums are small beside them. Training memory: weights, gradients and the optimiser's means, and what the backward"
        " pass needs of this batch; the forecast on Costs adds the room that an update takes."
    )
    file = f"{file_name(f'{asked.shown.name} parts')}.csv"
    st.download_button(
        "Parts (CSV)",
        table.to_csv(index=False),
        file,
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def frame(asked: Asked) -> pd.DataFrame:
    """A row a part."""
    whole = cost(asked.parts)
    return pd.DataFrame([_row(part, whole.parameters, asked.shown.machine) for part in asked.parts])


def _row(part: Part, parameters: int, machine: Machine) -> dict[str, object]:
    costs = cost([part])
    state = 2 + {"sgd": 1, "adafactor": 0}.get(machine.recipe.train.optimizer.kind, 2)
    return {
        "part": f"{part.name.partition('.')[0]}: {KINDS[part.kind].label.lower()}",
        "module": part.name.rpartition(".")[2],
        "times": part.times,
        "parameters": costs.parameters,
        "share (%)": round(100 * costs.parameters / parameters, 2),
        "FLOPs forward": costs.flops,
        "training memory (bytes)": BYTES * (state * costs.parameters + costs.kept),
    }


def by_group(machine: Machine, sizes: Sizes) -> list[int]:
    """Parameters of each of GROUPS."""
    found = machine.parts(sizes)
    return [cost(part for part in found if part.group == group).parameters for group in GROUPS]


def _apart(shown: list[Shown]) -> list[str]:
    """Names that differ, although a run may be called as a preset is."""
    names = [one.name for one in shown]
    return (
        names
        if len(set(names)) == len(names)
        else [f"{name} ({place})" for place, name in enumerate(names, 1)]
    )


def _differences(asked: Asked) -> None:
    if asked.against is None:
        return
    rows = request.differing(asked)
    one, other = _apart([asked.shown, asked.against])
    st.subheader("What differs", anchor=False)
    if not rows:
        st.caption(f"{plain(one)} and {plain(other)} have the same shape.")
        return
    known = settings_of(ModelConfig)
    meaning = {key: setting.field.metadata["help"] for key, setting in known.items()}
    cells = [{"setting": row.key, one: format_value(row.values[0]), other: format_value(row.values[1]),
              "meaning": meaning.get(row.key, "Pieces of the vocabulary.")} for row in rows]  # fmt: skip
    alt = f"{len(rows)} settings that differ"
    st.dataframe(
        pd.DataFrame(cells), hide_index=True, placeholder="", key="differs", height="auto", alt=alt
    )
