"""What the columns of Compare are measured by: a reference if one is given, and the text that differences are marked against."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from s2s import share
from s2s.ui.compare import columns
from s2s.ui.kit import address, pickers
from s2s.ui.kit.sentence import MAX_CHARACTERS

REFERENCE = "reference"
NOTHING = "nothing"
BOX = "against box"
ELSEWHERE = "step"  # which no address of Compare has: on the way to Attention the browser's history gets one with this and a forced `tgt`


@dataclass(frozen=True)
class Basis:
    """`against` is REFERENCE, NOTHING, or a column's number."""

    reference: str
    against: str

    @property
    def name(self) -> str:
        """As a sentence says it."""
        return _name(self.against)


def ask(text: str, n_columns: int) -> Basis:
    """The widgets: what a right translation would be, and against what differences are marked."""
    reference = _reference(text)
    options = [*([REFERENCE] if reference else []), *(str(n + 1) for n in range(n_columns))]
    return Basis(reference, _against(options, is_alone=n_columns == 1))


def _reference(text: str) -> str:
    """A right translation of this sentence, as somebody types it; the address holds it as `tgt`."""
    said = address.arrived("tgt")
    if said is not None and ELSEWHERE not in st.query_params:
        st.session_state["reference"] = said
    elif st.session_state.get("reference of", text) != text:  # it belongs to its sentence
        st.session_state["reference"] = ""
    st.session_state["reference of"] = text
    typed = st.text_input(
        "Reference (optional)",
        key="reference",
        persist_state="session",
        placeholder="A right translation, if you know one",
        help="What a person would write. With it, chrF and BLEU say how near each column comes, and differences are marked against it.",
        icon=":material/fact_check:",
        width=330,
    )
    reference = " ".join(share.printable(typed or "").split())[:MAX_CHARACTERS]
    address.hold("tgt", reference)
    return reference


def _against(options: list[str], *, is_alone: bool) -> str:
    """The choice, where there is one: the reference if there is one, else column 1, unless somebody says otherwise."""
    if (said := address.arrived("set")) is not None:
        st.session_state[columns.AGAINST] = share.unpack(said).get(columns.AGAINST, "")
    wanted = str(st.session_state.get(columns.AGAINST, ""))
    usual = options[0]
    if wanted and wanted not in (*options, NOTHING):
        if wanted != REFERENCE:
            pickers.notify(
                f"There is no column {wanted[:20]} to mark differences against; {_name(usual)} takes its place."
            )
        wanted = st.session_state[columns.AGAINST] = ""
    address.hold("set", share.pack({columns.AGAINST: wanted}) if wanted else "")
    if is_alone and usual != REFERENCE:
        return NOTHING
    st.session_state[BOX] = wanted or usual
    label = "Mark differences against"
    st.selectbox(
        label,
        [*options, NOTHING],
        format_func=_name,
        key=BOX,
        on_change=_choose,
        args=(usual,),
        width=220,
    )
    return wanted or usual


def _choose(usual: str) -> None:
    chosen = st.session_state[BOX]
    st.session_state[columns.AGAINST] = "" if chosen == usual else chosen


def _name(against: str) -> str:
    return {REFERENCE: "the reference", NOTHING: "nothing"}.get(against, f"column {against}")


def legend(basis: Basis) -> None:
    """How differences look."""
    said = f"Against {basis.name}: <ins>underlined</ins> words stand only in the column, <del>struck out</del> ones only in {basis.name}."
    st.html(f'<p class="legend"><small>{said}</small></p>')
