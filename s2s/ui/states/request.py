"""What States shows: a sentence, its target, a second sentence to compare with, a stack and a layer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from s2s.analysis import SIDES, States
from s2s.config import UserError
from s2s.decode import STRATEGIES
from s2s.links.share import printable
from s2s.questions import (
    BANK_PREFIXES,
    TWO_BANKS,
    ForcedText,
    first_fitting,
    forced,
    partner,
    source_as_it_is,
)
from s2s.runs import Run, Target
from s2s.ui.kit import (
    RunVocabulary,
    SentenceRow,
    cached,
    pickers,
    plain,
    sentence,
    shortened,
)
from s2s.ui.kit import target as kit_target
from s2s.ui.states import cached_states
from s2s.ui.states.view_state import STATE

LAYER_HELP = (
    "0 is the input of layer 1: token vectors plus positions. The last layer's states are taken after the final norm,"
    " if there is one, because the next module reads them there."
)


@dataclass(frozen=True)
class StatesRequest:
    """What the page shows."""

    run: Run
    text: str
    target: str
    forced: Target  # the model's own ids where it is its output
    states: States
    layer: int  # from 0, the embeddings
    view: str
    side: str
    second: str  # empty where there is no second sentence
    second_states: States | None

    @property
    def name(self) -> str:
        """`demo-en-fr · step 1,500`."""
        return cached.model_name(self.run)

    @property
    def layer_name(self) -> str:
        """`encoder · after layer 2 of 2`."""
        return f"{self.side} · {layer_name(self.layer, self.states.side(self.side).n_layers)}"


def layer_name(layer: int, n_layers: int) -> str:
    """`embeddings`, `after layer 1 of 2`."""
    return f"after layer {layer} of {n_layers}" if layer else "embeddings"


def axis_names(n_layers: int) -> list[str]:
    """The names of all layers on an axis."""
    return ["embeddings", *(f"layer {layer}" for layer in range(1, n_layers + 1))]


def read_request(row: SentenceRow, view: str, own_side: str) -> StatesRequest:
    """Draw the controls and read them. `own_side` is the stack that the view is about; empty: the visitor chooses."""
    best, facts, text, _ = row
    run, strategy, target, states = _target(best, text)
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls layer"):
        side = own_side or STATE.segments("side", "Stack", {name: name for name in SIDES})
        layer = _layer(states.side(side).n_layers, side)
        has_second = view == "map"
        second, second_states = _second(run, facts, text, strategy) if has_second else ("", None)
    STATE.belongs_to("sentence", run.key, text, target.text)
    return StatesRequest(
        run, text, target.text, target.given, states, layer, view, side, second, second_states
    )


def fill_first_sentence() -> None:
    """If neither link nor session has a sentence, begin with one whose word has two senses."""
    source = source_as_it_is(cached.open_run(st.session_state["run"]))
    if source in BANK_PREFIXES and "src" not in st.session_state and "src" not in st.query_params:
        st.session_state["src"] = BANK_PREFIXES[source] + TWO_BANKS[0]


def _target(best: Run, text: str) -> tuple[Run, str, ForcedText, States]:
    """The run at its checkpoint, the strategy, the target, and the states of both texts."""
    with st.container(key="controls target"):
        more = st.expander("Checkpoint, and what the model writes", icon=":material/tune:")
    with more, st.container(horizontal=True, vertical_alignment="bottom"):
        run = kit_target.checkpoint(best)
        strategy = STATE.choice(
            "strategy", "Decoded by", {name: name for name in STRATEGIES}, width=170
        )
        own = cached.decoded(run, text, strategy, {})
        wanted = kit_target.target_box(run, text, own.text)
    target, states = kit_target.with_fallback(wanted, own, partial(cached_states.states, run, text))
    if wanted and target.text == wanted:
        unknown = sentence.unknown_in_target(run, wanted, "in it")
        st.caption(f"Forced target: *{plain(shortened(wanted, 120))}*. {unknown}")
    return run, strategy, target, states


def _layer(n_layers: int, side: str) -> int:
    """From 0, the embeddings; the last layer unless chosen. Bound to the address."""
    options = [str(layer) for layer in range(n_layers + 1)]
    given = st.query_params.get_all("layer")
    if given and given[-1] not in options:
        pickers.notify(
            f"The link asked for layer {shortened(given[-1])}; the {side} has {n_layers}, with 0 for the embeddings,"
            f" and layer {n_layers} is shown instead.",
            pickers.LAYERS_AND_HEADS,
        )
    current = st.session_state.get("layer")
    if current is not None and current not in options:  # of another page, or of a deeper stack
        del st.session_state["layer"]
    if len(options) <= pickers.MAX_SEGMENTS:
        chosen = st.segmented_control(
            "Layer",
            options,
            default=options[-1],
            required=True,
            key="layer",
            bind="query-params",
            help=LAYER_HELP,
        )
    else:
        chosen = st.selectbox(
            "Layer",
            options,
            index=n_layers,
            key="layer",
            bind="query-params",
            help=LAYER_HELP,
            width=110,
        )
    return int(chosen or n_layers)


def _second(run: Run, facts: RunVocabulary, text: str, strategy: str) -> tuple[str, States | None]:
    """A sentence to compare with, and its states; unless one is typed, one that shares a word with the first."""
    default = partner(run, text)
    typed = STATE.text(
        "second",
        "Second sentence",
        placeholder=default,
        icon=":material/compare_arrows:",
        help="To compare the same word in two sentences. Empty: a sentence that shares a word with the first.",
    )
    given = " ".join(printable(typed).split())[: sentence.MAX_CHARACTERS]
    STATE.remember(second=given)
    second = given or default
    if not second:
        return "", None
    sentence.other_source(run, facts, second, "In the second sentence")
    try:
        own = cached.decoded(run, second, strategy, {})
        targets = [forced(own.text, own)]
        _, states, _ = first_fitting(targets, partial(cached_states.states, run, second))
    except UserError as error:
        pickers.notify(f"The second sentence cannot be read: {error}")
        return "", None
    return second, states
