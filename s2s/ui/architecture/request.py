"""What the Architecture page shows: a machine, another beside it, the sizes of a batch, one part; and the address of all that.

Everything travels in the address's one key `set`, by `value` and `remember`; a run of the page's own stands in `run`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import streamlit as st

from s2s import share
from s2s.config import PRESETS, flat
from s2s.runs import Run, differences
from s2s.sizing import KINDS, Machine, Part, Sizes, within
from s2s.ui.kit import address, cached, pickers, vocabulary

RUN = "run"
NOTHING = "nothing"
OWN = "taken own "  # how the widgets' keys begin: a link that arrives empties them, so that they take what it says
SAID = "taken said"  # the values of `set` in this session, but for the usual ones
USUALLY: Mapping[str, str] = {
    "model": RUN,
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
MOST_ROWS = 128
MOST_TOKENS = 512
GROUPS: Mapping[str, str] = {
    "": "The whole machine",
    "encoder": "Encoder",
    "encoder.layer": "One encoder layer",
    "decoder": "Decoder",
    "decoder.layer": "One decoder layer",
}


class Shown(NamedTuple):
    """A machine, and what people call it."""

    name: str
    machine: Machine


@dataclass(frozen=True)
class Asked:
    """What the page shows; `part` is the name of a part or of what stands around some."""

    run: Run
    shown: Shown
    against: Shown | None
    sizes: Sizes
    parts: tuple[Part, ...]
    part: str


def ask() -> Asked:
    """The widgets, filled from the address where it says something new."""
    if (given := address.arrived("set")) is not None:
        _fill(share.unpack(given))
    run = cached.open_run(st.session_state["run"])
    # The box of Masks is not always there, but the link's sentence is.
    st.session_state.setdefault(
        "src", st.query_params.get("src", next(iter(vocabulary.of(run).examples), ""))
    )
    this_run = f"this run: {cached.title(run.folder.id)}"
    names = {RUN: this_run, **{name: name for name in PRESETS}}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model = choice("model", "Model", names)
        other = choice("against", "Compare with", {NOTHING: "nothing", **names})
        shown = _shown(run, model)
        sizes = _sizes(shown.machine)
    found = shown.machine.parts(sizes)
    against = None if other in (NOTHING, model) else _shown(run, other)
    return Asked(run, shown, against, sizes, found, _part(found))


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
    """A list, or buttons side by side, whose value the page holds under that name; what a link asks for and is not there is said."""
    key = OWN + name
    first = USUALLY[name]
    held = st.session_state.setdefault(key, value(name))
    if held not in options:
        pickers.say(f"{label}: there is no {str(held)[:40]} here; the page shows {options[first]}.")
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


def differing(asked: Asked) -> list[differences.Row]:
    """The settings in which the two machines differ, those of their shape and the sizes of their vocabularies."""
    if asked.against is None:
        return []
    rows = differences.rows([_settings(asked.shown.machine), _settings(asked.against.machine)])
    return [row for row in rows if row.differs]


def label(asked: Asked, name: str) -> str:
    """What people call a part, or what stands around some."""
    part = next((part for part in asked.parts if part.name == name), None)
    return GROUPS[name] if part is None else KINDS[part.kind].label


def shaping(part: Part) -> tuple[str, ...]:
    """The settings that shape a part, by their keys below `model`, and the sizes of vocabularies."""
    stack = part.name.partition(".")[0]
    widths = {
        "encoder.tokens": (
            "d_model",
            "src_vocab_size",
        ),  # everything is as wide as the stream; it says so where the stream begins
        "decoder.tokens": ("d_model", "tgt_vocab_size"),
        "decoder.output": ("tgt_vocab_size",),
    }
    return (
        *(key.replace("{stack}", stack) for key in KINDS[part.kind].settings),
        *widths.get(part.name, ()),
    )


def pick(name: str) -> None:
    """Another part, when the page is next drawn: for callbacks."""
    remember(part=name)


def _settings(machine: Machine) -> dict[str, Any]:
    sizes = {"src_vocab_size": machine.src_vocab_size, "tgt_vocab_size": machine.tgt_vocab_size}
    return flat(machine.recipe.model) | sizes


def _shown(run: Run, name: str) -> Shown:
    if name == RUN:
        machine = Machine(run.recipe, run.src_tokenizer.vocab_size, run.tgt_tokenizer.vocab_size)
        return Shown(cached.title(run.folder.id), machine)
    row = PRESETS[name]
    return Shown(name, Machine(row.recipe, row.src_vocab_size, row.tgt_vocab_size))


def _sizes(machine: Machine) -> Sizes:
    longest = min(machine.longest() or MOST_TOKENS, MOST_TOKENS)
    batch = _slider("batch", "Sentences", MOST_ROWS)
    return Sizes(
        batch,
        _slider("src_len", "Source tokens", longest),
        _slider("tgt_len", "Target tokens", longest),
    )


def _slider(name: str, label: str, most: int) -> int:
    """A whole number from 1 on."""
    key = OWN + name
    held = str(st.session_state.setdefault(key, value(name)))
    number = int(held) if held.isdecimal() and len(held) < 9 else 0
    if not 1 <= number <= most:
        usual = min(int(USUALLY[name]), most)
        pickers.say(f"{label}: {held[:20]} is not between 1 and {most}; {usual} is shown instead.")
        number = usual
    st.session_state[key] = number
    chosen = int(st.slider(label, 1, most, key=key, persist_state="session", width=140))
    remember(**{name: str(chosen)})
    return chosen


def _part(found: tuple[Part, ...]) -> str:
    name = value("part")
    if name not in GROUPS and not any(part.name == name for part in found):
        pickers.say(f"This machine has no part {name[:40]}; the whole of it is shown instead.")
        remember(part="")
    return value("part")


def around(asked: Asked) -> tuple[Part, ...]:
    """The part that is chosen, or those that stand within what is chosen."""
    return within(asked.parts, asked.part)


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
