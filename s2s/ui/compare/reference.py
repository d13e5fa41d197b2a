"""What the columns of Compare are compared with: an optional reference, and the text against which differences are
marked.
"""

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
ATTENTION_KEY = "step"  # never in Compare's address: on the way to Attention, the browser's history gets one with it and a forced `tgt`


@dataclass(frozen=True)
class Comparison:
    """The reference (may be empty), and `against`: REFERENCE, NOTHING, or a column's number."""

    reference: str
    against: str

    @property
    def name(self) -> str:
        """What differences are marked against, in words."""
        return _name(self.against)


def controls(text: str, n_columns: int) -> Comparison:
    """The widgets: a correct translation, and against what differences are marked."""
    reference = _reference(text)
    options = [*([REFERENCE] if reference else []), *(str(n + 1) for n in range(n_columns))]
    return Comparison(reference, _against(options, is_alone=n_columns == 1))


def _reference(text: str) -> str:
    """A correct translation of this sentence, as typed; the address holds it as `tgt`."""
    linked = address.read("tgt")
    if linked is not None and ATTENTION_KEY not in st.query_params:
        st.session_state["reference"] = linked
    elif st.session_state.get("reference of", text) != text:  # a reference belongs to its sentence
        st.session_state["reference"] = ""
    st.session_state["reference of"] = text
    typed = st.text_input(
        "Reference (optional)",
        key="reference",
        persist_state="session",
        placeholder="A correct translation, if you know one",
        help="A human translation. chrF and BLEU compare each column with it, and differences can be marked against it.",
        icon=":material/fact_check:",
        width=330,
    )
    reference = " ".join(share.printable(typed or "").split())[:MAX_CHARACTERS]
    address.write("tgt", reference)
    return reference


def _against(options: list[str], *, is_alone: bool) -> str:
    """The selected text to mark against; by default the reference if there is one, else column 1."""
    if (linked := address.read("set")) is not None:
        st.session_state[columns.AGAINST] = share.unpack(linked).get(columns.AGAINST, "")
    chosen = str(st.session_state.get(columns.AGAINST, ""))
    default = options[0]
    if chosen and chosen not in (*options, NOTHING):
        if chosen != REFERENCE:
            pickers.notify(
                f"There is no column {chosen[:20]} to mark differences against; {_name(default)} is used instead."
            )
        chosen = st.session_state[columns.AGAINST] = ""
    address.write("set", share.pack({columns.AGAINST: chosen}) if chosen else "")
    if is_alone and default != REFERENCE:
        return NOTHING
    st.session_state[BOX] = chosen or default
    st.selectbox(
        "Mark differences against",
        [*options, NOTHING],
        format_func=_name,
        key=BOX,
        on_change=_choose,
        args=(default,),
        width=220,
    )
    return chosen or default


def _choose(default: str) -> None:
    chosen = st.session_state[BOX]
    st.session_state[columns.AGAINST] = "" if chosen == default else chosen


def _name(against: str) -> str:
    return {REFERENCE: "the reference", NOTHING: "nothing"}.get(against, f"column {against}")


def legend(comparison: Comparison) -> None:
    """How differences are marked."""
    text = (
        f"Compared with {comparison.name}: <ins>underlined</ins> words occur only in the column,"
        f" <del>struck out</del> words only in {comparison.name}."
    )
    st.html(f'<p class="legend"><small>{text}</small></p>')
