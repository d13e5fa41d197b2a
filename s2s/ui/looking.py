"""What the Attention page looks at: sentence, what is written, which weights and how they are put together; and the address of all that.

What no other key of the address holds travels in `set`; a view reads it by `value` and writes it by `remember`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from s2s import share
from s2s.analysis import REDUCTIONS, Attention, Picture, View, Which, reduced
from s2s.runs import Run
from s2s.ui import address, attention_tidy, cached, forced, known, pickers, sentence

VIEW, REDUCE = "look view", "look reduce"
FIRST_VIEW, USUAL = "map", "mean"
OWN = "look own "  # how the keys of the views' widgets begin: a link that arrives empties them, so that they take what it says
SAID = "look said"  # the values of `set` in this session
OF_SENTENCE = ("from", "at", "to")  # places in one sentence, which mean nothing in another
OF_PAGE = ("strategy", "view", "words", "drop", "share", "scale", "heads", "links", "alone", "switched")
USUALLY = {"strategy": forced.USUAL, "view": FIRST_VIEW}


@dataclass(frozen=True)
class Asked:
    """What the page shows. `reduced` is the picture of all tokens, `shown` the one that is drawn: tidied, as `note` says."""

    run: Run
    text: str
    target: str
    seen: Attention
    which: Which
    reduction: str  # a row of REDUCTIONS
    reduced: Picture
    shown: Picture
    note: str

    @property
    def view(self) -> View:
        """All heads of this kind."""
        return self.seen.view(self.which.kind)


def ask() -> Asked | None:
    """The widgets, filled from the address where it says something new. None where there is nothing to show yet, which is said."""
    if (given := address.arrived("set")) is not None:
        _fill(share.unpack(given))
    best = cached.open_run(st.session_state["run"])
    facts = known.of(best)
    with st.container():
        text = sentence.sentence_box(facts)
        sentence.unknown_words(best, facts, text)
    sentence.chips(facts)
    if not text:
        st.info("Type a sentence above, or press an example: its attention appears here.", icon=":material/edit:")
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        run = forced.checkpoint(best)
        strategy = forced.writer(value("strategy") or forced.USUAL, OWN + "strategy")
        remember(strategy=strategy)
        target = forced.target(run, text, strategy)
    _forget_of_others((run.folder.id, run.step, text, target))
    seen = cached.attention(run, text, target)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        which, reduction = _which(seen)
    picture = reduced(seen, which, reduction)
    shown, note = attention_tidy.tidied(picture)
    return Asked(run, text, target, seen, which, reduction, picture, shown, note)


def view_picker(labels: Mapping[str, str]) -> str:
    """Which of the views is shown."""
    if st.session_state.setdefault(VIEW, value("view") or FIRST_VIEW) not in labels:
        pickers.say(f"There is no view {str(st.session_state[VIEW])[:40]} of attention; {labels[FIRST_VIEW]} is shown instead.")
        st.session_state[VIEW] = FIRST_VIEW
    chosen = st.segmented_control(
        "View", list(labels), format_func=labels.__getitem__, required=True, key=VIEW, persist_state="session", label_visibility="collapsed"
    )
    remember(view=chosen or FIRST_VIEW)
    return chosen or FIRST_VIEW


def value(name: str) -> str:
    """What a view keeps under one of its names; empty where it is as usual."""
    _check(name)
    return _held().get(name, "")


def remember(**values: str) -> None:
    """Keep a view's own values in the session and in the address; an empty one is dropped. Callbacks may call it, too."""
    for name in values:
        _check(name)
    usual = {name: "" if text == USUALLY.get(name) else text for name, text in values.items()}
    st.session_state[SAID] = {name: text for name, text in ({**_held(), **usual}).items() if text}
    _hold()


def choose(layer: int | None, head: int | None) -> None:
    """Another layer and head, 0-based, when the page is next drawn: for callbacks."""
    for key, index in (("layer", layer), ("head", head)):
        st.session_state[key] = pickers.MEAN if index is None else str(index + 1)


def _which(seen: Attention) -> tuple[Which, str]:
    kind = pickers.kind_picker()
    view = seen.view(kind)
    layer, head = pickers.layer_picker(view, mean=True), pickers.head_picker(view)
    return Which(kind, layer, head), _reduction(kind)


def _reduction(kind: str) -> str:
    """How what is not chosen is put together; the address holds it as `reduce`."""
    options = {slug: row.label for slug, row in REDUCTIONS.items() if kind in row.kinds}
    if (said := address.arrived("reduce")) is not None:
        st.session_state[REDUCE] = said or USUAL
    wanted = st.session_state.setdefault(REDUCE, USUAL)
    if wanted not in options:
        pickers.say(f"There is no reduction {str(wanted)[:40]} of {kind} attention; {options[USUAL].lower()} are shown instead.")
        st.session_state[REDUCE] = USUAL
    chosen = st.selectbox("Shown as", list(options), format_func=options.__getitem__, key=REDUCE, persist_state="session", width=210)
    address.hold("reduce", chosen or USUAL, USUAL)
    return chosen or USUAL


def _check(name: str) -> None:
    if name not in (*OF_SENTENCE, *OF_PAGE):
        raise ValueError(f"no view of attention keeps `{name}`; add it to OF_PAGE or OF_SENTENCE")


def _held() -> dict[str, str]:
    held: dict[str, str] = st.session_state.setdefault(SAID, {})
    return held


def _hold() -> None:
    address.hold("set", share.pack({**USUALLY, **_held()}), share.pack(USUALLY))


def _forget_of_others(meant: tuple[object, ...]) -> None:
    if st.session_state.get("look of", meant) != meant:
        st.session_state[SAID] = {name: text for name, text in _held().items() if name not in OF_SENTENCE}
        for name in OF_SENTENCE:
            st.session_state.pop(OWN + name, None)
    st.session_state["look of"] = meant


def _fill(said: Mapping[str, str]) -> None:
    """Take what a link says; the widgets are filled from it when they are next drawn."""
    st.session_state[SAID] = {name: said[name] for name in (*OF_SENTENCE, *OF_PAGE) if said.get(name) not in (None, "", USUALLY.get(name))}
    st.session_state[VIEW] = said.get("view", FIRST_VIEW)
    st.session_state.pop("look of", None)
    for name in (*OF_SENTENCE, *OF_PAGE):
        st.session_state.pop(OWN + name, None)
