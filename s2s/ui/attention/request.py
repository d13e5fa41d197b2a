"""What Attention shows: a sentence, its target, the selected heads and how their weights are reduced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st

from s2s.analysis import (
    REDUCTIONS,
    Attention,
    AttentionMap,
    HeadSelection,
    LabeledWeights,
    reduced,
)
from s2s.decode import STRATEGIES
from s2s.runs import Run, Target
from s2s.runs.properties import Decoding
from s2s.ui.attention import simplify
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import FindOne, address, cached, pickers, plain, sentence, vocabulary
from s2s.ui.kit import target as kit_target

REDUCE = "attention reduce"
DEFAULT_REDUCTION = "mean"


@dataclass(frozen=True)
class AttentionRequest:
    """What the page shows."""

    run: Run
    text: str
    target: str
    forced: Target  # the model's own ids where it is its output
    attention: Attention
    which: HeadSelection
    reduction: str  # a row of REDUCTIONS
    reduced: AttentionMap  # all tokens
    shown: AttentionMap  # what is drawn: simplified, as `note` says
    note: str

    @property
    def view(self) -> LabeledWeights:
        """All heads of the selected kind."""
        return self.attention.view(self.which.kind)

    def map_of(self, which: HeadSelection) -> AttentionMap:
        """Other heads, reduced and simplified like `shown`."""
        picture = reduced(self.attention, which, self.reduction)
        return simplify.simplified(self.run, which.kind, picture)[0]


def read_request() -> AttentionRequest | None:
    """Draw the controls and read them. None, and a hint on the page, where there is no sentence yet."""
    FIND_ONE.take_found()
    STATE.from_url()
    best = cached.open_run(st.session_state["run"])
    facts = vocabulary.of(best)
    with st.container():
        text = sentence.sentence_box(facts)
        sentence.unknown_words(best, facts, text)
    sentence.example_chips(facts, FIND_ONE.button)
    found = st.container()
    if not text:
        with found:
            FIND_ONE.show(best, text, Decoding(kit_target.DEFAULT_STRATEGY))
        st.info(
            "Type a sentence above, or press an example: its attention appears here.",
            icon=":material/edit:",
        )
        return None
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls target"):
        run = kit_target.checkpoint(best)
        strategy = STATE.choice(
            "strategy", "Decoded by", {name: name for name in STRATEGIES}, width=170
        )
        with found:
            FIND_ONE.show(run, text, Decoding(strategy))
        wanted = kit_target.target_box(run, text, strategy)
    own = cached.decoded(run, text, strategy, {})
    target, attention = kit_target.with_fallback(wanted, own, partial(cached.attention, run, text))
    STATE.belongs_to("sentence", run.key, text, target)
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls picture"):
        which = _selection(attention)
        reduction = _reduction(which.kind)
        simplify.switches()
    row = REDUCTIONS[reduction]
    with st.container(key="controls caption"):
        about = row.description(which, *attention.view(which.kind).weights.shape[:2])
        st.caption(f"{plain(about)} ({row.source})")
    picture = reduced(attention, which, reduction)
    shown, note = simplify.simplified(run, which.kind, picture)
    return AttentionRequest(
        run, text, target.text, target.given, attention, which, reduction, picture, shown, note
    )


def view_picker(labels: Mapping[str, str]) -> str:
    """The slug of the view to show."""
    return STATE.segments("view", "View", labels, label_visibility="collapsed")


def select(layer: int | None, head: int | None) -> None:
    """Show another layer and head, 0-based, when the page is next drawn: for callbacks."""
    for key, index in (("layer", layer), ("head", head)):
        st.session_state[key] = pickers.MEAN if index is None else str(index + 1)


def _show_head(kind: str, layer: int, head: int) -> None:
    st.session_state["kind"] = kind
    select(layer, head)


FIND_ONE = FindOne(STATE, ("sink", "agreement_across_clause", "unknown_word"), _show_head)


def _selection(attention: Attention) -> HeadSelection:
    kind = pickers.kind_picker()
    view = attention.view(kind)
    layer = pickers.layer_picker(view, mean=True)
    return HeadSelection(kind, layer, pickers.head_picker(view))


def _reduction(kind: str) -> str:
    """A row of REDUCTIONS; the address holds it as `reduce`."""
    options = {slug: row.label for slug, row in REDUCTIONS.items() if kind in row.kinds}
    if (given := address.read("reduce")) is not None:
        st.session_state[REDUCE] = given or DEFAULT_REDUCTION
    current = st.session_state.setdefault(REDUCE, DEFAULT_REDUCTION)
    if current not in options:
        default = options[DEFAULT_REDUCTION].lower()
        pickers.notify(
            f"There is no reduction {str(current)[:40]} of {kind} attention; {default} are shown instead."
        )
        st.session_state[REDUCE] = DEFAULT_REDUCTION
    chosen = st.selectbox(
        "Shown as",
        list(options),
        format_func=options.__getitem__,
        key=REDUCE,
        persist_state="session",
        width=210,
    )
    address.write("reduce", chosen or DEFAULT_REDUCTION, DEFAULT_REDUCTION)
    return chosen or DEFAULT_REDUCTION
