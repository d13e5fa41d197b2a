"""Widgets whose value is in the address."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from s2s.analysis import KINDS, LabeledWeights
from s2s.config import asker
from s2s.demo import LESSONS, PURPOSES
from s2s.jobs import run_service
from s2s.library import rights
from s2s.runs import Run
from s2s.ui.kit import address, cached, in_view, vocabulary
from s2s.ui.kit.text import definitions

MEAN = "mean"
CHOSEN = "chosen run"  # in the session: one that the page chose
DRAWN = "run picker drawn"  # in the session: since a part of the page refreshed itself
LATE_SECONDS = 30.0  # after which the browser has learned of the chosen run
TRIES = "tries to name the run"  # in the session: how often in a row the address meant another one
MOST_TRIES = 2  # a browser that keeps its address is not asked for ever
WRITE = "write run label"  # in the session: whether the frame shall have the run's label written
LABELS = "run labels"  # in the session: those of the runs it has shown
HEAD_HELP = f"{definitions('head')}\n\n**mean**: The average of all heads' weights."
RUN_HELP = "The model that the page shows.\n\n" + "\n\n".join(
    f"**{name}**: {purpose}" for name, purpose in PURPOSES.items()
)
LOST_RUN = "lost run"  # in the session: what the page says of the link's run, which is not there
NOTICES = "notices"  # in the session: those that the page has not shown yet
STAND_IN = "stand-in run"  # in the session: the run shown though no link or visitor chose it
NARROWEST, WIDEST, LETTER, SHORT = (
    230,
    380,
    8,
    20,
)  # of the list of runs: pixels, and letters of a short label
MAX_SEGMENTS = 9  # more options become a list


class Way(NamedTuple):
    """A button beside a notice, which opens a page or calls a function."""

    label: str
    page: str = ""
    do: Callable[[], None] | None = None


class Notice(NamedTuple):
    """A sentence about what cannot be shown, with what to do instead."""

    sentence: str
    way: Way | None = None


ANOTHER_RUN = Way("Choose another run", "runs")
ANOTHER_DATASET = Way("Choose a dataset", "data")
LAYERS_AND_HEADS = Way("See this model's layers and heads", "architecture")


class ChosenRun(NamedTuple):
    """A run that code, not the visitor, has chosen for the page."""

    id: str
    before: tuple[str, str]  # the run in the address then, and that of the page
    since: float  # seconds, monotonic


def run_picker(meant: str) -> str | None:
    """Draw the run picker; returns the id of the run that the page shows, None where there is no run. `meant`: what the
    address says by itself.

    The address names the run as soon as it would otherwise mean another one.
    """
    _keep_choice()
    wanted = _wanted_run(meant)
    labels = _labels_with(wanted)
    ids = list(labels)
    if not ids:
        return None
    if wanted not in ids:
        shown = LESSONS if LESSONS in ids else ids[0]
        st.session_state[LOST_RUN] = f"{missing('run', wanted)} {shown} is shown instead."
        notify(st.session_state[LOST_RUN], ANOTHER_RUN)
        wanted = st.session_state[STAND_IN] = shown
    elif "run" not in st.session_state and not _run_in_address():
        st.session_state[STAND_IN] = wanted
    is_said = st.query_params.get("run") == labels[wanted] or (
        "run" not in st.query_params and wanted == meant
    )
    is_chosen = bool(st.session_state.get("run"))
    if st.session_state.pop("rewrite run", False) or not is_said or not is_chosen:
        # a bound widget writes into the address what is set by hand
        st.session_state["run"] = wanted
    address.go_back_to("run", labels[wanted])
    chosen = st.selectbox(
        "Run",
        ids,
        index=None,  # no run is left out of the address for being the default
        required=True,
        format_func=labels.__getitem__,
        key="run",
        bind="query-params",
        help=RUN_HELP,
        width=min(WIDEST, NARROWEST + LETTER * max(0, len(labels[wanted]) - SHORT)),
        on_change=_change_example,
    )
    chosen = chosen or wanted
    st.session_state["previous run"] = chosen
    if chosen != st.session_state.get(STAND_IN):
        st.session_state.pop(STAND_IN, None)
    st.session_state[DRAWN] = True
    remember_label(chosen, labels[chosen])
    in_view.add_run(chosen)
    return chosen


def check_address(meant: str) -> None:
    """After the page, correct an address that names another run than the page shows."""
    shown = st.session_state.get("run")
    is_right = shown is None or (_run_in_address() or meant) == shown
    tries = 0 if is_right else int(st.session_state.get(TRIES, 0)) + 1
    st.session_state[TRIES] = tries
    if 0 < tries <= MOST_TRIES:
        write_run()


def write_run() -> None:
    """After this script run, write the picked run into the address."""
    st.session_state[WRITE] = True


def choose_run(run_id: str, label: str) -> None:
    """Make a run the page's when it is next drawn, until the visitor chooses another; `label` is that of a run just
    queued.
    """
    before = (_run_in_address(), str(st.session_state.get("run", "")))
    st.session_state[CHOSEN] = ChosenRun(run_id, before, time.monotonic())
    remember_label(run_id, label)


def _keep_choice() -> None:
    """Keep a run chosen by code: the browser may have asked for this before it learned of that run, by a refresh of a
    part of the page, or by the second click of a double click.

    Then it says the run before, in the picker or in the address; Streamlit would take that for the visitor's choice.
    """
    chosen = st.session_state.get(CHOSEN)
    if chosen is None or st.session_state.get("run") == chosen.id:
        return
    is_late = time.monotonic() - chosen.since > LATE_SECONDS
    is_before = st.session_state.get("run") == chosen.before[1]
    if is_late or not (is_before or _run_in_address() in chosen.before):
        del st.session_state[CHOSEN]
    else:
        st.session_state["run"] = chosen.id


def note_refresh() -> None:
    """Note that a part of the page refreshes itself, so that a run chosen by code gives way to the browser's choice.
    Call it in that part.
    """
    is_whole_page = st.session_state.pop(
        DRAWN, False
    )  # then the address may be the one that the page just wrote
    chosen = st.session_state.get(CHOSEN)
    if chosen and not is_whole_page and _run_in_address() == chosen.id:
        del st.session_state[CHOSEN]


def _wanted_run(meant: str) -> str:
    chosen = st.session_state.get("run")
    if chosen and chosen != st.session_state.get("previous run"):
        return str(chosen)
    is_kept = chosen and not address.is_history_navigation()
    return _run_in_address() or (str(chosen) if is_kept else meant)


def _run_in_address() -> str:
    return run_id_of(st.query_params.get("run", ""))


def _labels_with(run_id: str | None) -> dict[str, str]:
    """Every run's label; a missing one is looked up again: Streamlit would silently take the first run instead.

    While the queue is unreachable, no list has the runs that wait; then the label is the one that was shown last.
    """
    labels = cached.labels()
    if not run_id or run_id in labels:
        return labels
    cached.refresh_runs()
    cached.follow_link(run_id)
    labels = cached.labels()
    known = st.session_state.get(LABELS, {}).get(run_id)
    if run_id not in labels and known and run_service.queue_error():
        labels = {**labels, run_id: known}
    return labels


def remember_label(run_id: str, label: str) -> None:
    """Keep the label of a run that this session shows, or has just queued."""
    st.session_state[LABELS] = {**st.session_state.get(LABELS, {}), run_id: label}


def run_id_of(label: str) -> str:
    """The id in a run's label: `my model · 3f9c…` -> `3f9c…`."""
    return label.rpartition(" · ")[2].strip()


