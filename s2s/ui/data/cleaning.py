"""What is dropped before training: the rules as a row of switches, whose examples are shown, and all flagged pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from s2s.config import Cleaning, DataConfig, settings_of
from s2s.data import LINT_RULES, PROFILE_SECTIONS, LintReport, enabled_rules
from s2s.questions import DatasetProfile
from s2s.ui.data import profiles
from s2s.ui.data.sources import ChosenDataset
from s2s.ui.kit import ViewState, file_name
from s2s.ui.kit.recipe_state import PREFIX

KEY = "rules that drop pairs"
SETTINGS = ("data.clean.repair", "data.clean.max_words", "data.clean.max_ratio")
DROPPING = tuple(rule for rule in LINT_RULES if rule in settings_of(Cleaning))
LIMITS = ("max_words", "max_ratio")  # rules whose setting is a number


def rules(report: LintReport, now: Cleaning) -> None:
    """Draw the rules that match or drop pairs, each with a count; `now` is the current recipe."""
    on = [rule for rule in enabled_rules(now) if rule in DROPPING]
    offered = [rule for rule in DROPPING if rule in on or report.found[rule].n]
    st.session_state[KEY] = on
    st.markdown("Drop:", width="content")
    st.pills(
        "Drop before training",
        offered,
        selection_mode="multi",
        format_func=lambda rule: f"{LINT_RULES[rule].label} ({report.found[rule].n:,})",
        key=KEY,
        on_change=_choose,
        args=({rule: getattr(report, rule) for rule in LIMITS},),
        label_visibility="collapsed",
        wrap=True,
    )


def _choose(limits: Mapping[str, float]) -> None:
    chosen = st.session_state[KEY]
    for rule in DROPPING:
        is_chosen = rule in chosen
        value = (limits[rule] if is_chosen else None) if rule in LIMITS else is_chosen
        st.session_state[f"{PREFIX}data.clean.{rule}"] = value


def choose_examples(state: ViewState[Any], question: DatasetProfile, report: LintReport) -> None:
    """Draw the picker of the rule whose examples are shown."""
    labels = {rule: LINT_RULES[rule].label for rule, each in report.found.items() if each.n}
    state.choice(
        "rule",
        "Examples",
        labels,
        default=question.shown_rule(report),
        widget=st.pills,
        required=True,
    )


def flagged(chosen: ChosenDataset, data: DataConfig) -> None:
    """Draw a menu to download the flagged pairs as a table, which is computed when it is opened."""
    with st.popover("Flagged pairs", icon=":material/download:", on_change="rerun") as box:
        if not box.open:
            return
        st.caption("Every pair that a rule matches, with its line in the file and what is wrong.")
        if found := profiles.section(chosen.profile, "flagged", data):
            name = PROFILE_SECTIONS["flagged"].name("flagged", data)
            first = "" if found["is_whole"] else "first "
            st.download_button(
                f"The {first}{found['n_rows']:,} rows (CSV)",
                (chosen.profile.folder / f"{name}.csv").read_bytes,
                f"{file_name(chosen.name)} flagged.csv",
                "text/csv",
                on_click="ignore",
                icon=":material/download:",
            )
