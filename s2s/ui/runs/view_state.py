"""The state of Runs that links carry in `set`: which view is open, and what it shows."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.questions import AttentionOverTraining, RunsCompared, SeedSpread, Sweep
from s2s.ui.kit import ViewState, field, one_of

RUNS = "runs"
SIDE_BY_SIDE = "side-by-side"
ATTENTION = "attention-while-learning"
SWEEPS = "sweeps"
OPEN_MODEL = "open-a-model"


@dataclass(frozen=True)
class RunsView:
    """The open view of Runs, and the fields of each view."""

    tab: str = field(RUNS, one_of(RUNS, SIDE_BY_SIDE, ATTENTION, SWEEPS, OPEN_MODEL))
    compared: str = field("")  # ids of runs with spaces between
    curve: str = field("")  # a row of QUANTITIES
    over: str = field("")  # a row of AXES
    find: str = field("")  # in the table of runs
    opening: str = field("")  # the id of the run that a published model becomes


STATE = ViewState("runs", RunsView, AttentionOverTraining, RunsCompared, SeedSpread, Sweep)
