"""Widgets whose value is in the address."""

from __future__ import annotations

import streamlit as st

from s2s.analysis import KINDS, LabeledWeights
from s2s.runs import Run
from s2s.ui.kit import cached, vocabulary

MEAN = "mean"
MAX_SEGMENTS = 9  # more options become a list


def run_picker() -> str | None:
    """The id of the run that the page shows; None where there is no run."""
    labels = cached.labels()
    ids = list(labels)
    if not ids:
        return None
    wanted = run_id_of(st.query_params.get("run", "")) or st.session_state.get("run")
    if wanted and wanted not in ids:
        notify(f"There is no run {wanted[:40]} here (any more); {ids[0]} is shown instead.")
        st.session_state["run"] = ids[0]
    elif wanted and st.query_params.get("run", labels[wanted]) != labels[wanted]:  # it was renamed
        st.session_state["run"] = wanted
    if st.session_state.pop("rewrite run", False):
        # a bound widget writes into the address what is set by hand
        st.session_state["run"] = st.session_state["run"]
    chosen = st.selectbox(
        "Run",
        ids,
        format_func=labels.__getitem__,
        key="run",
        bind="query-params",
        label_visibility="collapsed",
        width=230,
        on_change=_change_example,
    )
    st.session_state["previous run"] = chosen
    return chosen


def run_id_of(label: str) -> str:
    """The id in a run's label: `my model · 3f9c…` -> `3f9c…`."""
    return label.rpartition(" · ")[2].strip()


def layer_picker(view: LabeledWeights, *, mean: bool = False) -> int | None:
    """0-based, or None for the mean of all layers; by default the last, where alignment is usually clearest."""
    numbers = [str(layer) for layer in range(1, view.weights.shape[0] + 1)]
    options = [MEAN, *numbers] if mean else numbers
    return _index(_choice("Layer", "layer", options, options[-1]))


def head_picker(view: LabeledWeights) -> int | None:
    """0-based, or None for the mean of all heads."""
    options = [MEAN, *(str(head) for head in range(1, view.weights.shape[1] + 1))]
    return _index(_choice("Head", "head", options, MEAN))


def kind_picker() -> str:
    """One of the three kinds of attention."""
    return _choice("Attention", "kind", list(KINDS), KINDS[0])


def checkpoint_picker(best: Run, key: str) -> int:
    """The step of a checkpoint, by default the best; a step that the run does not have is reported."""
    steps = best.folder.steps_by_choice()
    owner = f"{key} of"
    if st.session_state.setdefault(owner, best.folder.id) != best.folder.id:
        st.session_state[owner] = best.folder.id
        st.session_state.pop(key, None)
    labels = {str(step): f"step {step:,}{' (best)' if step == best.step else ''}" for step in steps}
    wanted = str(st.session_state.get(key) or "")
    if wanted and wanted not in labels:
        notify(
            f"There is no checkpoint of step {wanted[:20]} in this run (any more); step {best.step:,} is shown instead."
        )
    if wanted not in labels:
        st.session_state[key] = str(best.step)
    chosen = st.selectbox(
        "Checkpoint",
        list(labels),
        format_func=labels.__getitem__,
        key=key,
        persist_state="session",
        width=190,
    )
    return int(chosen or best.step)


def _index(chosen: str) -> int | None:
    return None if chosen == MEAN else int(chosen) - 1


def _choice(label: str, key: str, options: list[str], default: str) -> str:
    given = st.query_params.get_all(key)
    if given and given[-1] not in options:  # the widget would drop it silently
        notify(
            f"The link asks for {key} {given[-1][:40]}, which this model doesn't have;"
            f" {key} {default} is shown instead."
        )
    if len(options) <= MAX_SEGMENTS:
        chosen = st.segmented_control(
            label, options, default=default, required=True, key=key, bind="query-params"
        )
    else:
        chosen = st.selectbox(
            label, options, index=options.index(default), key=key, bind="query-params", width=110
        )
    return chosen or default


def notify(sentence: str) -> None:
    """Shows a sentence under the title, once: what was asked for and cannot be shown. It may quote a visitor."""
    st.session_state.setdefault("notices", []).append(sentence)


def _change_example() -> None:
    """An example of the previous run stays where the new model knows all its words; a typed sentence always stays."""
    text = str(st.session_state.get("src", ""))
    run_id = st.session_state["run"]
    is_example = text in vocabulary.examples(st.session_state["previous run"])
    if is_example and not vocabulary.can_read(run_id, text):
        st.session_state["src"] = next(iter(vocabulary.examples(run_id)), "")
