"""The form of a new run: dataset, minutes, and every setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from s2s.config import PRESETS, Recipe, UserError, asker, override
from s2s.jobs import short_count, sweep, training
from s2s.lessons import rebuilt_in
from s2s.runs import LONGEST_NAME
from s2s.ui.kit import as_markdown, cached, forms, pickers, plain, unique_names
from s2s.ui.kit.recipe_state import (
    DEFAULT_DATASET,
    DEFAULT_PRESET,
    INIT_FROM,
    PREFIX,
    RECIPE_KEYS,
    SHIPPED_DATASETS,
    data_choices,
)
from s2s.ui.shell import step_link
from s2s.ui.train.view_state import STATE, sweep_rows

MAIN_KEYS = (
    "train.minutes",
    "train.steps",
    "train.batch_tokens",
    "train.lr",
    "model.d_model",
    "model.encoder.n_layers",
    "model.decoder.n_layers",
    "model.dropout",
    "tokenizer.kind",
)
PRESET_KEYS = [  # the task and the cleaning rules belong to the dataset
    key for key in RECIPE_KEYS if key == "data.max_length" or not key.startswith("data.")
]
SUGGESTED = "suggested recipe"  # in the session: the newest Suggestion
MINUTES = PREFIX + "train.minutes"  # in the session: the time budget; None for a number of steps
BUDGET = "train budget"  # the key of the question's widget
BUDGETS = ("1", "5", "10", "30", "75")
STEPS = "steps"
LENGTH = "train.minutes"
MOST_NAMED = 3  # in the title of the settings
TABS = MappingProxyType(
    {
        "Data": ("data.", "tokenizer.", "model.ids."),
        "Encoder and decoder": (
            "model.d_model",
            "model.dropout",
            "model.encoder.",
            "model.decoder.",
        ),
        "Layers": ("model.norm.", "model.attention.", "model.feed_forward."),
        "Embeddings and output": (
            "model.positions.",
            "model.embeddings.",
            "model.output.",
            "model.init.",
        ),
        "Training": ("train.",),
    }
)


@dataclass(frozen=True)
class RunRequest:
    """The content of the form of a new run; `wrong` if its settings do not fit together."""

    source: str
    preset: str
    name: str
    recipe: Recipe
    wrong: UserError | None = None
    init_from: str = ""  # the run whose weights and vocabulary initialize it
    has_control: bool = False  # a control run from scratch is trained, too

    def order(self) -> training.RunRequest:
        """The request for the run as the queue takes it."""
        return training.RunRequest(
            self.recipe,
            self.source,
            preset=self.preset,
            name=self.name,
            owner=asker.current(),
            init_from=self.init_from,
        )


class Suggestion(NamedTuple):
    """The preset that the form suggested for a dataset; empty once the visitor has chosen one."""

    preset: str
    minutes: float | None = None
    source: str = ""
    is_answered: bool = False  # the minutes are the visitor's own


def choices() -> str:
    """Draw the choice of the dataset and the training time; returns the dataset's SPEC."""
    given = STATE.from_url()
    if given is not None:
        names_recipe = bool(set(given) - {"source"})
        _fill(given)
        if names_recipe or STATE.now.sweep:
            _fill_sweep()
    with st.container(horizontal=True, vertical_alignment="bottom", key="new run"):
        source = _dataset()
        _suggest(source)
        _budget()
        base = PRESETS[st.session_state["preset"]].recipe
        if st.session_state.get(MINUTES) is None:
            with st.container(width=170):
                forms.inputs(base, ["train.steps"], PREFIX)
    return source


def settings_title() -> str:
    """The title of the folded settings, which names what differs from the suggestion."""
    base = PRESETS[st.session_state["preset"]].recipe
    changed = forms.changes(base, [key for key in RECIPE_KEYS if key not in MAIN_KEYS[:2]], PREFIX)
    names = [
        st.session_state["preset"],
        *(key.rpartition(".")[2] for key in changed),
        *(["initialized from a run"] if st.session_state.get(INIT_FROM) else []),
    ]
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return f"*Settings:* {', '.join(map(plain, [*names[:MOST_NAMED], *more]))}"


