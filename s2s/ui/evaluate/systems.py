"""The systems of an evaluation: settings of each strategy, a sweep over one of them, and their request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import streamlit as st

from s2s.config import UserError, flat
from s2s.decode import STRATEGIES
from s2s.jobs import EvaluationRequest, evaluation_service
from s2s.questions import evaluation_request as requests
from s2s.runs import System
from s2s.ui.evaluate.view_state import STATE, settings_key
from s2s.ui.kit import cached, forms
from s2s.ui.kit.action_button import Click


def run_name(run_id: str) -> str:
    """What names a run in a question, without a checkpoint; the page's run in the languages that are chosen for it."""
    run = cached.open_run(run_id)
    return cached.named(run).replace(f"@{run.step}", "", 1)


def resolved(systems: Iterable[System]) -> tuple[System, ...]:
    """The systems, with `best` and `last` replaced by the checkpoints of now."""
    asked = {name: wanted for wanted, name in requests.AS_ASKED.items() if name}
    return tuple(
        replace(one, step=requests.models(cached.SCREEN, one.run, asked[one.checkpoint])[0].step)
        if one.checkpoint in asked
        else one
        for one in systems
    )


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
    try:
        best = resolved(request.systems)
        return evaluation_service.submit(replace(request, systems=best))
    except UserError as wrong:
        forms.show_error(wrong)
        return ""


def strategy_settings(
    runs: list[str], strategies: list[str], wrongs: list[UserError]
) -> dict[str, dict[str, Any]]:
    """Draw the settings of each strategy; returns those that differ from their defaults, by strategy."""
    by_strategy: dict[str, dict[str, Any]] = {}
    has_some = any(st.session_state.get(settings_key(name)) for name in strategies)
    with st.expander(
        "Strategy settings", icon=":material/tune:", expanded=has_some, key="strategy settings"
    ):
        st.caption(
            "List settings to override, such as num_beams=10, length_penalty=1.2. Compare explains each setting."
        )
        for name in strategies:
            defaults = ", ".join(
                f"{key}={value}" for key, value in list(flat(STRATEGIES[name].config()).items())[:3]
            )
            text = st.text_input(
                name,
                key=settings_key(name),
                placeholder=f"default: {defaults}",
                persist_state="session",
            )
            try:
                found = [checked(run, name, text or "") for run in runs]
            except UserError as wrong:
                forms.show_error(wrong)
                wrongs.append(wrong)
                continue
            if found and found[0]:
                by_strategy[name] = found[0]
    return by_strategy


def checked(run_id: str, strategy: str, text: str) -> dict[str, Any]:
    """The typed settings. Raises UserError for what the strategy or the run's model does not allow."""
    settings = requests.parse(text)
    cached.open_run(run_id).configured(strategy, settings)
    return settings


def sweep_settings(strategies: list[str], wrongs: list[UserError]) -> dict[str, str]:
    """Draw the fields of a sweep; returns the swept setting and its values as typed, or that there is no sweep."""
    offered = requests.offered_sweeps(strategies)
    options = {requests.NO_SWEEP: requests.NO_SWEEP} | {name: name for name in offered}
    is_open = STATE.value("sweep") in offered
    with st.expander(
        "Sweep a setting", icon=":material/show_chart:", expanded=is_open, key="sweep a setting"
    ):
        st.caption(
            "One strategy at several values of one setting, as a curve: more beams find more probable outputs,"
            " not always better ones."
        )
        chosen = STATE.draw("sweep", options, width=360)
        STATE.belongs_to("sweep", chosen)
        if chosen == requests.NO_SWEEP:
            return {"sweep": requests.NO_SWEEP}
        setting, _, strategy = chosen.partition(" of ")
        label = "Values, separated by spaces"
        text = STATE.text("values", label, default=requests.SWEEP_VALUES[setting], width=360)
        try:
            requests.swept_values(strategy, setting, text)
        except UserError as wrong:
            forms.show_error(wrong)
            wrongs.append(wrong)
            return {"sweep": requests.NO_SWEEP}
        return {"sweep": chosen, "values": text}
