"""The probe sentences: what they are to become, what they become now, and what they became before."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import streamlit as st

from s2s.ui.kit import cached
from s2s.ui.kit.reference_diff import LEGEND, LONGEST, marked
from s2s.ui.kit.text import shortened
from s2s.ui.kit.validation_pairs import are_held_out


def sentences(run_id: str) -> None:
    """The translations at the newest step, and at an earlier one if that is wanted."""
    steps = cached.sample_steps(run_id)
    if not steps:
        return
    with st.container(border=True, key="samples"):
        st.subheader("Probe sentences", anchor=False)
        whose = (
            "Held-out sentences"
            if are_held_out(run_id)
            else "Training sentences (nothing is held out)"
        )
        st.caption(f"{whose} and their translation at step {steps[-1]:,} (greedy).")
        earlier = _earlier(run_id, steps[:-1]) if len(steps) > 1 else None
        st.html(
            _table(
                cached.samples(run_id),
                cached.samples(run_id, earlier) if earlier is not None else [],
                earlier,
            )
        )


def _earlier(run_id: str, steps: Sequence[int]) -> int | None:
    """The step to compare with; the first unless chosen, where nothing makes sense yet."""
    key = f"sample step {run_id}"
    if st.session_state.get(key) not in steps:
        st.session_state[key] = steps[0]
    if len(steps) == 1:
        return steps[0]
    return st.select_slider(
        "Compare with step",
        steps,
        format_func=lambda step: f"{step:,}",
        key=key,
        persist_state="session",
        width=420,
        help="Each stop is a step at which the sentences were translated: draw it to watch sense emerge.",
    )


def _table(
    now: Sequence[dict[str, Any]], before: Sequence[dict[str, Any]], earlier: int | None
) -> str:
    then = {line["source"]: str(line["text"]) for line in before}
    names = ["source", *([] if earlier is None else [f"step {earlier:,}"]), "now", "reference"]
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = "".join(
        _row(names, _cells(line, None if earlier is None else then.get(line["source"], "")))
        for line in now
    )
    return f'<div class="samples"><table><tr>{head}</tr>{rows}</table><p><small>{LEGEND}</small></p></div>'


def _row(names: Sequence[str], cells: Sequence[str]) -> str:
    """Each cell knows its column's name: on a phone they stand one below the other."""
    pairs = zip(names, cells, strict=True)
    return (
        "<tr>"
        + "".join(f'<td dir="auto" data-of="{name}">{cell}</td>' for name, cell in pairs)
        + "</tr>"
    )


def _cells(line: dict[str, Any], then: str | None) -> list[str]:
    source, now, reference = (str(line[key]) for key in ("source", "text", "reference"))
    return [
        _shown(source),
        *([] if then is None else [marked(then, reference)]),
        marked(now, reference),
        _shown(reference),
    ]


def _shown(text: str) -> str:
    return html.escape(shortened(text, LONGEST))
