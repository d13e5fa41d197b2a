"""What the views of Many sentences share: the run, one row of controls, and the sentences in Settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from s2s.jobs import head_samples, head_service
from s2s.questions import OfSample
from s2s.runs import Run
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import cached, settings_box, target
from s2s.ui.kit.test_sets import available_test_sets
from s2s.ui.streamlit_parts import DeltaGenerator


class HeadsPage(NamedTuple):
    """What all views of Many sentences get: the run at its best checkpoint, the row for a view's own controls, and room
    beside that.
    """

    best: Run
    row: DeltaGenerator
    beside: DeltaGenerator


def read_page(labels: Mapping[str, str]) -> tuple[str, HeadsPage]:
    """Draw the choice of the view; returns its slug, a key of `labels`, and what all views get."""
    STATE.from_url()
    best = cached.open_run(st.session_state["run"])
    STATE.belongs_to("run", best.folder.id)
    beside = st.container(horizontal=True, vertical_alignment="bottom")
    with beside:
        row = st.container(horizontal=True, vertical_alignment="bottom", width="content")
    with row:
        view = STATE.segments("view", "View", labels, label_visibility="collapsed")
    return view, HeadsPage(best, row, beside)


class HeadsSample(NamedTuple):
    """What a view over many sentences gets: the chosen checkpoint, the subjects of its question, and where more
    settings go.
    """

    run: Run
    asked: Mapping[str, Any]
    settings: DeltaGenerator

    @property
    def model(self) -> str:
        return cached.model_name(self.run)


def sample(page: HeadsPage, changed: Mapping[str, bool] | None = None) -> HeadsSample:
    """Draw Settings with checkpoint, test set and number of sentences; `changed` are the view's own settings."""
    names = available_test_sets(page.best.folder.id)
    first = next(iter(names))
    given = STATE.shown("test") or first
    n = int(STATE.shown("n"))
    differing = {names.get(given, given): given != first, f"{n:,} sentences": n != OfSample().n}
    with page.beside:
        settings = settings_box(page.best, differing | dict(changed or {}))
    with settings:
        run = target.checkpoint(page.best)
        STATE.draw("test", names, default=first)
        STATE.draw("n", low=head_samples.FEWEST, high=head_service.MOST_SENTENCES)
    asked = {"run": cached.named(run), "test": STATE.value("test"), "n": STATE.value("n")}
    return HeadsSample(run, asked, settings)
