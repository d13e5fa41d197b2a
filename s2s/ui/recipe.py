"""The form of a run: text, preset, every setting; what it will cost; the button."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import streamlit as st
import torch

from s2s import settings, share
from s2s.config import Recipe, UserError, flat, override
from s2s.jobs import training, worker
from s2s.jobs.forecast import Forecast, check
from s2s.model.presets import PRESETS
from s2s.train.machine import free_memory
from s2s.ui import address, cached, forms, pickers
from s2s.ui.cards import Card, cards
from s2s.ui.sources import FIRST, SHIPPED
from s2s.ui.text import distinct, duration, worded

PREFIX = "set "
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
USUAL = "small"
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
ALL = tuple(key for key in flat(Recipe()) if not key.startswith("model.ids."))  # fixed by our tokenizers
TABS = MappingProxyType(
    {
        "Text": ("data.", "tokenizer."),
        "Encoder and decoder": ("model.d_model", "model.dropout", "model.encoder.", "model.decoder."),
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


def form() -> Asked:
    """The widgets, filled from the address where it says something new."""
    said = address.arrived("set")
    if said is not None:
        _fill(share.unpack(said))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source, preset = _source(), _preset()
        usual = f"{preset} on {cached.called(source)}"
        name = st.text_input("Name", key="run name", max_chars=80, placeholder=usual, persist_state="session", width=260)
    base = PRESETS[preset].recipe
    st.caption(f"{PRESETS[preset].summary} Source: {PRESETS[preset].source}.")
    changes = forms.changes(base, ALL, PREFIX)
    learnt(changes)
    wrong = forms.why_not(base, changes)
    made = base if wrong else override(base, changes)
    _settings(base, wrong)
    packed = share.pack({"source": source, "preset": preset, **forms.written(changes)})
    address.hold("set", packed, share.pack({"source": FIRST, "preset": USUAL}))
    return Asked(source, preset, name or usual, made, wrong)


def learnt(changes: Mapping[str, Any]) -> None:
    """What was decided for the text: the task, and what is left out."""
    said = [f"{key.removeprefix('data.').removeprefix('clean.')} = {value}" for key, value in changes.items() if key.startswith("data.")]
    if said:
        st.caption(worded(f"Chosen for the text: {', '.join(f'`{each}`' for each in said)}."))


def _settings(base: Recipe, wrong: UserError | None) -> None:
    """The few settings that people change, and all others behind a click."""
    with st.grid(4, min_column_width=150, vertical_alignment="bottom"):
        forms.inputs(base, MAIN, PREFIX, wrong=wrong)
    if wrong and forms.place(wrong, MAIN) is None:
        forms.complain(wrong)
    more = st.expander("All settings", icon=":material/tune:", key="all settings", on_change="rerun")
    if not more.open:
        return
    with more:
        for tab, (name, starts) in zip(st.tabs(list(TABS)), TABS.items(), strict=True):
            keys = [key for key in ALL if key.startswith(starts) and key not in MAIN]
            with tab, st.grid(3, min_column_width=200, vertical_alignment="bottom", key=f"tab {name}"):
                forms.inputs(base, keys, PREFIX, wrong=wrong)


def _source() -> str:
    names = distinct({text.spec: text.name for text in cached.texts()} | {spec: spec for spec in SHIPPED})
    if st.session_state.get("source") not in names:
        st.session_state["source"] = FIRST
    return str(st.selectbox("Text", list(names), format_func=names.__getitem__, key="source", persist_state="session", width=300))


def _preset() -> str:
    st.session_state.setdefault("preset", USUAL)
    return str(st.selectbox("Preset", list(PRESETS), key="preset", on_change=_take_preset, persist_state="session", width=220))


def _take_preset() -> None:
    """All that a preset is about; which pairs are learnt, and how they are cleaned, stays."""
    keys = [key for key in ALL if key == "data.max_length" or not key.startswith("data.")]
    forms.fill(PRESETS[st.session_state["preset"]].recipe, keys, PREFIX)


def _fill(given: dict[str, str]) -> None:
    """Put what a link says into the widgets; what it cannot mean is said and left out. A text alone leaves the recipe as it is."""
    names_recipe = set(given) - {"source"}
    source, preset = given.pop("source", FIRST), given.pop("preset", USUAL)
    if source not in SHIPPED and source not in {text.spec for text in cached.texts()}:
        pickers.say(f"There is no text {source[:60]} here (any more); {FIRST} is shown instead.")
        source = FIRST
    if preset not in PRESETS:
        pickers.say(f"There is no preset {preset[:40]}; {USUAL} is shown instead.")
        preset = USUAL
    st.session_state["source"] = source
    if not names_recipe:  # what was chosen on Data stays
        st.session_state.setdefault("preset", USUAL)
        return
    base = PRESETS[preset].recipe
    changes, lost = forms.understood(base, given)
    for sentence in lost:
        pickers.say(sentence)
    st.session_state["preset"] = preset
    forms.fill(override(base, changes), ALL, PREFIX)


def forecast(asked: Asked) -> UserError | None:
    """What it will cost, before anybody presses. Returns why it cannot be trained, which stands there too."""
    if asked.wrong:
        return asked.wrong
    try:
        cost = cached.forecast(asked.source, asked.recipe)
        _cards(asked, cost)
        check(asked.recipe, cached.preview(asked.source), cost, free_memory(DEVICE))
    except UserError as wrong:
        forms.complain(wrong)
        return wrong
    return None


def _cards(asked: Asked, cost: Forecast) -> None:
    sizes = f"vocabularies of about {cost.src_vocab_size:,} and {cost.tgt_vocab_size:,}"
    cards(
        (
            Card("Parameters", _short(cost.parameters), f"{cost.parameters:,} numbers, {sizes}"),
            Card("Memory", f"{cost.megabytes:,.0f} MB", f"{free_memory(DEVICE) / 1e6:,.0f} MB are free here"),
            Card("Time", duration(cost.seconds), f"for {asked.recipe.train.steps:,} steps, each text seen about {cost.epochs:.1f} times"),
        )
    )


def button(asked: Asked, why_not: UserError | None) -> None:
    """Train; what the queue refuses stands beside it."""
    is_wrong = why_not is not None
    st.button("Train", type="primary", icon=":material/play_arrow:", key="train", on_click=_train, args=(asked,), disabled=is_wrong)
    if refused := st.session_state.pop("refused", None):
        forms.complain(refused)


def _train(asked: Asked) -> None:
    try:
        cost = cached.forecast(asked.source, asked.recipe)
        order = training.Asked(asked.recipe, asked.source, preset=asked.preset, name=asked.name, owner=settings.OWNER)
        run_id = training.submit(order, express=cost.is_express)
        worker.ensure()
    except UserError as wrong:
        st.session_state["refused"] = wrong
        return
    cached.forget_lists()
    st.session_state["run"] = run_id


def _short(number: int) -> str:
    for size, unit in ((1e9, " B"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return str(number)
