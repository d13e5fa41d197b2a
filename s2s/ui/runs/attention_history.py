"""Attention over training: one pair at every checkpoint, and how each head changed."""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
import streamlit as st

from s2s import plots
from s2s.analysis import LabeledWeights, Weights
from s2s.config import UserError
from s2s.library import Library
from s2s.runs import AttentionHistory, RunFolder, SavedAttention, attention_history, runs_folder
from s2s.ui.kit import cached, chart, file_name, forms, pickers, plain
from s2s.ui.kit.tables import frame_csv
from s2s.ui.kit.training_curves import validation_kind, worded_for
from s2s.ui.runs.view_state import STATE, RunsView

REFRESH_SECONDS = 5.0  # while the run is live
FRAMES = 30  # of the animation, spread over the checkpoints
STEP = "learning step"
NEWEST = "learning newest"
PICTURE = "learning picture"  # in the session: kind, layer and head that the page's code computes
KINDS = MappingProxyType(
    {
        "cross": "cross-attention",
        "encoder": "encoder self-attention",
        "decoder": "decoder self-attention",
    }
)
TASK = (
    "The same held-out pair at each checkpoint; the model is forced to write the reference. At first every head attends"
    " uniformly: each row is evenly dark, and its entropy is high. Later single cells light up: the head has found the"
    " words it needs."
)
NONE = (
    "No attention was saved while this run trained: it is a demo or was imported, was trained with an older version, or"
    " with `train.watch.attention` off. The Attention page shows its attention now."
)
SOON = "The first checkpoint brings the first picture."
NO_GOLD = (
    "No alignment error: these pairs have no gold alignment. The datasets `builtin:en-fr`"
    " and `builtin:en-es` have one."
)


def tab(run_id: str) -> None:
    """The attention that the run saved; it refreshes while the run is live."""
    row = cached.runs().get(run_id)
    is_live = row is not None and row.is_live
    _select_step(run_id, attention_history.saved_steps(_folder(run_id)))
    st.session_state.pop(PICTURE, None)
    st.fragment(_tab, run_every=REFRESH_SECONDS if is_live else None)(run_id, is_live, STATE.now)


def open_at(run_id: str, at: str) -> None:
    """Select the checkpoint that a link names, or the newest."""
    if at.isascii() and at.isdecimal():
        st.session_state[STEP], st.session_state[NEWEST] = int(at), (run_id, None)
    else:
        st.session_state.pop(NEWEST, None)


def _folder(run_id: str) -> RunFolder:
    try:
        return Library().run(run_id)
    except UserError:  # queued: training has not created its folder yet
        return RunFolder(runs_folder() / ".queued")


def _tab(run_id: str, is_live: bool, before: RunsView) -> None:
    folder = _folder(run_id)
    steps = attention_history.saved_steps(folder)
    history = _history(folder)
    if not steps and history is None:
        st.info(SOON if is_live else NONE, icon=":material/visibility_off:")
        return
    _select_step(run_id, steps)
    _link(before)
    st.caption(worded_for(run_id, TASK))
    chosen = _attention(run_id, folder, steps) if steps else None
    _link(before)
    if history:
        _lines(run_id, history, chosen)


def _link(before: RunsView) -> None:
    if STATE.now != before:
        st.rerun()


def _keep_code(*picture: object) -> None:
    if st.session_state.setdefault(PICTURE, picture) != picture:
        st.rerun()


def _attention(run_id: str, folder: RunFolder, steps: list[int]) -> tuple[int, int] | None:
    with st.container(border=True, key="learning"):
        step, is_animated = _step_picker(run_id, steps)
        try:
            saved = _load(folder, step)
        except UserError as error:
            forms.show_error(error)
            return None
        with st.container(horizontal=True):
            kind = pickers.kind_picker()
            view = saved.attention.view(kind)
            layer = pickers.layer_picker(view, mean=True)
            head = pickers.head_picker(view)
        _keep_code(kind, layer, head)
        name = cached.title(run_id)
        selection = f"{KINDS[kind]} · {_selection(view, layer, head)}"
        if is_animated:
            frames = _frames(folder, steps, view, kind)
            _animation(
                {at: saved.reduced(layer, head) for at, saved in frames.items()},
                view,
                f"{name}\n{selection}",
            )
        else:
            _heatmap(view, view.reduced(layer, head), f"{name} · step {step:,}\n{selection}")
        st.caption(f"Pair: {plain(saved.source)} → {plain(saved.target)}")
    return (layer, head) if kind == "cross" and layer is not None and head is not None else None


