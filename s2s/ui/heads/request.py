"""What Heads shows: a view, a checkpoint, and the sentences it is measured over."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from s2s.jobs import head_service
from s2s.runs import Run, Sentences
from s2s.ui.heads.page import HeadsPage
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import cached, settings_box, target
from s2s.ui.kit.test_sets import available_test_sets, described


@dataclass(frozen=True)
class HeadsRequest:
    """What the page shows; `run` is the chosen checkpoint."""

    view: str
    run: Run

    @property
    def title(self) -> str:
        """Run, checkpoint and languages, for the title of a picture."""
        name = cached.step_name(self.run.folder.id, self.run.step)
        languages = " → ".join(filter(None, self.run.key.languages))
        return ", ".join(filter(None, (cached.title(self.run.folder.id), name, languages)))


def read_request(page: HeadsPage, view: str) -> HeadsRequest:
    """Draw the checkpoint, and read it."""
    with page.row:
        settings = settings_box(page.best, {})
    with settings:
        return HeadsRequest(view, target.checkpoint(page.best))


def sentences(run_id: str) -> Sentences:
    """Select the test set and the number of sentences: for views that measure over many."""
    names = available_test_sets(run_id)
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls sentences"):
        test = STATE.draw("test", names, default=next(iter(names)), width=360)
        n = STATE.draw("n", low=2, high=head_service.MOST_SENTENCES, width=150)
    return described(run_id, test, n)