def layer_picker(view: LabeledWeights, *, mean: bool = False) -> int | None:
    """Draw a layer picker; returns the layer, 0-based, or None for the mean of all; by default the last, where
    alignment is usually clearest.
    """
    numbers = [str(layer) for layer in range(1, view.weights.shape[0] + 1)]
    options = [MEAN, *numbers] if mean else numbers
    return _index(_choice("Layer", "layer", options, options[-1], definitions("layer")))


def head_picker(view: LabeledWeights) -> int | None:
    """Draw a head picker; returns the head, 0-based, or None for the mean of all."""
    options = [MEAN, *(str(head) for head in range(1, view.weights.shape[1] + 1))]
    return _index(_choice("Head", "head", options, MEAN, HEAD_HELP))


def kind_picker() -> str:
    return _choice("Attention", "kind", list(KINDS), KINDS[0], definitions("cross-attention"))


def checkpoint_picker(best: Run, key: str) -> int:
    """Draw a checkpoint picker; returns the step, by default the best; a step that the run does not have is
    reported.
    """
    steps = best.folder.steps_by_choice()
    owner = f"{key} of"
    if st.session_state.setdefault(owner, best.folder.id) != best.folder.id:
        st.session_state[owner] = best.folder.id
        st.session_state.pop(key, None)
    names = {step: cached.step_name(best.folder.id, step) for step in steps}
    labels = {
        str(step): f"{name}{' (best)' if step and step == best.step else ''}"
        for step, name in names.items()
    }
    wanted = str(st.session_state.get(key) or "")
    if wanted not in labels:
        st.session_state[key] = str(step_of(best, wanted, _way_to_best(key, best.step)))
    chosen = st.selectbox(
        "Checkpoint",
        list(labels),
        format_func=labels.__getitem__,
        key=key,
        persist_state="session",
        width=190,
    )
    return int(chosen or best.step)


