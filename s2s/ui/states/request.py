"""What States looks at: a sentence, what is written, a second sentence beside it, a layer; and the address of all that.

What no other key of the address holds travels in `set`; a view has its widgets made by `choice`, which keeps what they say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import streamlit as st

from s2s import share
from s2s.analysis import SIDES, States
from s2s.config import UserError
from s2s.runs import Run
from s2s.share import printable
from s2s.ui.kit import address, cached, pickers, sentence, vocabulary
from s2s.ui.kit import target as kit_target
from s2s.ui.kit.text import plain, shortened
from s2s.ui.kit.vocabulary import RunVocabulary
from s2s.ui.states import cached as states_cached

OWN = "states own "  # how the keys of the widgets begin: a link that arrives empties them, so that they take what it says
SAID = "states said"  # the values of `set` in this session
FIRST_VIEW = "map"
OF_SENTENCES = ("word", "word2", "unit")  # places in these sentences, which mean nothing in others
OF_PAGE = ("second", "strategy", "view", "side", "colour", "shown", "layers")
USUALLY = MappingProxyType(
    {
        "strategy": kit_target.DEFAULT_STRATEGY,
        "view": FIRST_VIEW,
        "side": SIDES[0],
        "colour": "word",
        "shown": "both",
        "layers": "one",
    }
)
SEGMENTS = partial(st.segmented_control, required=True)
PAIR = ("the bank is by the river", "I need to bank the money")  # one word, two senses
# What stands before it in the sources of a built-in text.
PAIRS = MappingProxyType(
    {"builtin:en-fr": "", "builtin:en-es": "", "builtin:tasks": "translate English to French: "}
)


@dataclass(frozen=True)
class Asked:
    """What the page shows. `layer` counts from 0, the embeddings; `other` is empty, and None, where there is no second sentence."""

    run: Run
    text: str
    target: str
    seen: States
    layer: int
    view: str
    side: str
    second: str
    beside: States | None

    @property
    def name(self) -> str:
        """`demo-en-fr · step 1,500`."""
        return f"{cached.title(self.run.folder.id)} · step {self.run.step:,}"

    @property
    def layer_name(self) -> str:
        """`encoder · after layer 2 of 2`."""
        return f"{self.side} · {layer_name(self.layer, self.seen.side(self.side).n_layers)}"


def layer_name(layer: int, n_layers: int) -> str:
    """`embeddings`, `after layer 1 of 2`."""
    return f"after layer {layer} of {n_layers}" if layer else "embeddings"


def short_names(n_layers: int) -> list[str]:
    """Of all layers, as they stand on an axis."""
    return ["embeddings", *(f"layer {layer}" for layer in range(1, n_layers + 1))]


def ask(views: Mapping[str, str], sides: Mapping[str, str]) -> Asked | None:
    """The widgets, filled from the address where it says something new. None where there is nothing to show yet, which is said.

    `views` are slugs and labels; `sides` says which stack a view looks at, and a view that is not in it lets one choose.
    """
    if (given := address.arrived("set")) is not None:
        _fill(share.unpack(given))
    best = cached.open_run(st.session_state["run"])
    facts = vocabulary.of(best)
    _begin(best)
    with st.container():
        text = sentence.sentence_box(facts)
        sentence.unknown_words(best, facts, text)
    sentence.example_chips(facts)
    if not text:
        st.info(
            "Type a sentence above, or press an example: its states appear here.",
            icon=":material/edit:",
        )
        return None
    more = st.expander("Checkpoint, and what the model writes", icon=":material/tune:")
    with more, st.container(horizontal=True, vertical_alignment="bottom"):
        run = kit_target.checkpoint(best)
        strategy = kit_target.strategy_picker(
            value("strategy") or kit_target.DEFAULT_STRATEGY, OWN + "strategy"
        )
        remember(strategy=strategy)
        wanted = kit_target.target_box(run, text, strategy)
        own = cached.decoded(run, text, strategy, {}).text
    target, seen = _forced(run, text, wanted, own)
    view = choice("view", "View", views, FIRST_VIEW, label_visibility="collapsed")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        side = sides.get(view) or choice("side", "Stack", {name: name for name in SIDES}, SIDES[0])
        layer = _layer(seen.side(side).n_layers, side)
        second, beside = (
            _second(run, facts, text, strategy) if view in ("map", "same") else ("", None)
        )
    _forget_of_others((run.folder.id, run.step, text, target, *([second] if second else [])))
    return Asked(run, text, target, seen, layer, view, side, second, beside)


def choice(
    name: str,
    label: str,
    options: Mapping[str, str],
    usual: str,
    how: Callable[..., Any] = SEGMENTS,
    **look: Any,
) -> str:
    """A widget for one of some slugs, which `set` keeps under `name`. What a link says and isn't there is said, and `usual` taken.

    What is usual for one sentence only is written into the address like anything else.
    """
    key = OWN + name
    if st.session_state.setdefault(key, value(name) or usual) not in options:
        pickers.notify(
            f"There is no {label.lower()} {shortened(str(st.session_state[key]))} here; {options[usual]} is shown instead."
        )
        st.session_state[key] = usual
    chosen = str(
        how(
            label,
            list(options),
            format_func=options.__getitem__,
            key=key,
            persist_state="session",
            **look,
        )
        or usual
    )
    remember(**{name: chosen})
    return chosen


def value(name: str) -> str:
    """What is kept under a name; empty where it is as usual."""
    return _held().get(name, "")


def remember(**values: str) -> None:
    """Keep values in the session and in the address; an empty one is dropped. Callbacks may call it, too."""
    for name in values:
        if name not in (*OF_SENTENCES, *OF_PAGE):
            raise ValueError(f"no view of states keeps `{name}`; add it to OF_PAGE or OF_SENTENCES")
    usual = {name: "" if text == USUALLY.get(name) else text for name, text in values.items()}
    st.session_state[SAID] = {name: text for name, text in ({**_held(), **usual}).items() if text}
    address.hold("set", share.pack({**USUALLY, **_held()}), share.pack(USUALLY))


def _begin(run: Run) -> None:
    """Where nobody has said anything, the sentence with a word of two senses."""
    source = str(run.folder.about().get("source", ""))
    if source in PAIRS and "src" not in st.session_state and "src" not in st.query_params:
        st.session_state["src"] = PAIRS[source] + PAIR[0]


def _forced(run: Run, text: str, wanted: str, own: str) -> tuple[str, States]:
    """What is written, and the states."""
    target, seen = kit_target.with_fallback(wanted, own, partial(states_cached.states, run, text))
    if target == wanted != own:
        st.caption(
            f"Made to write: *{plain(shortened(wanted, 120))}*. {_strange(run.tgt_tokenizer.unknown(wanted), 'there')}"
        )
    return target, seen


def _strange(words: Sequence[str], where: str) -> str:
    """What the model reads as `<unk>`; empty where there is none."""
    named = ", ".join(plain(shortened(word)) for word in words[: sentence.MAX_SUGGESTIONS])
    return (
        f"Unknown {where}, and read as `<unk>`: {named}{' …' if len(words) > sentence.MAX_SUGGESTIONS else ''}."
        if words
        else ""
    )


LAYER = (
    "0 is what enters layer 1: the vectors of the tokens with their positions. The last is what the next part of the model reads: after"
    " the final norm, where there is one."
)


def _layer(n_layers: int, side: str) -> int:
    """0: the embeddings; the last layer unless chosen. Bound to the address."""
    options = [str(layer) for layer in range(n_layers + 1)]
    given = st.query_params.get_all("layer")
    if given and given[-1] not in options:
        has = f"the {side} has {n_layers}, with 0 for the embeddings"
        pickers.notify(
            f"The link asked for layer {shortened(given[-1])}; {has}, and layer {n_layers} is shown instead."
        )
    if st.session_state.get("layer") not in (
        None,
        *options,
    ):  # of another page, or of a deeper stack
        del st.session_state["layer"]
    if len(options) <= pickers.MAX_SEGMENTS:
        return int(
            SEGMENTS(
                "Layer", options, default=options[-1], key="layer", bind="query-params", help=LAYER
            )
            or n_layers
        )
    return int(
        st.selectbox(
            "Layer",
            options,
            index=n_layers,
            key="layer",
            bind="query-params",
            help=LAYER,
            width=110,
        )
        or n_layers
    )


def _second(run: Run, facts: RunVocabulary, text: str, strategy: str) -> tuple[str, States | None]:
    """Another sentence beside the first: one that shares a word with it unless somebody typed one."""
    usual = partner(run, facts, text)
    key = OWN + "second"
    st.session_state.setdefault(key, value("second"))
    typed = st.text_input(
        "Second sentence",
        key=key,
        placeholder=usual,
        persist_state="session",
        icon=":material/compare_arrows:",
        help="To look at the same word in two places. Empty: one that shares a word with the first.",
    )
    said = " ".join(printable(typed or "").split())[: sentence.MAX_CHARACTERS]
    remember(second=said)
    second = said or usual
    if strange := _strange(run.unknown(second), "in the second sentence"):
        st.caption(strange)
    try:
        if not second:
            return second, None
        own = cached.decoded(run, second, strategy, {}).text
        return second, kit_target.first_fitting([own], partial(states_cached.states, run, second))[
            1
        ]
    except UserError as wrong:
        pickers.notify(f"The second sentence cannot be read: {wrong}")
        return "", None


def partner(run: Run, facts: RunVocabulary, text: str) -> str:
    """Of the sentences that a run knows the first that shares the longest word; empty where none shares any."""
    before = PAIRS.get(str(run.folder.about().get("source", "")))
    if before is not None and text in (pair := [before + each for each in PAIR]):
        return pair[1 - pair.index(text)]
    task = next((prefix for prefix in facts.prefixes if text.startswith(prefix)), "")
    words = sorted({*text.removeprefix(task).split()}, key=lambda word: (-len(word), word))
    among = [other for other in (*facts.examples, *facts.sentences) if other != text]
    return next((other for word in words for other in among if word in other.split()), "")


def _held() -> dict[str, str]:
    held: dict[str, str] = st.session_state.setdefault(SAID, {})
    return held


def _forget_of_others(meant: tuple[object, ...]) -> None:
    """Places of some sentences are none in others; a view without a second sentence does not forget it."""
    before = st.session_state.get("states of", meant)
    if any(old != new for old, new in zip(before, meant, strict=False)):
        st.session_state[SAID] = {
            name: text for name, text in _held().items() if name not in OF_SENTENCES
        }
        _empty(OF_SENTENCES)
    st.session_state["states of"] = (*meant, *before[len(meant) :])


def _empty(names: Iterable[str]) -> None:
    for name in names:
        st.session_state.pop(OWN + name, None)


def _fill(said: Mapping[str, str]) -> None:
    """Take what a link says; the widgets are filled from it when they are next drawn."""
    names = (*OF_SENTENCES, *OF_PAGE)
    st.session_state[SAID] = {
        name: said[name] for name in names if said.get(name) not in (None, "", USUALLY.get(name))
    }
    st.session_state.pop("states of", None)
    _empty(names)
