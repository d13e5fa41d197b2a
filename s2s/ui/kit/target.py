"""The target that the model is forced to produce while a page looks inside it: its own translation, or a typed one."""

from __future__ import annotations

import streamlit as st

from s2s.config import nfc
from s2s.links.share import printable
from s2s.questions import Translate
from s2s.runs import Run, RunKey
from s2s.ui.kit import address, cached, pickers
from s2s.ui.kit.sentence import MAX_CHARACTERS, text_in_box


def checkpoint(best: Run) -> Run:
    """Draw the checkpoint picker; returns the run at the chosen one, which the address holds as `step`."""
    linked = address.read("step")
    if linked is not None:
        st.session_state["step box"] = linked
    step = pickers.checkpoint_picker(best, "step box")
    address.write("step", str(step), str(best.step))
    return best if step == best.step else cached.open_run(best.folder.id, step)


def target_box(run: Run, text: str, own: str) -> str:
    """Draw the target box; returns the target, which the address holds as `tgt`; empty for the model's own
    translation.
    """
    linked = address.read("tgt")
    belongs_to = target_owner(run.key, text)
    if linked is not None:
        st.session_state["tgt box"] = "" if linked == own else linked
    elif st.session_state.get("tgt of", belongs_to) != belongs_to:
        st.session_state["tgt box"] = ""
    st.session_state["tgt of"] = belongs_to
    typed = st.text_input(
        "Target",
        key="tgt box",
        placeholder=own,
        help="What the model is forced to produce, token by token (teacher forcing). Empty: its own translation.",
        persist_state="session",
        icon=":material/edit_note:",
    )
    target = printable(typed or "").strip()[:MAX_CHARACTERS]
    if nfc(target) == nfc(own):
        target = ""
    address.write("tgt", target or own, own)
    return target


def is_forced(best: Run, text: str, strategy: str) -> bool:
    """Whether a new link or the target box has a target other than the model's own translation."""
    if linked := address.fresh("tgt"):
        own = Translate(cached.named(best), text, strategy)
        return nfc(linked) != nfc(cached.SCREEN.answer(own).text)
    if linked is not None:
        return False
    is_of_it = st.session_state.get("tgt of") == target_owner(best.key, text)
    return is_of_it and bool(st.session_state.get("tgt box"))


def target_owner(key: RunKey, text: str) -> object:
    """What a typed target belongs to (`ViewState.belongs_to`): at another checkpoint, it stays."""
    return key.folder, key.languages, text


def show_pair(key: RunKey, source: str, target: str) -> None:
    """Force this target for this source when the page is next drawn: for buttons."""
    st.session_state["src"] = source
    st.session_state["tgt box"] = target
    st.session_state["tgt of"] = target_owner(key, text_in_box())


def note_unfitting(error: str, shown: str) -> None:
    """Say why a target cannot be forced, if it can't, and which text is shown instead."""
    if error:
        instead = "The model's own translation is" if shown else "Only the first step is"
        pickers.notify(f"The target cannot be forced: {error} {instead} shown instead.")