def settings_of_run(source: str) -> RunRequest:
    """Draw the widgets of all settings; returns the form's content."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="preset and name"):
        preset = _preset()
        st.session_state.setdefault(STATE.key("name"), STATE.now.name)
        name = st.text_input(
            "Name",
            key=STATE.key("name"),
            max_chars=LONGEST_NAME,
            placeholder=_default_name(source, preset),
            persist_state="session",
            width=260,
        )
        presets = st.popover(
            "Sizes of the presets",
            icon=":material/menu_book:",
            key="all presets",
            on_change="rerun",
            width="content",
        )
    if presets.open:
        with presets:
            _preset_table(source)
    row = PRESETS[preset]
    good_for = row.good_for[0].lower() + row.good_for[1:]
    rebuilt = f" {as_markdown(row.differs)}" if row.differs else ""
    st.caption(f"{row.summary} Good for: {good_for} Source: {row.source}.{rebuilt}")
    if step := rebuilt_in(preset):
        step_link(step, "Rebuild it: its lesson, with its data", ":material/school:")
    changes = forms.changes(row.recipe, RECIPE_KEYS, PREFIX)
    data_choices(changes)
    wrong = forms.why_not(row.recipe, changes)
    recipe = row.recipe if wrong else override(row.recipe, changes)
    _settings(row.recipe, wrong)
    _write_to_url(source, preset, name or "", changes)
    return RunRequest(source, preset, name or _default_name(source, preset), recipe, wrong)


def _default_name(source: str, preset: str) -> str:
    start = st.session_state.get(INIT_FROM) or ""
    return f"{preset} on {cached.dataset_name(source)}{origin(start)}"


def origin(run_id: str) -> str:
    """The part of a default name that names the initializing run."""
    return f", from {cached.title(run_id)}" if run_id in cached.trained_runs() else ""


def _write_to_url(source: str, preset: str, name: str, changes: Mapping[str, Any]) -> None:
    start = {INIT_FROM: st.session_state[INIT_FROM]} if st.session_state.get(INIT_FROM) else {}
    minutes = _as_link(changes.get("train.minutes"))
    others = {key: value for key, value in changes.items() if not minutes or key != LENGTH}
    values = {"source": source, "preset": preset, **start, **forms.to_address(others)}
    usual = cached.default_minutes(DEFAULT_DATASET)
    suggested = cached.suggested_preset(DEFAULT_DATASET, usual)
    default = {"source": DEFAULT_DATASET, "preset": suggested, "minutes": _as_link(usual)}
    STATE.write_to_url(values, default)
    STATE.remember(name=name, minutes=minutes)


def _as_link(minutes: float | None) -> str:
    return f"{minutes:.0f}" if minutes and minutes == round(minutes) else ""


def _preset_table(source: str) -> None:
    """Draw the presets as a table whose cells wrap, so that it fits on a phone, too."""
    try:
        sizes = cached.preset_sizes(source)
    except UserError as wrong:  # the dataset cannot be read
        forms.show_error(wrong)
        return
    rows = [
        (name, short_count(sizes[name]), f"{row.good_for} ({row.source})")
        for name, row in PRESETS.items()
    ]
    columns = ["preset", "parameters", "good for, why, and source"]
    st.table(pd.DataFrame(rows, columns=columns), hide_index=True)
    st.caption(
        f"Parameters are counted with the vocabulary that each preset would have on"
        f" {plain(cached.dataset_name(source))}, as the forecast counts them."
    )


def _settings(base: Recipe, wrong: UserError | None) -> None:
    main = [key for key in MAIN_KEYS if key != "train.steps"]
    with st.grid(4, min_column_width=150, vertical_alignment="bottom"):
        forms.inputs(base, main, PREFIX, wrong=wrong)
    if wrong and forms.blamed_key(wrong, main) is None:
        forms.show_error(wrong)
    more = st.expander(
        "All settings", icon=":material/tune:", key="all settings", on_change="rerun"
    )
    if not more.open:
        return
    with more:
        for tab, (name, starts) in zip(st.tabs(list(TABS)), TABS.items(), strict=True):
            keys = [key for key in RECIPE_KEYS if key.startswith(starts) and key not in MAIN_KEYS]
            grid = st.grid(3, min_column_width=200, vertical_alignment="bottom", key=f"tab {name}")
            with tab, grid:
                forms.inputs(base, keys, PREFIX, wrong=wrong)


def _dataset() -> str:
    saved = {dataset.spec: dataset.name for dataset in cached.datasets()}
    names = unique_names(saved | {spec: spec for spec in SHIPPED_DATASETS})
    if st.session_state.get("source") not in names:
        st.session_state["source"] = DEFAULT_DATASET
    return str(
        st.selectbox(
            "Dataset",
            list(names),
            format_func=names.__getitem__,
            key="source",
            persist_state="session",
            width=300,
        )
    )


def _budget() -> None:
    minutes = st.session_state.get(MINUTES)
    now = STEPS if minutes is None else f"{minutes:g}"
    offered = BUDGETS if now in (*BUDGETS, STEPS) else sorted((*BUDGETS, now), key=float)
    st.session_state[BUDGET] = now
    st.segmented_control(
        "How many minutes do you have?",
        [*offered, STEPS],
        key=BUDGET,
        format_func=lambda each: "Steps" if each == STEPS else each,
        required=True,
        on_change=_choose_budget,
        help="Training ends on time, and the model's size and number of steps follow from it. Choose *Steps* for a"
        " number of updates, which the same recipe repeats exactly.",
    )


def _choose_budget() -> None:
    chosen = st.session_state[BUDGET]
    st.session_state[MINUTES] = None if chosen in (None, STEPS) else float(chosen)


def _preset() -> str:
    return str(
        st.selectbox(
            "Preset",
            list(PRESETS),
            key="preset",
            on_change=_choose_preset,
            format_func=lambda name: f"{name}: {PRESETS[name].summary.rstrip('.')}",
            persist_state="session",
        )
    )


def _suggest(source: str) -> None:
    preset = st.session_state.setdefault("preset", DEFAULT_PRESET)
    last = st.session_state.setdefault(SUGGESTED, Suggestion(preset))
    minutes = st.session_state.setdefault(MINUTES, PRESETS[preset].recipe.train.minutes)
    if preset != last.preset or (source, minutes) == (last.source, last.minutes):
        return
    kept = [key for key in PRESET_KEYS if key != LENGTH]
    if forms.changes(PRESETS[preset].recipe, kept, PREFIX) or st.session_state.get(INIT_FROM):
        return
    is_answered = last.is_answered or minutes != last.minutes
    wanted = minutes if is_answered else cached.default_minutes(source)
    suggested = cached.suggested_preset(source, wanted)
    st.session_state["preset"] = suggested
    _fill_preset(wanted)
    st.session_state[SUGGESTED] = Suggestion(suggested, wanted, source, is_answered)


def _choose_preset() -> None:
    st.session_state[SUGGESTED] = Suggestion("")
    _fill_preset(st.session_state.get(MINUTES))


def _fill_preset(minutes: float | None) -> None:
    forms.fill(PRESETS[st.session_state["preset"]].recipe, PRESET_KEYS, PREFIX)
    st.session_state[MINUTES] = minutes


def _fill(given: dict[str, str]) -> None:
    """Put what a link says into the widgets. A link with a dataset alone leaves the recipe as it is."""
    names_recipe = set(given) - {"source"}
    st.session_state["source"] = _known_dataset(given.pop("source", DEFAULT_DATASET))
    preset = given.pop("preset", DEFAULT_PRESET)
    start = given.pop(INIT_FROM, "")
    minutes = STATE.now.minutes
    if not names_recipe:  # what was chosen on Data stays
        st.session_state.setdefault("preset", DEFAULT_PRESET)
        if minutes:
            st.session_state[MINUTES] = float(minutes)
        return
    if minutes and not {"train.steps", LENGTH} & names_recipe:
        given[LENGTH] = minutes
    if preset not in PRESETS:
        pickers.notify(f"There is no preset {preset[:40]}; {DEFAULT_PRESET} is shown instead.")
        preset = DEFAULT_PRESET
    if start and start not in cached.trained_runs():
        pickers.notify(f"There is no trained run {start[:40]} here (any more) to initialize from.")
        start = ""
    base = PRESETS[preset].recipe
    changes, errors = forms.from_address(base, given)
    for error in errors:
        pickers.notify(error)
    st.session_state[INIT_FROM] = start
    st.session_state["preset"] = preset
    st.session_state[SUGGESTED] = Suggestion("")
    forms.fill(override(base, changes), RECIPE_KEYS, PREFIX)


def _fill_sweep() -> None:
    rows = sweep_rows(STATE.now.sweep)
    for number in range(sweep.MAX_SETTINGS):
        for kind in ("key", "values"):
            st.session_state.pop(f"sweep {kind} {number}", None)
    for number, (key, text) in enumerate(rows):
        st.session_state[f"sweep key {number}"] = key
        st.session_state[f"sweep values {number}"] = text
    if rows:
        st.session_state["sweeping"] = True


def _known_dataset(source: str) -> str:
    if source in SHIPPED_DATASETS or source in {saved.spec for saved in cached.datasets()}:
        return source
    pickers.notify(
        f"There is no dataset {source[:60]} here (any more); {DEFAULT_DATASET} is shown instead.",
        pickers.ANOTHER_DATASET,
    )
    return DEFAULT_DATASET