def _step_picker(run_id: str, steps: list[int]) -> tuple[int, bool]:
    if len(steps) == 1:
        st.caption(f"One checkpoint so far: step {steps[0]:,}.")
        return steps[0], False
    now = steps.index(st.session_state[STEP])
    is_animated = bool(st.session_state.get(STATE.key("animated"), STATE.now.animated))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if not is_animated:  # the animation has its own slider
            st.select_slider(
                "Checkpoint",
                steps,
                key=STEP,
                format_func=_step_name,
                persist_state="session",
                width=320,
            )
            _button("Earlier", ":material/chevron_left:", steps[max(0, now - 1)], is_off=now == 0)
            _button(
                "Later",
                ":material/chevron_right:",
                steps[min(len(steps) - 1, now + 1)],
                is_off=now == len(steps) - 1,
            )
        STATE.toggle(
            "animated", "Animate over training steps", help="Plays all checkpoints in order."
        )
    return steps[now], is_animated


def _step_name(step: int) -> str:
    return f"step {step:,}"


def _button(label: str, icon: str, step: int, *, is_off: bool) -> None:
    st.button(
        label, icon=icon, key=f"learning {label}", disabled=is_off, on_click=_go, args=(step,)
    )


def _go(step: int) -> None:
    st.session_state[STEP] = step


def _select_step(run_id: str, steps: list[int]) -> None:
    if not steps:
        STATE.remember(at="")
        return
    selected = st.session_state.get(STEP)
    run_before, newest_before = st.session_state.get(NEWEST) or (None, None)
    target = steps[-1]
    if isinstance(selected, int) and run_before == run_id and selected != newest_before:
        target = selected
    step = st.session_state[STEP] = min(steps, key=lambda at: abs(at - target))
    st.session_state[NEWEST] = (run_id, steps[-1])
    STATE.remember(at="" if step == steps[-1] else str(step))


def _selection(view: LabeledWeights, layer: int | None, head: int | None) -> str:
    n_layers, n_heads = view.weights.shape[:2]
    where = f"mean of {n_layers} layers" if layer is None else f"layer {layer + 1} of {n_layers}"
    return f"{where} · {f'mean of {n_heads} heads' if head is None else f'head {head + 1} of {n_heads}'}"


def _heatmap(view: LabeledWeights, weights: Weights, title: str) -> None:
    figure = plots.heatmap(weights, view.keys, view.rows, title=title, verb=view.verb)
    chart(figure, alt=f"Heatmap of {title.replace(chr(10), ', ')}", file_name=file_name(title))
    _download(partial(plots.attention_csv, weights, view.keys, view.rows, view.verb), title)


def _animation(frames: dict[int, Weights], view: LabeledWeights, title: str) -> None:
    figure = plots.attention_animation(frames, view.keys, view.rows, title=title, verb=view.verb)
    chart(
        figure,
        alt=f"Animation of {title.replace(chr(10), ', ')}, {len(frames)} checkpoints",
        file_name=file_name(title),
    )
    _download(partial(_frames_table, frames, view), f"{title} by step")


def _frames_table(frames: dict[int, Weights], view: LabeledWeights) -> str:
    n_rows, n_keys = len(view.rows), len(view.keys)
    row, key = (axis.ravel() for axis in np.indices((n_rows, n_keys)))
    tables = [
        pd.DataFrame(
            {
                "step": step,
                "position": row + 1,
                "token": [view.rows[at] for at in row],
                "key_position": key + 1,
                "key": [view.keys[at] for at in key],
                "weight": weights.ravel(),
            }
        )
        for step, weights in frames.items()
    ]
    return frame_csv(pd.concat(tables))


