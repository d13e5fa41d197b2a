"""The form of a new run: dataset, preset, every setting, and the button that queues it."""

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
from s2s.ui.kit.datasets import DEFAULT_DATASET, SHIPPED_DATASETS
from s2s.ui.kit.recipe_state import DEFAULT_PRESET, INIT_FROM, PREFIX, RECIPE_KEYS, data_choices
from s2s.ui.shell import step_link
from s2s.ui.train.view_state import STATE, sweep_rows

MAIN_KEYS = (
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
SUGGESTED = (
    "suggested preset"  # in the session: the preset that the dataset chose; empty once somebody has
)
LENGTH = (
    "train.minutes"  # first among the main settings of a preset that has it, instead of the steps
)
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
    """What the form says; `wrong` if its settings do not fit together."""

    source: str
    preset: str
    name: str
    recipe: Recipe
    wrong: UserError | None = None
    init_from: str = ""  # the run whose weights and vocabulary initialize it
    has_control: bool = False  # a control run from scratch is trained, too

    def order(self) -> training.RunRequest:
        """The request as the queue takes it."""
        return training.RunRequest(
            self.recipe,
            self.source,
            preset=self.preset,
            name=self.name,
            owner=asker.current(),
            init_from=self.init_from,
        )


class RecipeChoices(NamedTuple):
    """What is chosen first; `name` may be empty."""

    source: str
    preset: str
    name: str


def choices() -> RecipeChoices:
    """Dataset, preset and name, filled from the address when a link has just been opened."""
    given = STATE.from_url()
    if given is not None:
        names_recipe = bool(set(given) - {"source"})
        _fill(given)
        if names_recipe or STATE.now.sweep:
            _fill_sweep()
    with st.container(horizontal=True, vertical_alignment="bottom", key="choices"):
        source = _dataset()
        _suggest(source)
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
            "Presets",
            icon=":material/menu_book:",
            key="all presets",
            on_change="rerun",
            width="content",
        )
    if presets.open:
        with presets:
            _preset_table(source)
    return RecipeChoices(source, preset, name or "")


def settings_of_run(choices: RecipeChoices) -> RunRequest:
    """The widgets of all settings, and what the whole form says."""
    source, preset, name = choices
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
    _write_to_url(choices, changes)
    return RunRequest(source, preset, name or _default_name(source, preset), recipe, wrong)


def _default_name(source: str, preset: str) -> str:
    """`small on en-fr, from demo-en-fr`."""
    start = st.session_state.get(INIT_FROM) or ""
    return f"{preset} on {cached.dataset_name(source)}{origin(start)}"


def origin(run_id: str) -> str:
    """What a run's default name says of the run that initializes it."""
    return f", from {cached.title(run_id)}" if run_id in cached.trained_runs() else ""


def _write_to_url(choices: RecipeChoices, changes: Mapping[str, Any]) -> None:
    source, preset, name = choices
    start = {INIT_FROM: st.session_state[INIT_FROM]} if st.session_state.get(INIT_FROM) else {}
    values = {"source": source, "preset": preset, **start, **forms.to_address(changes)}
    # Where the dataset suggests another one, the default is written, too.
    is_default = cached.suggested_preset(source) == DEFAULT_PRESET
    default = {"source": DEFAULT_DATASET, "preset": DEFAULT_PRESET if is_default else ""}
    STATE.write_to_url(values, default)
    STATE.remember(name=name)


def _preset_table(source: str) -> None:
    """A table whose cells wrap, so that it fits on a phone, too."""
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
    """The few settings that people change, and all others in an expander."""
    main = MAIN_KEYS if base.train.minutes is None else (LENGTH, *MAIN_KEYS[1:])
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
            keys = [key for key in RECIPE_KEYS if key.startswith(starts) and key not in main]
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


def _preset() -> str:
    return str(
        st.selectbox(
            "Preset",
            list(PRESETS),
            key="preset",
            on_change=_choose_preset,
            persist_state="session",
            width=220,
        )
    )


def _suggest(source: str) -> None:
    """Choose the preset that suits a dataset's size and kind, unless somebody has chosen or changed one."""
    current = st.session_state.setdefault("preset", DEFAULT_PRESET)
    if current != st.session_state.setdefault(SUGGESTED, DEFAULT_PRESET):
        return
    has_changes = bool(forms.changes(PRESETS[current].recipe, PRESET_KEYS, PREFIX))
    if has_changes or st.session_state.get(INIT_FROM):
        return
    suggested = cached.suggested_preset(source)
    if suggested != current:
        st.session_state["preset"] = st.session_state[SUGGESTED] = suggested
        _fill_preset()


def _choose_preset() -> None:
    """From now on another dataset keeps it."""
    st.session_state[SUGGESTED] = ""
    _fill_preset()


def _fill_preset() -> None:
    """Everything that belongs to a preset."""
    forms.fill(PRESETS[st.session_state["preset"]].recipe, PRESET_KEYS, PREFIX)


def _fill(given: dict[str, str]) -> None:
    """Put what a link says into the widgets. A link with a dataset alone leaves the recipe as it is."""
    names_recipe = set(given) - {"source"}
    st.session_state["source"] = _known_dataset(given.pop("source", DEFAULT_DATASET))
    preset = given.pop("preset", DEFAULT_PRESET)
    start = given.pop(INIT_FROM, "")
    if not names_recipe:  # what was chosen on Data stays
        st.session_state.setdefault("preset", DEFAULT_PRESET)
        return
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
    st.session_state[SUGGESTED] = ""
    forms.fill(override(base, changes), RECIPE_KEYS, PREFIX)


def _fill_sweep() -> None:
    """Put a link's sweep into the rows of its panel, and open that."""
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
    """The dataset that a link names; where it is gone the default one, with a notice."""
    if source in SHIPPED_DATASETS or source in {saved.spec for saved in cached.datasets()}:
        return source
    pickers.notify(
        f"There is no dataset {source[:60]} here (any more); {DEFAULT_DATASET} is shown instead.",
        pickers.ANOTHER_DATASET,
    )
    return DEFAULT_DATASET
