"""What Heads shows: a view, a checkpoint, and the sentences it is measured over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from s2s.jobs import head_service
from s2s.runs import Run, Sentences
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import cached, target
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


def read_request(labels: Mapping[str, str]) -> HeadsRequest:
    """Draw the controls that all views share, and read them."""
    STATE.from_url()
    best = cached.open_run(st.session_state["run"])
    STATE.belongs_to("run", best.folder.id)
    view = STATE.segments("view", "View", labels, label_visibility="collapsed")
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls heads"):
        run = target.checkpoint(best)
    return HeadsRequest(view, run)


def sentences(run_id: str) -> Sentences:
    """Select the test set and the number of sentences: for views that measure over many."""
    names = available_test_sets(run_id)
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls sentences"):
        test = STATE.choice("test", "Sentences", names, default=next(iter(names)), width=360)
        n = STATE.number(
            "n",
            "How many",
            2,
            head_service.MOST_SENTENCES,
            width=150,
            help="Spread evenly over the test set; always the same sentences. At most"
            f" {head_service.MOST_SENTENCES:,}.",
        )
    return described(run_id, test, n)
