"""What the Attention page keeps in the address beside the keys of its pickers: the one key `set`, and who may write to it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from s2s import share
from s2s.ui.kit import address, target

FIRST_VIEW = "map"
OWN = "look own "  # how the keys of the views' widgets begin: a link that arrives empties them, so that they take what it says
SAID = "look said"  # the values of `set` in this session
OF_SENTENCE = ("from", "at", "to")  # places in one sentence, which mean nothing in another
OF_PAGE = (
    "strategy",
    "view",
    "words",
    "drop",
    "share",
    "scale",
    "heads",
    "links",
    "alone",
    "switched",
    "among",
)
USUALLY = {"strategy": target.DEFAULT_STRATEGY, "view": FIRST_VIEW}


def arrived() -> bool:
    """Take what the address newly says, if it does; the widgets are filled from it when they are next drawn."""
    if (given := address.arrived("set")) is None:
        return False
    said = share.unpack(given)
    st.session_state[SAID] = {
        name: said[name]
        for name in (*OF_SENTENCE, *OF_PAGE)
        if said.get(name) not in (None, "", USUALLY.get(name))
    }
    st.session_state.pop("look of", None)
    for name in (*OF_SENTENCE, *OF_PAGE):
        st.session_state.pop(OWN + name, None)
    return True


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
    address.hold("set", share.pack({**USUALLY, **_held()}), share.pack(USUALLY))


def forget_of_others(meant: tuple[object, ...]) -> None:
    """Drop the places of another sentence than this run, checkpoint, source and target."""
    if st.session_state.get("look of", meant) != meant:
        st.session_state[SAID] = {
            name: text for name, text in _held().items() if name not in OF_SENTENCE
        }
        for name in OF_SENTENCE:
            st.session_state.pop(OWN + name, None)
    st.session_state["look of"] = meant


def _check(name: str) -> None:
    if name not in (*OF_SENTENCE, *OF_PAGE):
        raise ValueError(f"no view of attention keeps `{name}`; add it to OF_PAGE or OF_SENTENCE")


def _held() -> Mapping[str, str]:
    held: Mapping[str, str] = st.session_state.setdefault(SAID, {})
    return held
