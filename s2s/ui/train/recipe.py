"""The form of a run: text, preset, every setting; the button."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from s2s import settings, share
from s2s.config import PRESETS, Recipe, UserError, override
from s2s.jobs import sweep, training, worker
from s2s.jobs.advice import short_count
from s2s.ui.kit import address, cached, forms, pickers
from s2s.ui.kit.datasets import DEFAULT_DATASET, SHIPPED_DATASETS
from s2s.ui.kit.queueing import queue_runs
from s2s.ui.kit.recipe_state import DEFAULT_PRESET, INIT_FROM, PREFIX, RECIPE_KEYS, data_choices
from s2s.ui.kit.text import unique_names

MAIN = (
    "train.steps",
    "train.batch_tokens",
    "train.lr",
    "model.d_model",
    "model.encoder.n_layers",
    "model.decoder.n_layers",
    "model.dropout",
    "tokenizer.kind",
)
TABS = MappingProxyType(
    {
        "Text": ("data.", "tokenizer."),
        "Encoder and decoder": (
            "model.d_model",
            "model.dropout",
            "model.encoder.",
            "model.decoder.",
        ),
        "Inside a layer": ("model.norm.", "model.attention.", "model.feed_forward."),
        "Ends and order": ("model.positions.", "model.embeddings.", "model.output.", "model.init."),
        "Training": ("train.",),
    }
)


@dataclass(frozen=True)
class Asked:
    """What the form says; `wrong` where its settings do not go together."""

    source: str
    preset: str
    name: str
    recipe: Recipe
    wrong: UserError | None = None
    init_from: str = ""  # the run whose weights and vocabulary it starts with
    has_twin: bool = False  # the same from scratch, beside it

    def order(self) -> training.Asked:
        """As the queue takes it."""
        return training.Asked(
            self.recipe,
            self.source,
            preset=self.preset,
            name=self.name,
            owner=settings.OWNER,
            init_from=self.init_from,
        )


def form() -> Asked:
    """The widgets, filled from the address where it says something new."""
    said = address.arrived("set")
    if said is not None:
        _fill(share.unpack(said))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = _source()
        preset = _preset()
        usual = f"{preset} on {cached.dataset_name(source)}{_origin(st.session_state.get(INIT_FROM) or '')}"
        name = st.text_input(
            "Name",
            key="run name",
            max_chars=80,
            placeholder=usual,
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
            _table_of_presets()
    base = PRESETS[preset].recipe
    row = PRESETS[preset]
    st.caption(
        f"{row.summary} Good for: {row.good_for[0].lower()}{row.good_for[1:]} Source: {row.source}."
    )
    changes = forms.changes(base, RECIPE_KEYS, PREFIX)
    data_choices(changes)
    wrong = forms.why_not(base, changes)
    made = base if wrong else override(base, changes)
    _settings(base, wrong)
    start = {INIT_FROM: st.session_state[INIT_FROM]} if st.session_state.get(INIT_FROM) else {}
    packed = share.pack({"source": source, "preset": preset, **start, **forms.to_address(changes)})
    address.hold("set", packed, share.pack({"source": DEFAULT_DATASET, "preset": DEFAULT_PRESET}))
    return Asked(source, preset, name or usual, made, wrong)


def _table_of_presets() -> None:
    """A table whose cells wrap, so that a phone shows it too."""
    sizes = cached.preset_sizes()
    rows = [
        (name, short_count(sizes[name]), f"{row.good_for} ({row.source})")
        for name, row in PRESETS.items()
    ]
    st.table(
        pd.DataFrame(rows, columns=["preset", "parameters", "good for, why, and source"]),
        hide_index=True,
    )
    vocabularies = " and ".join(
        f"{PRESETS[name].src_vocab_size:,} for {name}" for name in ("small", "mini-t5")
    )
    st.caption(
        f"Parameters with the vocabulary that a preset is quoted for, {vocabularies}; the card counts with that of your text."
    )


def _settings(base: Recipe, wrong: UserError | None) -> None:
    """The few settings that people change, and all others behind a click."""
    with st.grid(4, min_column_width=150, vertical_alignment="bottom"):
        forms.inputs(base, MAIN, PREFIX, wrong=wrong)
    if wrong and forms.blamed_key(wrong, MAIN) is None:
        forms.show_error(wrong)
    more = st.expander(
        "All settings", icon=":material/tune:", key="all settings", on_change="rerun"
    )
    if not more.open:
        return
    with more:
        for tab, (name, starts) in zip(st.tabs(list(TABS)), TABS.items(), strict=True):
            keys = [key for key in RECIPE_KEYS if key.startswith(starts) and key not in MAIN]
            with (
                tab,
                st.grid(3, min_column_width=200, vertical_alignment="bottom", key=f"tab {name}"),
            ):
                forms.inputs(base, keys, PREFIX, wrong=wrong)


def _source() -> str:
    names = unique_names(
        {text.spec: text.name for text in cached.datasets()}
        | {spec: spec for spec in SHIPPED_DATASETS}
    )
    if st.session_state.get("source") not in names:
        st.session_state["source"] = DEFAULT_DATASET
    return str(
        st.selectbox(
            "Text",
            list(names),
            format_func=names.__getitem__,
            key="source",
            persist_state="session",
            width=300,
        )
    )


def _preset() -> str:
    st.session_state.setdefault("preset", DEFAULT_PRESET)
    return str(
        st.selectbox(
            "Preset",
            list(PRESETS),
            key="preset",
            on_change=_take_preset,
            persist_state="session",
            width=220,
        )
    )


def _take_preset() -> None:
    """All that a preset is about; which pairs are data_choices, and how they are cleaned, stays."""
    keys = [key for key in RECIPE_KEYS if key == "data.max_length" or not key.startswith("data.")]
    forms.fill(PRESETS[st.session_state["preset"]].recipe, keys, PREFIX)


def _fill(given: dict[str, str]) -> None:
    """Put what a link says into the widgets; what it cannot mean is said and left out. A text alone leaves the recipe as it is."""
    names_recipe = set(given) - {"source"}
    source = given.pop("source", DEFAULT_DATASET)
    preset = given.pop("preset", DEFAULT_PRESET)
    start = given.pop(INIT_FROM, "")
    if source not in SHIPPED_DATASETS and source not in {text.spec for text in cached.datasets()}:
        pickers.notify(
            f"There is no text {source[:60]} here (any more); {DEFAULT_DATASET} is shown instead."
        )
        source = DEFAULT_DATASET
    if preset not in PRESETS:
        pickers.notify(f"There is no preset {preset[:40]}; {DEFAULT_PRESET} is shown instead.")
        preset = DEFAULT_PRESET
    st.session_state["source"] = source
    if not names_recipe:  # what was chosen on Data stays
        st.session_state.setdefault("preset", DEFAULT_PRESET)
        return
    if start and start not in cached.trained_runs():
        pickers.notify(f"There is no trained run {start[:40]} here to start from (any more).")
        start = ""
    st.session_state[INIT_FROM] = start
    base = PRESETS[preset].recipe
    changes, lost = forms.from_address(base, given)
    for sentence in lost:
        pickers.notify(sentence)
    st.session_state["preset"] = preset
    forms.fill(override(base, changes), RECIPE_KEYS, PREFIX)


def button(asked: Asked, why_not: UserError | None) -> None:
    """Train; what the queue refuses stands beside it."""
    is_wrong = why_not is not None
    st.button(
        "Train",
        type="primary",
        icon=":material/play_arrow:",
        key="train",
        on_click=_train,
        args=(asked,),
        disabled=is_wrong,
    )
    if refused := st.session_state.pop("refused", None):
        forms.show_error(refused)
    with contextlib.suppress(UserError):  # who presses will hear of it
        worker.ensure()  # warm by then, so that the curve begins at once


def _train(asked: Asked) -> None:
    try:
        orders = _twins(asked) if asked.has_twin else [asked.order()]
        run_id, *_ = queue_runs(orders)
    except UserError as wrong:
        st.session_state["refused"] = wrong
        return
    st.session_state["run"] = run_id


def _twins(asked: Asked) -> list[training.Asked]:
    """It and its twin, which starts from no run and does not say so."""
    order = asked.order()
    bare = replace(order, name=order.name.replace(_origin(asked.init_from), "", 1))
    return [sweep.twins(order, asked.name)[0], sweep.twins(bare, asked.name)[1]]


def _origin(run_id: str) -> str:
    """What a run's usual name says of the one it starts from."""
    return f", from {cached.title(run_id)}" if run_id in cached.trained_runs() else ""


def take_preset(preset: str) -> None:
    """Choose it, with all that it is about."""
    st.session_state["preset"] = preset
    _take_preset()


def take(changes: Mapping[str, Any]) -> None:
    """Put settings into their widgets."""
    for key, value in changes.items():
        st.session_state[PREFIX + key] = value
