"""Attention while learning: one pair at every checkpoint, and what became of each head."""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from s2s import plots, settings
from s2s.analysis import LabeledWeights, Weights
from s2s.config import UserError
from s2s.runs import AttentionHistory, RunFolder, SavedAttention, attention_history
from s2s.ui.kit import cached, forms, pickers
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import plain
from s2s.ui.kit.validation_pairs import validation_kind, worded_for

PULSE = 5.0  # seconds between two looks at a live run
FRAMES = 30  # of the film, spread over the checkpoints
STEP = "learning step"
NEWEST = "learning newest"
AT = "at"  # in the session and in the address: the chosen checkpoint, empty where the newest is followed
KINDS = {
    "cross": "cross-attention",
    "encoder": "encoder self-attention",
    "decoder": "decoder self-attention",
}
TASK = (
    "The same held-out pair at each checkpoint, the model being made to write the reference. At first every head looks everywhere"
    " alike: each row is one even, dark band, and its entropy is high. Then cells light up: the head has found the words it needs."
)
NONE = (
    "No attention was kept while this run learned: it is a demo, was trained before this was kept, or with"
    " `train.watch.attention` off. The Attention page shows where it looks now."
)
SOON = "The first checkpoint brings the first picture."
NO_GOLD = "No alignment error: these pairs have no gold alignment. The texts `builtin:en-fr` and `builtin:en-es` have one."


def tab(run_id: str) -> None:
    """What the run kept of its attention; it looks again by itself while the run lives."""
    row = cached.runs().get(run_id)
    is_live = row is not None and row.is_live
    _hold_step(run_id, attention_history.saved_steps(_folder(run_id)))
    st.fragment(_tab, run_every=PULSE if is_live else None)(run_id, is_live, st.session_state[AT])


def open_at(run_id: str, at: str) -> None:
    """As a link says: at a checkpoint, or at the newest."""
    if at.isascii() and at.isdecimal():
        st.session_state[STEP], st.session_state[NEWEST] = int(at), (run_id, None)
    else:
        st.session_state.pop(NEWEST, None)


def _folder(run_id: str) -> RunFolder:
    try:
        return RunFolder(settings.run_folder(run_id))
    except UserError:  # queued: its folder comes with its first line
        return RunFolder(settings.home() / "runs" / run_id)


def _tab(run_id: str, is_live: bool, at: str) -> None:
    folder = _folder(run_id)
    steps = attention_history.saved_steps(folder)
    history = _history(folder)
    if not steps and history is None:
        st.info(SOON if is_live else NONE, icon=":material/visibility_off:")
        return
    _hold_step(run_id, steps)
    if st.session_state[AT] != at:  # the address and the link to share are the whole page's
        st.rerun()
    st.caption(worded_for(run_id, TASK))
    chosen = _pictures(run_id, folder, steps) if steps else None
    if history:
        _lines(run_id, history, chosen)


def _pictures(run_id: str, folder: RunFolder, steps: list[int]) -> tuple[int, int] | None:
    """The pair at one checkpoint, or as a film. Returns the cross-attention head that is shown, where it is one."""
    with st.container(border=True, key="learning"):
        step, is_film = _scrubber(run_id, steps)
        try:
            seen = _kept(folder, step)
        except UserError as wrong:
            forms.show_error(wrong)
            return None
        with st.container(horizontal=True):
            kind = pickers.kind_picker()
            view = seen.attention.view(kind)
            layer = pickers.layer_picker(view, mean=True)
            head = pickers.head_picker(view)
        name = cached.title(run_id)
        place = f"{KINDS[kind]} · {_place(view, layer, head)}"
        if is_film:
            pictures = _frames(folder, steps, view, kind)
            _film(
                {at: each.reduced(layer, head) for at, each in pictures.items()},
                view,
                f"{name}\n{place}",
            )
        else:
            _still(view, view.reduced(layer, head), f"{name} · step {step:,}\n{place}")
        st.caption(f"The pair: {plain(seen.source)} → {plain(seen.target)}")
    return (layer, head) if kind == "cross" and layer is not None and head is not None else None


