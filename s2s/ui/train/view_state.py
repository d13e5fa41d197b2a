"""The state of Train that links carry in `set`, beside dataset, preset and the settings of the recipe."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from s2s.jobs import sweep
from s2s.questions import SamplesOverTraining
from s2s.runs import LONGEST_NAME
from s2s.ui.kit import ViewState, field
from s2s.ui.kit.recipe_state import RECIPE_KEYS
from s2s.ui.kit.training_curves import MAX_RUNS

MOST_MINUTES = 10_000


def _are_few_runs(ids: str) -> bool:
    return len(ids.split()) < MAX_RUNS  # beside the page's


def _is_name(text: str) -> bool:
    return len(text) <= LONGEST_NAME


def _are_minutes(text: str) -> bool:
    return text.isdecimal() and len(text) < 6 and 1 <= int(text) <= MOST_MINUTES


def _is_smoothing(text: str) -> bool:
    return re.fullmatch(r"0\.\d\d?", text) is not None


def sweep_as_text(rows: Sequence[tuple[str, str]]) -> str:
    """A sweep as text for the link: settings and their values as typed; empty for none."""
    return json.dumps(rows, ensure_ascii=False) if rows else ""


def sweep_rows(text: str) -> list[tuple[str, str]]:
    """The settings and values of `sweep_as_text`. Raises ValueError for other text."""
    rows = json.loads(text) if text else []
    if not isinstance(rows, list) or len(rows) > sweep.MAX_SETTINGS:
        raise ValueError("not a sweep")
    for row in rows:
        is_pair = isinstance(row, list) and len(row) == 2 and isinstance(row[1], str)
        if not is_pair or row[0] not in RECIPE_KEYS:
            raise ValueError("not a setting and its values")
    return [(key, values) for key, values in rows]


def _is_sweep(text: str) -> bool:
    try:
        sweep_rows(text)
    except (ValueError, RecursionError):
        return False
    return True


@dataclass(frozen=True)
class TrainView:
    """The fields of Train's link: name and minutes of a new run, curves, and the sweep."""

    name: str = field("", _is_name)  # empty for the default one
    minutes: str = field("", _are_minutes)  # empty for the form's time budget
    curve: str = field("loss")  # a row of QUANTITIES
    over: str = field("step")  # a row of AXES
    log_x: bool = field(False, link="logx")
    log_y: bool = field(False, link="logy")
    runs: str = field("", _are_few_runs, link="with")  # ids with spaces between
    smoothing: str = field("", _is_smoothing)  # empty for none
    first: str = field("", str.isdecimal, scope="run", link="from")  # steps; empty for all
    last: str = field("", str.isdecimal, scope="run", link="to")
    sweep: str = field("", _is_sweep)  # the panel's rows, by `sweep_as_text`


STATE = ViewState("train", TrainView, SamplesOverTraining)
