"""Pairs that look wrong: one row per rule with its count and a switch, examples, and what the switches would drop."""

from __future__ import annotations

import io
from collections.abc import Collection
from functools import partial

import pandas as pd
import streamlit as st

from s2s.config import Cleaning, settings_of
from s2s.data import LINT_RULES, LintReport, enabled_rules
from s2s.files import csv_writer
from s2s.ui.kit import plain

KEEP = "keep"
SWITCH = 117  # pixels
DROP = "drop"
SWITCHED = tuple(rule for rule in LINT_RULES if rule in settings_of(Cleaning))
LIMITS = ("max_words", "max_ratio")  # rules whose setting is a number; the others' are switches


def panel(report: LintReport, now: Cleaning = Cleaning(), *, key: str = "text") -> Cleaning:  # noqa: B008 (frozen)
    """Returns the rules that are switched on.

    `now` is what this returned last, or what a link has set since. `key` identifies the dataset.
    """
    prefix = f"clean {key} "
    _fill(report, now, prefix)
    effect = st.container()
    st.toggle(
        "Repair text",
        key=f"{prefix}repair",
        help="Before the rules: HTML entities such as &amp; become characters, and text that was decoded in a wrong"
        " encoding (cafÃ©) is mended, by the library ftfy; soft hyphens, zero-width spaces and runs of"
        " spaces go. The counts below are those of the repaired pairs.",
    )
    for rule in LINT_RULES:
        _row(rule, report, prefix)
    cleaning = st.session_state[f"{prefix}now"] = _chosen(prefix)
    effect.info(_effect(report, enabled_rules(cleaning)), icon=":material/filter_alt:")
    _examples(report, prefix)
    st.download_button(
        "Download data (CSV)",
        partial(_table, report, enabled_rules(cleaning)),
        "cleaning.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )
    return cleaning


def several_targets(report: LintReport, *, is_reversed: bool) -> str:
    """How many sources have several targets in the direction that is learned, in a sentence; empty for none."""
    n_sources = report.several_sources if is_reversed else report.several_targets
    if not n_sources:
        return ""
    have = "source has" if n_sources == 1 else "sources have"
    return f"{n_sources:,} {have} several targets. A model is trained on all of them, and greedy search writes one."


def _fill(report: LintReport, now: Cleaning, prefix: str) -> None:
    """Fill the widgets where they are new, or where a link has changed `now`."""
    drops = enabled_rules(now)
    is_new = st.session_state.get(f"{prefix}now") != now
    for rule in SWITCHED:
        if is_new or prefix + rule not in st.session_state:
            st.session_state[prefix + rule] = DROP if rule in drops else KEEP
    if is_new or f"{prefix}repair" not in st.session_state:
        st.session_state[f"{prefix}repair"] = now.repair
    for rule in LIMITS:
        if is_new or f"{prefix}{rule} limit" not in st.session_state:
            counted = getattr(report, rule)
            st.session_state[f"{prefix}{rule} limit"] = type(counted)(getattr(now, rule) or counted)


def _row(rule: str, report: LintReport, prefix: str) -> None:
    row = LINT_RULES[rule]
    n = report.found[rule].n
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{row.label}** · {plain(row.about)}", width="stretch")
        if rule in LIMITS:
            _limit(rule, prefix)
        st.markdown(_count(rule, report), width=140, text_alignment="right")
        if rule in SWITCHED:
            st.segmented_control(
                f"{row.label}: keep or drop these {n:,} pairs",
                [KEEP, DROP],
                required=True,
                key=prefix + rule,
                label_visibility="collapsed",
            )
        else:
            st.caption("repair above", width=SWITCH)


def _limit(rule: str, prefix: str) -> None:
    key = f"{prefix}{rule} limit"
    setting = settings_of(Cleaning)[rule]
    kind = type(st.session_state[key])
    st.number_input(
        f"{LINT_RULES[rule].label}: the limit",
        min_value=kind(setting.low),
        max_value=kind(setting.high),
        key=key,
        width=120,
        label_visibility="collapsed",
        help="While the rule drops pairs, a new limit recounts them.",
    )


def _count(rule: str, report: LintReport) -> str:
    n = report.found[rule].n
    if rule == "overlap" and not report.n_valid:
        return "no validation split"
    return f"**{n:,}**" if n else "none"


def _chosen(prefix: str) -> Cleaning:
    drops = {rule: st.session_state[prefix + rule] == DROP for rule in SWITCHED}
    limits = {
        rule: st.session_state[f"{prefix}{rule} limit"] if drops[rule] else None for rule in LIMITS
    }
    return Cleaning(**{**drops, **limits}, repair=st.session_state[f"{prefix}repair"])


def _effect(report: LintReport, drops: Collection[str]) -> str:
    """`Drops 1,234 of 29,000 pairs (4.3 %), leaves 27,766.`"""
    n = report.dropped(drops)
    if not n:
        return f"Drops nothing: all {report.n_pairs:,} pairs stay."
    percent = 100 * n / report.n_pairs
    share = f"{percent:.1f} %" if percent >= 0.1 else "less than 0.1 %"
    return f"Drops {n:,} of {report.n_pairs:,} pairs ({share}), leaves {report.n_pairs - n:,}."


def _examples(report: LintReport, prefix: str) -> None:
    """Examples of one rule at a time."""
    hit = [rule for rule in LINT_RULES if report.found[rule].n]
    if not hit:
        st.caption("No rule matches any pair.")
        return
    key = f"{prefix}examples"
    if st.session_state.get(key) not in hit:
        st.session_state[key] = hit[0]
    rule = str(
        st.pills(
            "Examples",
            hit,
            format_func=lambda rule: LINT_RULES[rule].label,
            required=True,
            key=key,
        )
        or hit[0]
    )
    examples = report.found[rule].examples
    n = report.found[rule].n
    st.dataframe(
        pd.DataFrame(examples, columns=["line", "source", "target", "what is wrong"]),
        hide_index=True,
        column_order=["line", "what is wrong", "source", "target"],
        column_config={
            name: st.column_config.TextColumn(width="medium")
            for name in ("source", "target", "what is wrong")
        },
        alt=f"{len(examples)} pairs matched by the rule {LINT_RULES[rule].label}, and why",
    )
    st.caption(
        f"{len(examples):,} of {n:,}, spread over the dataset. Lines are those of the file,"
        " counted from 1; long texts are"
        " truncated here."
    )


def _table(report: LintReport, drops: Collection[str]) -> str:
    """CSV, one row per rule: its name in the recipe, how many pairs it matches, their fraction, keep or drop."""
    out = io.StringIO()
    rows = csv_writer(out)
    rows.writerow(["rule", "pairs", "share", "choice"])

    def write(rule: str, n: int, choice: str) -> None:
        rows.writerow([rule, n, n / max(1, report.n_pairs), choice])

    for rule, found in report.found.items():
        write(rule, found.n, DROP if rule in drops else KEEP)
    write("all that are dropped", report.dropped(drops), "")
    return out.getvalue()
