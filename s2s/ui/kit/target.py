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
from s2s.ui.kit.sentence import MAX_CHARACTERS

DEFAULT_STRATEGY = "beam"
Seen = TypeVar("Seen")


def checkpoint(best: Run) -> Run:
    """The run at the chosen checkpoint; the address holds it as `step`."""
    said = address.arrived("step")
    if said is not None:
        st.session_state["step box"] = said
    step = pickers.checkpoint_picker(best, "step box")
    address.hold("step", str(step), str(best.step))
    return best if step == best.step else cached.open_run(best.folder.id, step)


def strategy_picker(strategy: str, key: str) -> str:
    """The strategy, with its usual settings, by which the model's own translation is found."""
    if st.session_state.setdefault(key, strategy) not in STRATEGIES:
        pickers.notify(
            f"There is no strategy {str(st.session_state[key])[:40]}; {DEFAULT_STRATEGY} is shown instead."
        )
        st.session_state[key] = DEFAULT_STRATEGY
    chosen = st.selectbox(
        "Decoded by", list(STRATEGIES), key=key, persist_state="session", width=170
    )
    return chosen or DEFAULT_STRATEGY


def target_box(run: Run, text: str, strategy: str) -> str:
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
    forced = printable(typed or "").strip()[:MAX_CHARACTERS] or own
    address.hold("tgt", forced, own)
    return forced


def with_fallback(wanted: str, own: str, look: Callable[[str], Seen]) -> tuple[str, Seen]:
    """What is written, and what `look` sees meanwhile; where the model cannot write what somebody wants, what comes next to it."""
    target_box, seen, wrong = first_fitting((wanted, own), look)
    if wrong:
        shown = "The model's own translation is" if target_box else "The first step alone is"
        pickers.notify(f"The target cannot be forced: {wrong} {shown} shown instead.")
    return target_box, seen


def first_fitting(targets: Sequence[str], look: Callable[[str], Seen]) -> tuple[str, Seen, str]:
    """The first of these targets that the model has positions for, or an empty one; and what is wrong with those before it."""
    wrong = ""
    for target_box in targets:
        try:
            return target_box, look(target_box), wrong
        except UserError as error:
            wrong = wrong or str(error)
    return "", look(""), wrong
