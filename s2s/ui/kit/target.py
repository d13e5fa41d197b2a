"""What the model is made to write while one looks inside it: its own translation, or a text one types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

from s2s.config import UserError
from s2s.decode import STRATEGIES
from s2s.runs import Run
from s2s.share import printable
from s2s.ui.kit import address, cached, pickers
from s2s.ui.kit.sentence import MOST_CHARACTERS

USUAL = "beam"
Seen = TypeVar("Seen")


def checkpoint(best: Run) -> Run:
    """The run at the chosen checkpoint; the address holds it as `step`."""
    said = address.arrived("step")
    if said is not None:
        st.session_state["step box"] = said
    step = pickers.checkpoint_picker(best, "step box")
    address.hold("step", str(step), str(best.step))
    return best if step == best.step else cached.open_run(best.folder.id, step)


def writer(strategy: str, key: str) -> str:
    """The strategy, with its usual settings, by which the model's own translation is found."""
    if st.session_state.setdefault(key, strategy) not in STRATEGIES:
        pickers.say(
            f"There is no strategy {str(st.session_state[key])[:40]}; {USUAL} is shown instead."
        )
        st.session_state[key] = USUAL
    chosen = st.selectbox(
        "Decoded by", list(STRATEGIES), key=key, persist_state="session", width=170
    )
    return chosen or USUAL


def target(run: Run, text: str, strategy: str) -> str:
    """What is being written; the address holds it as `tgt` unless it is the model's own translation."""
    own = cached.decoded(run, text, strategy, {}).text
    said = address.arrived("tgt")
    meant = (run.folder.id, text)
    if said is not None:
        st.session_state["tgt box"] = "" if said == own else said
    elif st.session_state.get("tgt of", meant) != meant:  # a text to force belongs to its sentence
        st.session_state["tgt box"] = ""
    st.session_state["tgt of"] = meant
    typed = st.text_input(
        "Target",
        key="tgt box",
        placeholder=own,
        help="What the model is made to write, token by token (teacher forcing). Empty: its own translation.",
        persist_state="session",
        icon=":material/edit_note:",
    )
    forced = printable(typed or "").strip()[:MOST_CHARACTERS] or own
    address.hold("tgt", forced, own)
    return forced


def looked(wanted: str, own: str, look: Callable[[str], Seen]) -> tuple[str, Seen]:
    """What is written, and what `look` sees meanwhile; where the model cannot write what somebody wants, what comes next to it."""
    target, seen, wrong = first_fitting((wanted, own), look)
    if wrong:
        shown = "The model's own translation is" if target else "The first step alone is"
        pickers.say(f"The target cannot be forced: {wrong} {shown} shown instead.")
    return target, seen


def first_fitting(targets: Sequence[str], look: Callable[[str], Seen]) -> tuple[str, Seen, str]:
    """The first of these targets that the model has positions for, or an empty one; and what is wrong with those before it."""
    wrong = ""
    for target in targets:
        try:
            return target, look(target), wrong
        except UserError as error:
            wrong = wrong or str(error)
    return "", look(""), wrong