def _scrubber(run_id: str, steps: list[int]) -> tuple[int, bool]:
    """The step to show, and whether all of them are to be played."""
    if len(steps) == 1:
        st.caption(f"One checkpoint so far: step {steps[0]:,}.")
        return steps[0], False
    now = steps.index(st.session_state[STEP])
    is_film = bool(st.session_state.get("learning film"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if not is_film:  # which has a slider of its own
            st.select_slider("Checkpoint", steps, key=STEP, format_func=_said, width=320)
            _button("Earlier", ":material/chevron_left:", steps[max(0, now - 1)], is_off=now == 0)
            _button(
                "Later",
                ":material/chevron_right:",
                steps[min(len(steps) - 1, now + 1)],
                is_off=now == len(steps) - 1,
            )
        st.toggle(
            "As a film",
            key="learning film",
            help="All checkpoints one after the other, with a Play button.",
        )
    return steps[now], is_film


def _said(step: int) -> str:
    return f"step {step:,}"


def _button(label: str, icon: str, step: int, *, is_off: bool) -> None:
    st.button(
        label, icon=icon, key=f"learning {label}", disabled=is_off, on_click=_go, args=(step,)
    )


def _go(step: int) -> None:
    st.session_state[STEP] = step


def _hold_step(run_id: str, steps: list[int]) -> None:
    """The newest, also when a newer one comes; one that was chosen stays, or the nearest where it is gone."""
    if not steps:
        st.session_state[AT] = ""
        return
    held = st.session_state.get(STEP)
    before = st.session_state.get(NEWEST)
    if not isinstance(held, int) or before is None or before[0] != run_id or held == before[1]:
        held = steps[-1]
    near = int(held)
    held = st.session_state[STEP] = min(steps, key=lambda step: abs(step - near))
    st.session_state[NEWEST] = (run_id, steps[-1])
    st.session_state[AT] = "" if held == steps[-1] else str(held)


def _place(view: LabeledWeights, layer: int | None, head: int | None) -> str:
    n_layers, n_heads = view.weights.shape[:2]
    where = f"mean of {n_layers} layers" if layer is None else f"layer {layer + 1} of {n_layers}"
    return f"{where} · {f'mean of {n_heads} heads' if head is None else f'head {head + 1} of {n_heads}'}"


def _still(view: LabeledWeights, weights: Weights, shown: str) -> None:
    figure = plots.heatmap(weights, view.keys, view.rows, title=shown, verb=view.verb)
    chart(figure, alt=f"Heatmap of {shown.replace(chr(10), ', ')}", file_name=file_name(shown))
    _download(partial(plots.attention_csv, weights, view.keys, view.rows, view.verb), shown)


def _film(pictures: dict[int, Weights], view: LabeledWeights, shown: str) -> None:
    figure = plots.attention_animation(pictures, view.keys, view.rows, title=shown, verb=view.verb)
    chart(
        figure,
        alt=f"Film of {shown.replace(chr(10), ', ')}, {len(pictures)} checkpoints",
        file_name=file_name(shown),
    )


def _frames(
    folder: RunFolder, steps: list[int], shown: LabeledWeights, kind: str
) -> dict[int, LabeledWeights]:
    """Of the pair that is shown; a file that cannot be read is left out."""
    found = {}
    for step in _spread(steps):
        with contextlib.suppress(UserError):
            view = _kept(folder, step).attention.view(kind)
            if (view.rows, view.keys) == (shown.rows, shown.keys):
                found[step] = view
    return found


def _spread(steps: list[int]) -> list[int]:
    """At most so many, the first and the last among them."""
    if len(steps) <= FRAMES:
        return steps
    return [steps[round(place * (len(steps) - 1) / (FRAMES - 1))] for place in range(FRAMES)]


def _lines(run_id: str, history: AttentionHistory, chosen: tuple[int, int] | None) -> None:
    """Two numbers of each head against steps."""
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


def _entropy(shown: str, history: AttentionHistory, chosen: tuple[int, int] | None) -> None:
    figure = plots.entropy(
        history.steps, history.entropy, title=shown, uniform=history.uniform, chosen=chosen
    )
    chart(
        figure,
        alt=f"Entropy of each head by step, {_range(history.entropy)} nats at the end",
        file_name=file_name(shown),
    )
    st.caption(f"{plots.PLOTS['entropy'].caption} L2 H3 is head 3 of layer 2.")


def _error(
    shown: str,
    history: AttentionHistory,
    rates: attention_history.Floats,
    chosen: tuple[int, int] | None,
) -> None:
    figure = plots.alignment_error(
        history.steps, rates, title=shown, mean=history.aer_mean, chosen=chosen
    )
    chart(
        figure,
        alt=f"Alignment error of each head by step, {_range(rates)} at the end",
        file_name=file_name(shown),
    )
    more = "Thick: a layer's heads averaged first." if history.aer_mean is not None else ""
    st.caption(f"{plots.PLOTS['alignment_error'].caption} {more}")


def _range(values: attention_history.Floats) -> str:
    return (
        f"{np.nanmin(values[-1]):.2f} to {np.nanmax(values[-1]):.2f}"
        if np.isfinite(values[-1]).any()
        else "unknown"
    )


def _table(history: AttentionHistory) -> str:
    """A row a step and head."""
    n, n_layers, n_heads = history.entropy.shape
    at, layer, head = (axis.ravel() for axis in np.indices((n, n_layers, n_heads)))
    columns = {
        "step": history.steps[at],
        "layer": layer + 1,
        "head": head + 1,
        "entropy": history.entropy.ravel(),
    }
    columns |= {} if history.aer is None else {"alignment_error": history.aer.ravel()}
    return str(pd.DataFrame(columns).to_csv(index=False))


def _download(make: partial[str], shown: str) -> None:
    file = f"{file_name(shown)}.csv"
    st.download_button(
        "Numbers (CSV)",
        make,
        file,
        "text/csv",
        key=f"csv {shown}",
        on_click="ignore",
        icon=":material/download:",
    )


def _kept(folder: RunFolder, step: int) -> SavedAttention:
    """Raises UserError where it cannot be read."""
    path = folder.path / "attention" / f"step-{step:08d}.safetensors"
    return _read(str(folder.path), step, path.stat().st_mtime_ns if path.exists() else 0)


@st.cache_resource(
    max_entries=256, show_spinner=False
)  # arrays that nobody writes to: shared, not copied
def _read(folder: str, step: int, changed: int) -> SavedAttention:
    return attention_history.load(RunFolder(folder), step)


def _history(folder: RunFolder) -> AttentionHistory | None:
    try:
        stamp = (folder.path / "metrics.jsonl").stat()
    except OSError:
        return None
    return _remembered(str(folder.path), stamp.st_mtime_ns, stamp.st_size)


@st.cache_resource(max_entries=64, show_spinner=False)
def _remembered(folder: str, changed: int, size: int) -> AttentionHistory | None:
    return attention_history.history(RunFolder(Path(folder)))