def step_of(best: Run, wanted: str, way: Way = ANOTHER_RUN) -> int:
    """The wanted checkpoint's step, by default the best; a missing one gives way to the nearest, with a notice."""
    steps = best.folder.steps_by_choice()
    if wanted in map(str, steps):
        return int(wanted)
    shown = _nearest_step(wanted, steps) if wanted else best.step
    if wanted:
        name = cached.step_name(best.folder.id, shown)
        notify(
            f"There is no checkpoint of step {wanted[:20]} in this run (any more); {name} is shown instead.",
            ANOTHER_RUN if shown == best.step else way,
        )
    return shown


def _way_to_best(key: str, step: int) -> Way:
    return Way("Open the best checkpoint", do=lambda: st.session_state.update({key: str(step)}))


def _nearest_step(wanted: str, steps: Sequence[int]) -> int:
    is_step = wanted.isdecimal() and len(wanted) < 12
    return min(steps, key=lambda step: abs(step - int(wanted))) if is_step else steps[0]


def _index(chosen: str) -> int | None:
    return None if chosen == MEAN else int(chosen) - 1


def _choice(label: str, key: str, options: list[str], default: str, explanation: str) -> str:
    given = st.query_params.get_all(key)
    if given and given[-1] not in options:  # the widget would drop it silently
        notify(
            f"The link asks for {key} {given[-1][:40]}, which this model doesn't have;"
            f" {key} {default} is shown instead.",
            LAYERS_AND_HEADS,
        )
    if len(options) <= MAX_SEGMENTS:
        chosen = st.segmented_control(
            label,
            options,
            default=default,
            required=True,
            key=key,
            bind="query-params",
            help=explanation,
        )
    else:
        chosen = st.selectbox(
            label,
            options,
            index=options.index(default),
            key=key,
            bind="query-params",
            width=110,
            help=explanation,
        )
    return chosen or default


def forget_lost_run() -> None:
    """Drop the notice about a missing run: something else on the page says it."""
    said = st.session_state.pop(LOST_RUN, None)
    notices = st.session_state.get(NOTICES, [])
    st.session_state[NOTICES] = [notice for notice in notices if notice.sentence != said]


def missing(kind: str, id: str) -> str:
    """The sentence about a run or evaluation that a link names and the visitor cannot open."""
    if asker.is_hosted():
        return str(rights.unknown(kind, id))
    return f"There is no {kind} {id[:40]} here (any more)."


def notify(sentence: str, way: Way | None = None) -> None:
    """Show a sentence under the title, once: what was asked for and cannot be shown. It may quote a visitor.

    Of several notices the first that has a way shows its button.
    """
    st.session_state.setdefault(NOTICES, []).append(Notice(sentence, way))


def _change_example() -> None:
    if "src" not in st.session_state:  # no page has asked for a sentence yet
        return
    text = str(st.session_state.get("src", ""))
    if not (run_id := st.session_state["run"]):  # no browser empties the list
        return
    is_example = text in vocabulary.examples(st.session_state["previous run"])
    is_lost = is_example and not vocabulary.can_read(run_id, text)
    # Set by hand even where it stays: the box would fall back to the other model's first example.
    st.session_state["src"] = next(iter(vocabulary.examples(run_id)), "") if is_lost else text
