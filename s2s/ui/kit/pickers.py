"""Widgets whose value stands in the address."""

from __future__ import annotations

import streamlit as st

from s2s.analysis import KINDS, LabeledWeights
from s2s.runs import Run
from s2s.ui.kit import cached, vocabulary

MEAN = "mean"
SEGMENTS = 9  # more options than this go into a list


def run_picker() -> str | None:
    """The id of the run that the page shows; None where there is none at all."""
    names = cached.labels()
    ids = list(names)
    if not ids:
        return None
    wanted = run_id_of(st.query_params.get("run", "")) or st.session_state.get("run")
    if wanted and wanted not in ids:
        notify(f"There is no run {wanted[:40]} here (any more); {ids[0]} is shown instead.")
        st.session_state["run"] = ids[0]
    elif (
        wanted and st.query_params.get("run", names[wanted]) != names[wanted]
    ):  # it was given another name
        st.session_state["run"] = wanted
    if st.session_state.pop("run again", False):
        st.session_state["run"] = st.session_state[
            "run"
        ]  # what is set by hand is written into the address
    chosen = st.selectbox(
        "Run",
        ids,
        format_func=names.__getitem__,
        key="run",
        bind="query-params",
        label_visibility="collapsed",
        width=230,
        on_change=_follow,
    )
    st.session_state["run before"] = chosen
    return chosen


def run_id_of(label: str) -> str:
    """The run that an address names: `my model · 3f9c…` -> `3f9c…`."""
    return label.rpartition(" · ")[2].strip()


def layer_picker(view: LabeledWeights, *, mean: bool = False) -> int | None:
    """0-based, or None for the mean of all layers; the last layer unless chosen, where words have found their partners."""
    options = [
        *([MEAN] if mean else []),
        *(str(layer) for layer in range(1, view.weights.shape[0] + 1)),
    ]
    return _index(_choice("Layer", "layer", options, options[-1]))


def head_picker(view: LabeledWeights) -> int | None:
    """0-based, or None for the mean of all heads."""
    return _index(
        _choice(
            "Head",
            "head",
            [MEAN, *(str(head) for head in range(1, view.weights.shape[1] + 1))],
            MEAN,
        )
    )


def kind_picker() -> str:
    """One of the three kinds of attention."""
    return _choice("Attention", "kind", list(KINDS), KINDS[0])


def checkpoint_picker(best: Run, key: str) -> int:
    """The step of a checkpoint: the best one unless chosen; what the session holds and the run doesn't is said."""
    steps = best.folder.steps_by_choice()
    whose = f"{key} of"
    if (
        st.session_state.setdefault(whose, best.folder.id) != best.folder.id
    ):  # another run, other checkpoints
        st.session_state[whose] = best.folder.id
        st.session_state.pop(key, None)
    names = {str(step): f"step {step:,}{' (best)' if step == best.step else ''}" for step in steps}
    held = str(st.session_state.get(key) or "")
    if held and held not in names:
        notify(
            f"There is no checkpoint of step {held[:20]} in this run (any more); step {best.step:,} is shown instead."
        )
    if held not in names:
        st.session_state[key] = str(best.step)
    chosen = st.selectbox(
        "Checkpoint",
        list(names),
        format_func=names.__getitem__,
        key=key,
        persist_state="session",
        width=190,
    )
    return int(chosen or best.step)


def _index(chosen: str) -> int | None:
    return None if chosen == MEAN else int(chosen) - 1


def _choice(label: str, key: str, options: list[str], default: str) -> str:
    given = st.query_params.get_all(key)
    if given and given[-1] not in options:  # which the widget would drop without a word
        notify(
            f"The link asked for {key} {given[-1][:40]}, which this model doesn't have; {key} {default} is shown instead."
        )
    if len(options) <= SEGMENTS:
        chosen = st.segmented_control(
            label, options, default=default, required=True, key=key, bind="query-params"
        )
    else:
        chosen = st.selectbox(
            label, options, index=options.index(default), key=key, bind="query-params", width=110
        )
    return chosen or default


def notify(sentence: str) -> None:
    """Under the title, once: something that was asked for and cannot be shown. The sentence may quote a visitor."""
    st.session_state.setdefault("lost", []).append(sentence)


def _follow() -> None:
    """An example of the previous run stays where the new model knows all its words; a typed sentence always stays."""
    text = str(st.session_state.get("src", ""))
    run_id = st.session_state["run"]
    is_example = text in vocabulary.examples(st.session_state["run before"])
    if is_example and not vocabulary.can_read(run_id, text):
        st.session_state["src"] = next(iter(vocabulary.examples(run_id)), "")
