"""Widgets whose value stands in the address."""

from __future__ import annotations

import streamlit as st

from s2s.runs import Run
from s2s.ui import cached, known
from s2s.ui.text import plain

MEAN = "mean"
SEGMENTS = 9  # more options than this go into a list


def run_picker() -> str | None:
    """The id of the run that the page shows; None where there is none at all."""
    ids = cached.run_ids()
    if not ids:
        return None
    _say_lost("run", ids, f"There is no run {{given}} here (any more); {ids[0]} is shown instead.")
    return st.selectbox(
        "Run", ids, key="run", bind="query-params", label_visibility="collapsed", width=190, on_change=_follow
    )


def layer_picker(n_layers: int) -> int:
    """0-based; the last layer unless chosen, where words have found their partners."""
    options = [str(layer) for layer in range(1, n_layers + 1)]
    return int(_choice("Layer", "layer", options, options[-1])) - 1


def head_picker(n_heads: int) -> int | None:
    """0-based, or None for the mean of all heads."""
    options = [MEAN, *(str(head) for head in range(1, n_heads + 1))]
    chosen = _choice("Head", "head", options, MEAN)
    return None if chosen == MEAN else int(chosen) - 1


def _choice(label: str, key: str, options: list[str], default: str) -> str:
    _say_lost(key, options, f"The link asked for {key} {{given}}, which this model doesn't have; {key} {default} is shown instead.")
    if len(options) <= SEGMENTS:
        chosen = st.segmented_control(label, options, default=default, required=True, key=key, bind="query-params")
    else:
        chosen = st.selectbox(label, options, index=options.index(default), key=key, bind="query-params", width=110)
    return chosen or default


def _say_lost(key: str, options: list[str], sentence: str) -> None:
    """Before the widget is drawn, which silently drops from the address what it cannot hold."""
    given = st.query_params.get_all(key)
    if given and given[-1] not in options:
        st.session_state.setdefault("lost", []).append(sentence.format(given=plain(given[-1][:40])))


def _follow() -> None:
    """Another run, other sentences: one that was only an example gives way to the new run's own."""
    texts = {text for row in known.EXAMPLES.values() for text in row}
    if st.session_state.get("src") in texts:
        st.session_state["src"] = first_example(cached.open_run(st.session_state["run"]))


def first_example(run: Run) -> str:
    """What stands in the box before anybody types."""
    return next(iter(known.of(run).examples), "")
