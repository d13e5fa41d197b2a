"""What a click on "Evaluate" or "Translate the file" does."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from s2s.config import UserError
from s2s.jobs import EvaluationRequest, evaluation_service
from s2s.ui.evaluate import systems
from s2s.ui.evaluate.view_state import STATE
from s2s.ui.kit import forms
from s2s.ui.kit.action_button import Click


def carry_out(click: Click, request: EvaluationRequest | None) -> None:
    """Queue the request of a click that waits, once, and open its evaluation; or say why not."""
    if not click.is_waiting:
        return
    started = _queue(request) if request else ""
    click.done()
    if started:
        STATE.remember(evaluation=started)
        st.rerun()


def _queue(request: EvaluationRequest) -> str:
    """Returns the id; says why not and returns nothing."""
    try:
        best = systems.resolved(request.systems)
        return evaluation_service.submit(replace(request, systems=best))
    except UserError as wrong:
        forms.show_error(wrong)
        return ""
