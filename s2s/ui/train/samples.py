"""Sample translations: fixed validation sentences, translated now and at an earlier step."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import streamlit as st

from s2s.reports.differences import legend
from s2s.ui.kit import cached, shortened
from s2s.ui.kit.text import LONGEST, against_reference
from s2s.ui.kit.training_curves import are_held_out
from s2s.ui.train.view_state import STATE


def panel(run_id: str) -> None:
    """The translations at the newest step beside those at an earlier one."""
    steps = cached.sample_steps(run_id)
    if not steps:
        return
    with st.container(border=True, key="samples"):
        st.subheader("Sample translations", anchor=False)
        kind = "Held-out" if are_held_out(run_id) else "Training"
        note = "" if are_held_out(run_id) else " No pairs are held out."
        st.caption(f"{kind} sentences and their greedy translations at step {steps[-1]:,}.{note}")
        if not steps[-1]:
            st.caption("Nothing is learned yet: the weights are random, and so are these outputs.")
        earlier = _earlier_step(steps[:-1]) if len(steps) > 1 else None
        before = [] if earlier is None else cached.samples(run_id, earlier)
        st.html(_table(cached.samples(run_id), before, earlier))


def _earlier_step(steps: Sequence[int]) -> int:
    if len(steps) == 1:
        return steps[0]
    before = STATE.now.sample
    key = STATE.key("sample")
    if st.session_state.setdefault(key, int(before or steps[0])) not in steps:
        st.session_state[key] = steps[0]
    chosen = st.select_slider(
        "Compare with step",
        steps,
        format_func=lambda step: f"{step:,}",
        key=key,
        persist_state="session",
        width=420,
        help="Steps at which the sentences were translated. Drag the handle to see the translations improve.",
    )
    STATE.remember(sample="" if chosen == steps[0] else str(chosen))
    if STATE.now.sample != before:
        st.rerun()  # the whole page: the link of Share says it, too
    return chosen


def _table(
    now: Sequence[dict[str, Any]], before: Sequence[dict[str, Any]], earlier: int | None
) -> str:
    texts = {line["source"]: str(line["text"]) for line in before}
    names = ["source", *([] if earlier is None else [_step(earlier)]), "now", "reference"]
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = "".join(
        _row(names, _cells(line, None if earlier is None else texts.get(line["source"], "")))
        for line in now
    )
    table = f"<table><tr>{head}</tr>{rows}</table>"
    return f'<div class="samples">{table}{legend("a translation", "its reference")}</div>'


def _step(step: int) -> str:
    return f"step {step:,}" if step else "step 0 (untrained)"


def _row(names: Sequence[str], cells: Sequence[str]) -> str:
    pairs = zip(names, cells, strict=True)
    columns = (f'<td dir="auto" data-of="{name}">{cell}</td>' for name, cell in pairs)
    return f"<tr>{''.join(columns)}</tr>"


def _cells(line: dict[str, Any], earlier: str | None) -> list[str]:
    source, now, reference = (str(line[key]) for key in ("source", "text", "reference"))
    return [
        _escaped(source),
        *([] if earlier is None else [against_reference(earlier, reference)]),
        against_reference(now, reference),
        _escaped(reference),
    ]


def _escaped(text: str) -> str:
    return html.escape(shortened(text, LONGEST))
