"""What the visitor has stored, what is allowed, and when it expires."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from s2s import hosted as workspaces
from s2s import lessons, settings
from s2s.config import asker
from s2s.data import format_size
from s2s.files import stored
from s2s.hosted import Expiring
from s2s.processes import queue
from s2s.ui.kit import Card, cards
from s2s.ui.shell import keep_button, page_link

EMPTY = "You have stored nothing yet: what you upload, train and evaluate will be listed here."


def contents() -> bool:
    """Draw what the visitor has stored; returns whether there is anything. Raises UserError where the database is
    away.
    """
    workspace = asker.current()
    _used(workspace)
    found = workspaces.expiring(workspace)
    n_lessons = len(lessons.own_lessons())
    if n_lessons:
        own = f"{n_lessons} lesson{'s' * (n_lessons > 1)} of your own"
        page_link("lessons", own, ":material/school:", set="view:own")
    if not found:
        if not n_lessons:
            st.info(EMPTY, icon=":material/inventory_2:")
        return n_lessons > 0
    _table(found)
    if days := settings.expire_days():
        st.caption(
            f"What you have not changed for {days} days is deleted; a run that waits or trains is not."
            " Uploads that you do not save are deleted after a day."
        )
        keep_button()
    return True


def _used(workspace: str) -> None:
    used = stored.usage(workspace)
    allowed = settings.limits()
    minutes = queue.minutes_of_a_day(workspace)
    at_once = sum(job.is_live() for job in queue.jobs(workspace))
    figures = (
        ("Storage", format_size(used.n_bytes), allowed.bytes and format_size(allowed.bytes)),
        ("Sentence pairs", f"{used.rows:,}", allowed.rows and f"{allowed.rows:,}"),
        ("Runs", f"{used.runs:,}", allowed.runs and f"{allowed.runs:,}"),
        ("Evaluations", f"{used.evaluations:,}", None),
        ("Jobs now", f"{at_once:,}", allowed.jobs and f"{allowed.jobs:,}"),
        (
            "Minutes in 24 h",
            f"{minutes:.0f}",
            allowed.daily_minutes and f"{allowed.daily_minutes:,}",
        ),
    )
    cards(
        [Card(label, value, f"of {most}" if most else "no limit") for label, value, most in figures]
    )
    parameters, steps, length = allowed.parameters, allowed.steps, allowed.minutes
    each = [
        *([f"{parameters:,} parameters"] if parameters else []),
        *([f"{steps:,} steps"] if steps else []),
        *([f"{length:,} minutes"] if length else []),
    ]
    if each:
        st.caption(f"A run has at most {', '.join(each)}.")


def _table(found: Sequence[Expiring]) -> None:
    rows = [
        {
            "Kind": each.item.kind.name,
            "Name": each.item.name,
            "Size": format_size(each.item.n_bytes),
            "Pairs": f"{each.item.rows:,}" if each.item.rows else "",
            "Changed": _date(each.item.changed),
            "Expires": _date(each.when) if each.when else "never",
        }
        for each in found
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="stored")


def _date(when: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(when))
