"""What the Architecture page shows: a model, another to compare with, the sizes of a batch, one component.

Everything travels in the address's one key `set`, by `value` and `remember`; the run itself stands in `run`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from s2s import share
from s2s.runs import Run
from s2s.sizing import BatchSizes, Component, ModelSpec
from s2s.ui.architecture.models import GROUPS, THIS_RUN, NamedSpec, model_names, named_spec
from s2s.ui.kit import address, cached, pickers, vocabulary

NOTHING = "nothing"
OWN = "taken own "  # how the widgets' keys begin: a link that arrives empties them, so that they take what it says
SAID = "taken said"  # the values of `set` in this session, but for the usual ones
USUALLY: Mapping[str, str] = {
    "model": THIS_RUN,
    "against": NOTHING,
    "batch": "32",
    "src_len": "20",
    "tgt_len": "20",
    "part": "",
    "view": "parameters",
    "vary": "length",
    "cost": "flops",
    "masks": "yours",
}
MOST_SENTENCES = 128
MOST_TOKENS = 512


@dataclass(frozen=True)
class ArchitectureRequest:
    """What the page shows. `selected` names a component, or one of GROUPS."""

    run: Run
    model: NamedSpec
    other: NamedSpec | None
    sizes: BatchSizes
    components: tuple[Component, ...]
    selected: str


def ask() -> ArchitectureRequest:
    """The widgets, filled from the address where it says something new."""
    if (given := address.arrived("set")) is not None:
        _fill(share.unpack(given))
    run = cached.open_run(st.session_state["run"])
    # Only the view Masks has a sentence box, but a link's sentence is kept in every view.
    st.session_state.setdefault(
        "src", st.query_params.get("src", next(iter(vocabulary.of(run).examples), ""))
    )
    names = model_names(run)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choice("model", "Model", names)
        other_name = choice("against", "Compare with", {NOTHING: "nothing", **names})
        model = named_spec(run, name)
        sizes = _sizes(model.spec)
    components = model.spec.components(sizes)
    other = None if other_name in (NOTHING, name) else named_spec(run, other_name)
    return ArchitectureRequest(run, model, other, sizes, components, _selected(components))


def view_picker(labels: Mapping[str, str]) -> str:
    """Which of the views is shown."""
    return choice("view", "View", labels, is_list=False)


def value(name: str) -> str:
    """What the page holds under one of its names."""
    return _held().get(name, USUALLY[name])


def remember(**values: str) -> None:
    """Keep values in the session and in the address. Callbacks may call it, too."""
    strange = [name for name in values if name not in USUALLY]
    if strange:
        raise ValueError(f"the page keeps no `{strange[0]}`; add it to USUALLY")
    st.session_state[SAID] = {
        name: text for name, text in {**_held(), **values}.items() if text != USUALLY[name]
    }
    _hold()


def choice(name: str, label: str, options: Mapping[str, str], *, is_list: bool = True) -> str:
    """A list or a row of buttons. A value that a link asks for and that does not exist is reported."""
    key = OWN + name
    first = USUALLY[name]
    held = st.session_state.setdefault(key, value(name))
    if held not in options:
        pickers.notify(
            f"{label}: there is no {str(held)[:40]} here; the page shows {options[first]}."
        )
        st.session_state[key] = first
    look: dict[str, Any] = {
        "format_func": options.__getitem__,
        "key": key,
        "persist_state": "session",
    }
    if is_list:
        chosen = st.selectbox(label, list(options), width=200, **look)
    else:
        chosen = st.segmented_control(
            label, list(options), required=True, label_visibility="collapsed", **look
        )
    remember(**{name: chosen or first})
    return chosen or first


def select_component(name: str) -> None:
    """Show another component from the next run on: for callbacks."""
    remember(part=name)


def _sizes(spec: ModelSpec) -> BatchSizes:
    longest = min(spec.max_length() or MOST_TOKENS, MOST_TOKENS)
    return BatchSizes(
        _slider("batch", "Sentences", MOST_SENTENCES),
        _slider("src_len", "Source tokens", longest),
        _slider("tgt_len", "Target tokens", longest),
    )


def _slider(name: str, label: str, most: int) -> int:
    """A whole number from 1 on."""
    key = OWN + name
    held = str(st.session_state.setdefault(key, value(name)))
    number = int(held) if held.isdecimal() and len(held) < 9 else 0
    if not 1 <= number <= most:
        number = min(int(USUALLY[name]), most)
        pickers.notify(
            f"{label}: {held[:20]} is not between 1 and {most}; {number} is shown instead."
        )
    st.session_state[key] = number
    chosen = int(st.slider(label, 1, most, key=key, persist_state="session", width=140))
    remember(**{name: str(chosen)})
    return chosen


def _selected(components: tuple[Component, ...]) -> str:
    name = value("part")
    if name not in GROUPS and not any(each.name == name for each in components):
        pickers.notify(
            f"This model has no component {name[:40]}; the whole model is shown instead."
        )
        remember(part="")
    return value("part")


def _held() -> dict[str, str]:
    held: dict[str, str] = st.session_state.setdefault(SAID, {})
    return held


def _hold() -> None:
    """Everything that `set` says; a Share link writes the usual values, too."""
    address.hold("set", share.pack({**USUALLY, **_held()}), share.pack(USUALLY))


def _fill(said: Mapping[str, str]) -> None:
    """Take what a link says; the widgets are filled from it when they are next drawn."""
    st.session_state[SAID] = {
        name: said[name] for name, usual in USUALLY.items() if said.get(name, usual) != usual
    }
    for name in USUALLY:
        st.session_state.pop(OWN + name, None)
