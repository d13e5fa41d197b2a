"""The state of Train that links carry in `set`, beside dataset, preset and the settings of the recipe."""

from __future__ import annotations

import re
from dataclasses import dataclass

from s2s.ui.kit import ViewState, field
from s2s.ui.kit.training_curves import MAX_RUNS


def _are_few_runs(ids: str) -> bool:
    return len(ids.split()) < MAX_RUNS  # beside the page's


def _is_smoothing(text: str) -> bool:
    return re.fullmatch(r"0\.\d\d?", text) is not None


@dataclass(frozen=True)
class TrainView:
    """Which curves are drawn and how, and at which step the sample translations are shown."""

    curve: str = field("loss")  # a row of QUANTITIES
    over: str = field("step")  # a row of AXES
    log_x: bool = field(False, link="logx")
    log_y: bool = field(False, link="logy")
    runs: str = field("", _are_few_runs, link="with")  # ids with spaces between
    smoothing: str = field("", _is_smoothing)  # empty for none
    first: str = field("", str.isdecimal, scope="run", link="from")  # steps; empty for all
    last: str = field("", str.isdecimal, scope="run", link="to")
    sample: str = field("", str.isdecimal, scope="run")  # a step; empty for the first one


STATE = ViewState("train", TrainView)
