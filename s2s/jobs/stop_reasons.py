"""Why a job stopped before its end, in a sentence for people."""

from __future__ import annotations

import json
from types import MappingProxyType

from s2s import files
from s2s.processes import bounds
from s2s.settings import home

# The kinds of job that resume with what they had done, not with a run's checkpoint.
RESUMED_AS = MappingProxyType({"evaluate": "evaluation"})
# Those of which nothing is kept.
STARTED_AGAIN = MappingProxyType({"import": "opening of the model"})
NAMES = MappingProxyType({**RESUMED_AS, **STARTED_AGAIN})


def died(code: int, run: str, kind: str = "train") -> str:
    """Explains the exit status `code` (negative: a signal) to people."""
    if bounds.is_killed(code):
        what = "was killed (signal 9), perhaps because memory ran out"
    elif code < 0:
        what = f"was ended by signal {-code}"
    else:
        what = f"ended with status {code} before its work was done"
    return f"The {NAMES.get(kind, 'training')} process {what}; {_what_now(run, kind)}."


def over_time(minutes: int, run: str, kind: str = "train") -> str:
    """Why a job stopped that took the most `minutes` that one may take here."""
    limit = f"The {NAMES.get(kind, 'training')} reached the limit of {minutes} minute{'s' * (minutes != 1)}"
    is_kept = kind not in NAMES and _step(run) != 0
    return (
        f"{limit}; what it learned is kept, {_what_now(run, kind)}."
        if is_kept
        else f"{limit}; {_what_now(run, kind)}."
    )


def _what_now(run: str, kind: str) -> str:
    if kind in RESUMED_AS:
        return "its progress is kept; resume it"
    if kind in STARTED_AGAIN:
        return "nothing of it is kept, open the model again"
    step = _step(run)
    if step is None:
        return "its status.json cannot be read; resume it from its last checkpoint"
    return f"resume it from step {step:,}" if step else "nothing was saved yet, start it again"


def _step(run: str) -> int | None:
    """A run's last saved step; None where nobody can know. Read without `s2s.runs`: the worker never imports torch."""
    try:
        return int(json.loads((home() / "runs" / run / "status.json").read_bytes()).get("step", 0))
    except FileNotFoundError:
        return 0
    except files.UNREADABLE:
        return None
