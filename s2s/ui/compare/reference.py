"""What the rows of Compare are compared with: a reference, and the text against which differences are marked."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from s2s.links import share
from s2s.questions import NOTHING, REFERENCE, source_as_it_is
from s2s.runs import Run
from s2s.ui.compare.view_state import STATE
from s2s.ui.kit import address, pickers
from s2s.ui.kit.sentence import MAX_CHARACTERS

BOX = "against box"
# Never in Compare's address: on the way to Attention or Steps, the browser's history gets one with it, and with a `tgt`
# and a `set` of that page.
OTHER_PAGE_KEY = "step"


class Comparison(NamedTuple):
    """The reference (may be empty), and `against`: REFERENCE, NOTHING, a row's number, or empty for the default."""

    reference: str
    against: str


def controls(run: Run, text: str, n_rows: int) -> Comparison:
    """Draw the widgets for a reference translation, and for what differences are marked against. `run` is the
    page's.
    """
    reference = _reference(run, text)
    options = [*([REFERENCE] if reference else []), *(str(n + 1) for n in range(n_rows))]
    return Comparison(reference, _against(options, is_alone=n_rows == 1))


def is_changed() -> dict[str, bool]:
    """For each setting of the comparison, whether it differs from its default, before it is drawn."""
    linked = address.fresh("tgt")
    reference = st.session_state.get("reference") if linked is None else linked
    return {"a reference": bool(reference), "other marks": bool(STATE.value("against"))}


def _reference(run: Run, text: str) -> str:
    owner = (source_as_it_is(run) or run.folder.id, run.key.languages, text)
    linked = None if is_leaving() else address.read("tgt")
    if linked is not None:
        st.session_state["reference"] = linked
    elif st.session_state.get("reference of", owner) != owner:
        st.session_state["reference"] = ""
    st.session_state["reference of"] = owner
    typed = st.text_input(
        "Reference (optional)",
        key="reference",
        persist_state="session",
        placeholder="A correct translation, if you know one",
        help="A human translation. chrF and BLEU compare each row with it, and differences can be marked against it.",
        icon=":material/fact_check:",
    )
    reference = " ".join(share.printable(typed or "").split())[:MAX_CHARACTERS]
    if not is_leaving():
        address.write("tgt", reference)
    return reference


def is_leaving() -> bool:
    """Whether the address already belongs to another page, which a link of this page opens."""
    return OTHER_PAGE_KEY in st.query_params


def _against(options: list[str], *, is_alone: bool) -> str:
    chosen = str(STATE.value("against"))
    default = options[0]
    if chosen and chosen not in (*options, NOTHING):
        if chosen != REFERENCE:
            pickers.notify(
                f"There is no row {chosen[:20]} to mark differences against; {_name(default)} is used instead."
            )
        chosen = ""
    if not is_leaving():
        STATE.remember(against=chosen)
    if is_alone and default != REFERENCE:
        return ""
    st.session_state[BOX] = chosen or default
    st.selectbox(
        STATE.label("against"),
        [*options, NOTHING],
        format_func=_name,
        key=BOX,
        on_change=_choose,
        args=(default,),
    )
    return chosen


def _choose(default: str) -> None:
    chosen = st.session_state[BOX]
    STATE.remember(against="" if chosen == default else chosen)


def _name(against: str) -> str:
    return {REFERENCE: "the reference", NOTHING: "nothing"}.get(against, f"row {against}")
