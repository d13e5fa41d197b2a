"""All heads of a model with their roles: a picture, one head in detail, a table, and the rules."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd
import streamlit as st

from s2s import plots
from s2s.analysis import heads
from s2s.jobs import head_roles
from s2s.questions import KIND_NAMES
from s2s.ui.heads.request import HeadsRequest
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import chart, file_name, plain
from s2s.ui.kit.tables import frame_csv
from s2s.ui.shell import page_link

# What fits into a cell; the first two letters must differ, too.
SHORT: Mapping[str, str] = MappingProxyType(
    {
        "spread": "spread",
        "previous": "prev",
        "next": "next",
        "same": "current",
        "first": "first",
        "end": "end",
        "aligned": "mono",
        "separator": "sep",
        "rare": "rare",
        "mixed": "mixed",
    }
)
OF_SENTENCES = "aligned"  # the role whose strength is a mean over sentences, not over rows


def show(request: HeadsRequest, result: head_roles.RolesResult, title: str) -> None:
    """Picture, detail, table and rules."""
    kinds = result.roles.kinds
    figure = plots.head_roles(grids(kinds), title=f"Roles of heads\n{title}")
    chart(
        figure, alt=f"Roles of all heads, {in_line(title)}", file_name=file_name(f"roles {title}")
    )
    st.caption(_how_to_read(kinds))
    _detail(request, kinds)
    with st.expander("As a table", icon=":material/table:"):
        _show_table(kinds, title)
    with st.expander("The rules", icon=":material/rule:"):
        st.markdown(_rules())


def in_line(title: str) -> str:
    """A title of several lines as one, for a picture's alternative text."""
    return title.replace("\n", ", ")


def grids(kinds: Mapping[str, heads.KindRoles]) -> list[plots.HeadGrid]:
    """The picture of all heads; the brightness is the strength of the role, none for `mixed`."""
    return [_grid(kind, found) for kind, found in kinds.items()]


def _grid(kind: str, found: heads.KindRoles) -> plots.HeadGrid:
    shape = found.role.shape
    hovers = []
    for layer in range(shape[0]):
        hovers.append([hover(found, layer, head) for head in range(shape[1])])
    words = [[SHORT[slug] for slug in row] for row in found.role]
    return plots.HeadGrid(KIND_NAMES[kind], words, found.own_strength, hovers)


def hover(found: heads.KindRoles, layer: int, head: int) -> str:
    """`layer 1, head 2: next token · next token 45% · spread out 30%`."""
    role = heads.CORPUS_ROLES[str(found.role[layer, head])].label
    strongest = ", ".join(f"{name} {value:.0%}" for name, value in ranked(found, layer, head)[:3])
    return f"layer {layer + 1}, head {head + 1}: {role} (strengths: {strongest})"


def ranked(found: heads.KindRoles, layer: int, head: int) -> list[tuple[str, float]]:
    """The labels of all roles with the head's strengths, the strongest first."""
    values = {
        heads.CORPUS_ROLES[slug].label: float(strength[layer, head])
        for slug, strength in found.strengths.items()
    }
    return sorted(values.items(), key=lambda row: -row[1])


def _how_to_read(kinds: Mapping[str, heads.KindRoles]) -> str:
    n_rows = {kind: found.n_rows for kind, found in kinds.items()}
    counted = ", ".join(f"{n:,} of {KIND_NAMES[kind]}" for kind, n in n_rows.items())
    known = {slug for found in kinds.values() for slug in found.role.ravel()}
    short = ", ".join(
        f"{SHORT[slug]}: {heads.CORPUS_ROLES[slug].label}"
        for slug in heads.CORPUS_ROLES
        if slug in known and SHORT[slug] != heads.CORPUS_ROLES[slug].label
    )
    return f"{plots.PLOTS['head_roles'].caption} {short}. Rows counted: {counted}."


def _detail(request: HeadsRequest, kinds: Mapping[str, heads.KindRoles]) -> None:
    """One head's strengths, and where its weights can be seen."""
    options = {
        f"{kind}.{layer + 1}.{head + 1}": f"{KIND_NAMES[kind]}, layer {layer + 1}, head {head + 1}"
        for kind, found in kinds.items()
        for layer, head in np.ndindex(*found.role.shape)
    }
    with st.container(horizontal=True, vertical_alignment="bottom", key="chosen head"):
        chosen = STATE.choice("head", "Head", options, default=next(iter(options)), width=360)
        kind, layer, head = chosen.split(".")
        page_link(
            "attention",
            "See its weights in a sentence",
            step=str(request.run.step),
            kind=kind,
            layer=layer,
            head=head,
        )
    found = kinds[kind]
    rows = ranked(found, int(layer) - 1, int(head) - 1)
    slugs = {heads.CORPUS_ROLES[slug].label: slug for slug in found.strengths}
    frame = pd.DataFrame(
        {
            "Role": [name for name, _ in rows],
            "Strength": [round(value, 3) for _, value in rows],
            "Holds from": [heads.CORPUS_ROLES[slugs[name]].threshold for name, _ in rows],
            "Mean over": [_counted(found, slugs[name]) for name, _ in rows],
        }
    )
    bar = st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0)
    from_help = (
        "A head may have the role from this strength on; it has the first of the rules that holds."
    )
    st.dataframe(
        frame,
        hide_index=True,
        column_config={
            "Strength": bar,
            "Holds from": st.column_config.NumberColumn(format="percent", help=from_help),
        },
        alt=f"Strengths of {options[chosen]}",
    )


def _counted(found: heads.KindRoles, slug: str) -> str:
    unit = "sentences" if slug == OF_SENTENCES else "rows"
    return f"{found.counted[slug]:,} {unit}"


def _show_table(kinds: Mapping[str, heads.KindRoles], title: str) -> None:
    frame = table(kinds)
    shown = frame.round(3)
    percents = {
        name: st.column_config.NumberColumn(format="percent")
        for name in frame.columns[7:]  # strengths
    }
    st.dataframe(shown, hide_index=True, column_config=percents, alt=f"Roles of {len(frame)} heads")
    st.caption(
        "Entropy in nats, peak (the largest weight) and distance in tokens are means over all rows. Below a role: its"
        " strength; empty where the kind of attention cannot have it."
    )
    st.download_button(
        "Roles (CSV)",
        frame_csv(frame),
        f"{file_name(f'roles {title}')}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def table(kinds: Mapping[str, heads.KindRoles]) -> pd.DataFrame:
    """One row per head; layers and heads are counted from 1."""
    return pd.DataFrame(heads.role_rows(kinds))


def _rules() -> str:
    lines = [
        "A head has the first of these roles whose rule holds. Its strength is what the rule measures, from 0 to 100 %;"
        " rows that may attend to a single token are not counted.",
        "",
    ]
    for role in heads.CORPUS_ROLES.values():
        kinds = ", ".join(KIND_NAMES[kind] for kind in role.kinds)
        lines.append(f"- **{role.label}** ({kinds}): {plain(role.rule)}")
    return "\n".join(lines)
