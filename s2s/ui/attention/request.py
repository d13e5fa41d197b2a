"""What the Attention page looks at: sentence, what is written, which weights and how they are put together.

What no other key of the address holds travels in `set`; a view reads it by `value` and writes it by `remember`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st

from s2s.analysis import REDUCTIONS, Attention, AttentionMap, HeadSelection, LabeledWeights, reduced
from s2s.runs import Run
from s2s.ui.attention import tidy, values
from s2s.ui.attention.values import FIRST_VIEW, OWN, remember, value
from s2s.ui.kit import address, cached, pickers, sentence, vocabulary
from s2s.ui.kit import target as kit_target
from s2s.ui.kit.text import plain

__all__ = ["OWN", "Asked", "ask", "choose", "remember", "value", "view_picker"]

VIEW = "look view"
REDUCE = "look reduce"
USUAL = "mean"


@dataclass(frozen=True)
class Asked:
    """What the page shows. `reduced` is the picture of all tokens, `shown` the one that is drawn: tidied, as `note` says."""

    run: Run
    text: str
    target: str
    seen: Attention
    which: HeadSelection
    reduction: str  # a row of REDUCTIONS
    reduced: AttentionMap
    shown: AttentionMap
    note: str

    @property
    def view(self) -> LabeledWeights:
        """All heads of this kind."""
        return self.seen.view(self.which.kind)

    def pictured(self, which: HeadSelection) -> AttentionMap:
        """Other heads, reduced and tidied as what is shown."""
        return tidy.tidied(self.run, which.kind, reduced(self.seen, which, self.reduction))[0]


def ask() -> Asked | None:
    """The widgets, filled from the address where it says something new. None where there is nothing to show yet, which is said."""
    if values.arrived():
        st.session_state[VIEW] = value("view") or FIRST_VIEW
    best = cached.open_run(st.session_state["run"])
    facts = vocabulary.of(best)
    with st.container():
        text = sentence.sentence_box(facts)
        sentence.unknown_words(best, facts, text)
    sentence.example_chips(facts)
    if not text:
        st.info(
            "Type a sentence above, or press an example: its attention appears here.",
            icon=":material/edit:",
        )
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        run = kit_target.checkpoint(best)
        strategy = kit_target.strategy_picker(
            value("strategy") or kit_target.DEFAULT_STRATEGY, OWN + "strategy"
        )
        remember(strategy=strategy)
        wanted = kit_target.target_box(run, text, strategy)
    target, seen = kit_target.with_fallback(
        wanted, cached.decoded(run, text, strategy, {}).text, partial(cached.attention, run, text)
    )
    values.forget_of_others((run.folder.id, run.step, text, target))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        which, reduction = _which(seen)
        tidy.switches()
    row = REDUCTIONS[reduction]
    st.caption(f"{plain(row.about)} ({row.source})")
    picture = reduced(seen, which, reduction)
    shown, note = tidy.tidied(run, which.kind, picture)
    return Asked(run, text, target, seen, which, reduction, picture, shown, note)


def view_picker(labels: Mapping[str, str]) -> str:
    """HeadSelection of the views is shown."""
    if st.session_state.setdefault(VIEW, value("view") or FIRST_VIEW) not in labels:
        pickers.notify(
            f"There is no view {str(st.session_state[VIEW])[:40]} of attention; {labels[FIRST_VIEW]} is shown instead."
        )
        st.session_state[VIEW] = FIRST_VIEW
    chosen = st.segmented_control(
        "LabeledWeights",
        list(labels),
        format_func=labels.__getitem__,
        required=True,
        key=VIEW,
        persist_state="session",
        label_visibility="collapsed",
    )
    remember(view=chosen or FIRST_VIEW)
    return chosen or FIRST_VIEW


def choose(layer: int | None, head: int | None) -> None:
    """Another layer and head, 0-based, when the page is next drawn: for callbacks."""
    for key, index in (("layer", layer), ("head", head)):
        st.session_state[key] = pickers.MEAN if index is None else str(index + 1)


def _which(seen: Attention) -> tuple[HeadSelection, str]:
    kind = pickers.kind_picker()
    view = seen.view(kind)
    layer = pickers.layer_picker(view, mean=True)
    head = pickers.head_picker(view)
    return HeadSelection(kind, layer, head), _reduction(kind)


def _reduction(kind: str) -> str:
    """How what is not chosen is put together; the address holds it as `reduce`."""
    options = {slug: row.label for slug, row in REDUCTIONS.items() if kind in row.kinds}
    if (said := address.arrived("reduce")) is not None:
        st.session_state[REDUCE] = said or USUAL
    wanted = st.session_state.setdefault(REDUCE, USUAL)
    if wanted not in options:
        pickers.notify(
            f"There is no reduction {str(wanted)[:40]} of {kind} attention; {options[USUAL].lower()} are shown instead."
        )
        st.session_state[REDUCE] = USUAL
    chosen = st.selectbox(
        "Shown as",
        list(options),
        format_func=options.__getitem__,
        key=REDUCE,
        persist_state="session",
        width=210,
    )
    address.hold("reduce", chosen or USUAL, USUAL)
    return chosen or USUAL
