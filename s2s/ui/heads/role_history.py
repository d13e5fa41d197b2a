"""How roles arise: the picture of all heads at every checkpoint, and the strength of a role beside the loss."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from s2s import plots
from s2s.analysis import heads
from s2s.config import UserError
from s2s.jobs import head_roles_history
from s2s.model import saved_steps
from s2s.questions import KIND_NAMES
from s2s.runs import Sentences
from s2s.ui.heads import role_picture
from s2s.ui.heads.experiment_panel import measured
from s2s.ui.heads.request import HeadsRequest
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import as_markdown, cached, chart, file_name, plain
from s2s.ui.kit.tables import frame_csv

FRAMES = 24  # of the animation, at most


def show(request: HeadsRequest, sample: Sentences) -> None:
    """Animation and curves, once the checkpoints are measured."""
    folder = request.run.folder
    newest = max(saved_steps(folder.checkpoints))
    found = measured(request, "roles-history", sample, step=newest, refusal=_refusal(request))
    if found is None:
        return
    known = head_roles_history.read_history(found)
    history = known.checkpoints
    title = f"{cached.title(folder.id)}\n{known.n_sentences:,} sentences: {sample.name}"
    if known.note:
        st.info(as_markdown(known.note), icon=":material/info:")
    pictures = {at.step: role_picture.grids(at.kinds) for at in _spread(history)}
    figure = plots.head_roles_animation(pictures, title=f"Roles of heads\n{title}")
    chart(
        figure,
        alt=f"Animation of the roles of all heads, {len(pictures)} checkpoints",
        file_name=file_name(f"roles over training {title}"),
    )
    st.caption(plots.PLOTS["head_roles"].caption)
    _curves(known, title)
    st.download_button(
        "Strengths by step (CSV)",
        lambda: frame_csv(table(history)),
        f"{file_name(f'roles over training {title}')}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _refusal(request: HeadsRequest) -> str:
    """Why this cannot be measured; "" where it can."""
    try:
        head_roles_history.checkpoints(request.run.folder)
    except UserError as why:
        return as_markdown(str(why))
    return ""


def _spread(history: Sequence[head_roles_history.RolesAt]) -> list[head_roles_history.RolesAt]:
    """At most FRAMES checkpoints, evenly spread, the first and the last among them."""
    n = min(FRAMES, len(history))
    return [history[round(i * (len(history) - 1) / (n - 1))] for i in range(n)]


def _curves(known: head_roles_history.RolesHistory, title: str) -> None:
    """One role of one kind of attention, a line per head."""
    history = known.checkpoints
    kinds = {kind: KIND_NAMES[kind] for kind in history[0].kinds}
    with st.container(horizontal=True, vertical_alignment="bottom", key="chosen role"):
        kind = STATE.choice("kind", "Attention", kinds, default=next(iter(kinds)), width=220)
        roles = {slug: heads.CORPUS_ROLES[slug].label for slug in history[0].kinds[kind].strengths}
        role = STATE.choice("role", "Role", roles, default=_most_changed(history, kind), width=220)
    strengths = np.stack([at.kinds[kind].strengths[role] for at in history]).astype(np.float32)
    name = f"{roles[role].capitalize()}, {kinds[kind]}\n{title}"
    figure = plots.role_strengths(
        [at.step for at in history],
        strengths,
        title=name,
        loss=(known.loss_steps, known.losses) if known.losses else None,
    )
    chart(
        figure, alt=f"Strength of {role_picture.in_line(name)} by step", file_name=file_name(name)
    )
    threshold = heads.CORPUS_ROLES[role].threshold
    st.caption(
        f"{plots.PLOTS['role_strengths'].caption} {plain(heads.CORPUS_ROLES[role].rule)} The rule holds from a strength"
        f" of {threshold:.0%}."
    )


def _most_changed(history: Sequence[head_roles_history.RolesAt], kind: str) -> str:
    """The role whose strength changes most in any head between the first checkpoint and the last."""
    first, last = (at.kinds[kind].strengths for at in (history[0], history[-1]))
    return max(first, key=lambda slug: float(np.abs(last[slug] - first[slug]).max()))


def table(history: Sequence[head_roles_history.RolesAt]) -> pd.DataFrame:
    """One row per step and head."""
    frames = []
    for at in history:
        frame = role_picture.table(at.kinds)
        frame.insert(0, "Step", at.step)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)
