"""Seconds of an encoder that computes all positions in parallel, or one at a time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import s2s
from s2s.analysis import encoding_times
from s2s.lessons.claims import Measured
from s2s.lessons.claims import parallel as live

SECONDS = 6.0


def measure() -> dict[str, Any]:
    """As the page does on its server, for longer; in seconds of this thread's processor time, whatever else runs."""
    run = s2s.load(live.RUN)
    found = encoding_times(run.model, live.LENGTHS, SECONDS, time.thread_time)
    return {"run": live.RUN, **asdict(found)}


def report(results: Mapping[str, Any]) -> Measured:
    """As the page says it of its server, with the clock."""
    found = live.report(results)
    return found._replace(method=f"Milliseconds are the thread's processor time. {found.method}")
