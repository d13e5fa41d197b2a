"""Where Home leads: to what can be done next, and to eight views of the models that ship."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from s2s.links.share import greedy_and_beam
from s2s.ui.shell import page_link


class ShippedView(NamedTuple):
    """A page's address and its values, with what there is to see."""

    title: str
    page: str
    values: Mapping[str, str]


def _view(title: str, page: str, **values: str) -> ShippedView:
    return ShippedView(title, page, MappingProxyType(values))


FRENCH = "demo-en-fr"
SENTENCE = "the red house that the cats see is old"
SHIPPED_VIEWS = (
    _view(
        "Cross-attention crosses where French puts the adjective after the noun",
        "attention",
        run=FRENCH,
        src=SENTENCE,
        kind="cross",
        layer="1",
        head="3",
    ),
    _view(
        "One everyday sentence translated by greedy search, beam search and sampling",
        "compare",
        src="Tom said that he was too tired to walk home.",
        c1="demo-en-de!greedy!",
        c2="demo-en-de!beam!",
        c3="demo-en-de!sample!seed:1",
    ),
    _view(
        "The search tree of a beam of three: what is kept, and what is pruned",
        "steps",
        run=FRENCH,
        src="the red house",
        set="strategy:beam,num_beams:3,view:tree",
    ),
    _view(
        "The loss without each attention head, over 200 sentences",
        "heads",
        run=FRENCH,
        set="view:importance",
    ),
    _view(
        "The states of *bank* by the river and for money, layer by layer",
        "states",
        run=FRENCH,
        src="the bank is by the river",
        set="view:same,second:I need to bank the money,word:2,word2:4",
    ),
    _view(
        "Attention scores computed step by step, with shapes and formulas",
        "walkthrough",
        run=FRENCH,
        src="the red house",
        layer="2",
        head="3",
        set="step:scores,position:2",
    ),
    _view(
        "Six positional encodings beyond the trained length",
        "positions",
        run=FRENCH,
        set="view:longer",
    ),
    _view(
        "Nine known mistakes in the code of a transformer, each with its symptom",
        "lessons",
        set="view:faults",
    ),
)


def shipped_views() -> None:
    """A plain list of links."""
    with st.container(key="views", gap="small"):
        st.subheader("Views to open", anchor=False)
        for view in SHIPPED_VIEWS:
            page_link(view.page, view.title, **view.values)


def doors(run_id: str, sentence: str) -> None:
    """Links to what can be done next, in one row where it fits."""
    with st.container(key="doors", horizontal=True, gap="medium"):
        page_link("lessons", "Learn in short lessons")
        page_link("data", "Use your own data")
        page_link("train", "Train your own model")
        page_link("runs", "Open a published model", set="tab:open-a-model")
        page_link("compare", "Compare decoding strategies", src=sentence, **greedy_and_beam(run_id))