def _frames(
    folder: RunFolder, steps: list[int], shown: LabeledWeights, kind: str
) -> dict[int, LabeledWeights]:
    frames = {}
    for step in _spread(steps):
        with contextlib.suppress(UserError):
            view = _load(folder, step).attention.view(kind)
            if (view.rows, view.keys) == (shown.rows, shown.keys):
                frames[step] = view
    return frames


def _spread(steps: list[int]) -> list[int]:
    if len(steps) <= FRAMES:
        return steps
    return [steps[round(i * (len(steps) - 1) / (FRAMES - 1))] for i in range(FRAMES)]


def _lines(run_id: str, history: AttentionHistory, chosen: tuple[int, int] | None) -> None:
    name = cached.title(run_id)
    pairs = f"{history.n_pairs} {validation_kind(run_id)} pairs"
    with st.grid(2, min_column_width=340, border=True) as grid:
        with grid.cell():
            _entropy(f"{name}\nentropy of cross-attention over {pairs}", history, chosen)
        if history.aer is not None:
            with grid.cell():
                _error(f"{name}\nalignment error over {pairs}", history, history.aer, chosen)
    if history.aer is None:
        st.caption(NO_GOLD)
    _download(partial(_table, history), f"{name} heads by step")


def _entropy(title: str, history: AttentionHistory, chosen: tuple[int, int] | None) -> None:
    figure = plots.entropy(
        history.steps, history.entropy, title=title, uniform=history.uniform, chosen=chosen
    )
    chart(
        figure,
        alt=f"Entropy of each head by step, {_range(history.entropy)} nats at the end",
        file_name=file_name(title),
    )
    st.caption(f"{plots.PLOTS['entropy'].caption} L2 H3 is head 3 of layer 2.")


def _error(
    title: str,
    history: AttentionHistory,
    rates: attention_history.Floats,
    chosen: tuple[int, int] | None,
) -> None:
    figure = plots.alignment_error(
        history.steps, rates, title=title, mean=history.aer_mean, chosen=chosen
    )
    chart(
        figure,
        alt=f"Alignment error of each head by step, {_range(rates)} at the end",
        file_name=file_name(title),
    )
    more = (
        "Thick line: the heads of a layer averaged first." if history.aer_mean is not None else ""
    )
    st.caption(f"{plots.PLOTS['alignment_error'].caption} {more}")


def _range(values: attention_history.Floats) -> str:
    return (
        f"{np.nanmin(values[-1]):.2f} to {np.nanmax(values[-1]):.2f}"
        if np.isfinite(values[-1]).any()
        else "unknown"
    )


def _table(history: AttentionHistory) -> str:
    n, n_layers, n_heads = history.entropy.shape
    at, layer, head = (axis.ravel() for axis in np.indices((n, n_layers, n_heads)))
    columns = {
        "step": history.steps[at],
        "layer": layer + 1,
        "head": head + 1,
        "entropy": history.entropy.ravel(),
    }
    columns |= {} if history.aer is None else {"alignment_error": history.aer.ravel()}
    return frame_csv(pd.DataFrame(columns))


def _download(make: partial[str], title: str) -> None:
    file = f"{file_name(title)}.csv"
    st.download_button(
        "Download data (CSV)",
        make,
        file,
        "text/csv",
        key=f"csv {title}",
        on_click="ignore",
        icon=":material/download:",
    )


def _load(folder: RunFolder, step: int) -> SavedAttention:
    path = folder.path / "attention" / f"step-{step:08d}.safetensors"
    return _read(str(folder.path), step, path.stat().st_mtime_ns if path.exists() else 0)


@cached.shared(
    max_entries=256, show_spinner=False
)  # shared, not copied: nobody writes to the arrays
def _read(folder: str, step: int, changed: int) -> SavedAttention:
    return attention_history.load(RunFolder(folder), step)


def _history(folder: RunFolder) -> AttentionHistory | None:
    try:
        stamp = (folder.path / "metrics.jsonl").stat()
    except OSError:
        return None
    return _remembered(str(folder.path), stamp.st_mtime_ns, stamp.st_size)


@cached.shared(max_entries=64, show_spinner=False)
def _remembered(folder: str, changed: int, size: int) -> AttentionHistory | None:
    return attention_history.history(RunFolder(Path(folder)))
