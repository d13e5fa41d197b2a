"""Switches of all heads: off, uniform or the corpus mean; one by one, by layer or by kind of attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from s2s.analysis import INTERVENTIONS, KINDS, Head, all_heads
from s2s.questions import HOW_LABELS, KIND_NAMES
from s2s.runs import Run
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import as_link, switched_heads


class HeadSwitches(NamedTuple):
    """All heads of the model, those that are ablated, and what a press makes of a head."""

    every: Sequence[Head]
    chosen: Mapping[Head, str]
    how: str  # a row of INTERVENTIONS


def head_switches(run: Run) -> dict[Head, str]:
    """Draw all heads; returns the ablated ones and how. What a link names and the model does not have is reported."""
    every = all_heads(run.model)
    chosen = _read(every)
    with st.container(horizontal=True, vertical_alignment="bottom", key="switches of heads"):
        how = STATE.segments(
            "how", "Heads that you press become", HOW_LABELS, label_visibility="collapsed"
        )
        st.button(
            "Reset",
            icon=":material/undo:",
            key="reset switches",
            disabled=not chosen,
            on_click=partial(STATE.show, switched=""),
        )
    st.caption(f"Heads that you press: {INTERVENTIONS[how].about} ({INTERVENTIONS[how].source})")
    for kind in KINDS:
        with st.container(gap="xsmall", key=f"switches of {kind}"):
            _kind(kind, HeadSwitches(every, chosen, how))
    return chosen


def _kind(kind: str, shown: HeadSwitches) -> None:
    own = [head for head in shown.every if head.kind == kind]
    name = KIND_NAMES[kind]
    _switch_button(f"All {name}", f"switch {kind}", own, shown)
    for layer in sorted({head.layer for head in own}):
        of_layer = [head for head in own if head.layer == layer]
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _switch_button(f"Layer {layer + 1}", f"switch {kind} {layer}", of_layer, shown)
            key = f"heads of {kind} {layer}"
            st.session_state[key] = [head for head in of_layer if head in shown.chosen]
            st.pills(
                f"{name}, layer {layer + 1}",
                of_layer,
                selection_mode="multi",
                format_func=partial(_label, shown.chosen),
                key=key,
                on_change=_press,
                args=(key, of_layer, shown),
                label_visibility="collapsed",
            )


def _label(chosen: Mapping[Head, str], head: Head) -> str:
    number = str(head.head + 1)
    return f"{number} {chosen[head]}" if head in chosen else number


def _switch_button(label: str, key: str, heads: Sequence[Head], shown: HeadSwitches) -> None:
    rest = {head: name for head, name in shown.chosen.items() if head not in heads}
    is_on = all(shown.chosen.get(head) == shown.how for head in heads)
    wanted = rest if is_on else rest | dict.fromkeys(heads, shown.how)
    st.button(
        label,
        key=key,
        type="primary" if is_on else "secondary",
        on_click=_remember,
        args=(wanted, shown.every),
    )


def _press(key: str, heads: Sequence[Head], before: HeadSwitches) -> None:
    rest = {head: name for head, name in before.chosen.items() if head not in heads}
    pressed = {head: before.chosen.get(head, before.how) for head in st.session_state[key]}
    _remember(rest | pressed, before.every)


def _remember(chosen: Mapping[Head, str], every: Sequence[Head]) -> None:
    text = as_link(chosen, every)
    if text is not None:
        STATE.show(switched=text)


def _read(every: Sequence[Head]) -> dict[Head, str]:
    found = switched_heads(str(STATE.value("switched")), every)
    STATE.remember(switched=as_link(found, every) or "")
    return found
