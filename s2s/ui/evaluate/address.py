"""What the address of Evaluate holds: the form, or the evaluation that is shown."""

from __future__ import annotations

import streamlit as st

from s2s import share
from s2s.config import UserError
from s2s.runs import evaluations
from s2s.ui.evaluate import form as evaluate_form
from s2s.ui.kit import address, pickers

KEY = "evaluation"


def read_from_url(run_id: str) -> str:
    """The id of the evaluation to show, or empty, after taking over what a new address says."""
    linked = address.read("set")
    if linked is not None:
        given = share.unpack(linked)
        st.session_state[KEY] = given.pop(KEY, "")
        st.session_state["evaluation for"] = run_id
        if given:
            evaluate_form.fill(run_id, given)
    shown = str(st.session_state.get(KEY) or "")
    if shown and not _is_there(shown):
        pickers.notify(f"There is no evaluation {shown[:40]} here (any more).")
        shown = ""
    if shown and st.session_state.get("evaluation for") != run_id and not _is_of(shown, run_id):
        shown = ""
    st.session_state[KEY], st.session_state["evaluation for"] = shown, run_id
    return shown


def write_to_url(run_id: str, shown: str, form: str) -> None:
    """Write the id of the shown evaluation to the address, so that a link opens exactly that; else the form."""
    if shown:
        address.write("set", share.pack({KEY: shown}))
    else:
        address.write("set", form, evaluate_form.default(run_id))


def _is_there(evaluation: str) -> bool:
    return (
        bool(evaluations.ID.fullmatch(evaluation))
        and (evaluations.evaluations_folder() / evaluation / "evaluation.json").is_file()
    )


def _is_of(evaluation: str, run_id: str) -> bool:
    try:
        found = evaluations.folder(evaluation).evaluation()
    except UserError:  # its panel shows the error
        return True
    return run_id == found.run or any(run_id == system.run for system in found.systems)
