"""Seconds of an encoder that computes all positions in parallel, or one at a time."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

import s2s
from s2s.analysis import encoding_times
from s2s.lessons.claims import parallel

SECONDS = 6.0


def measure() -> dict[str, Any]:
    """As the page does on its server, for longer; in seconds of this thread's processor time, whatever else runs."""
    run = s2s.load(parallel.RUN)
    found = encoding_times(run.model, parallel.LENGTHS, SECONDS, time.thread_time)
    return {"run": parallel.RUN, **asdict(found)}
