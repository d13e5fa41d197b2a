"""How long a search may take: decides whether it runs in the dashboard's process or in one beside it."""

from __future__ import annotations

import math

from s2s.decode import GenerationConfig
from s2s.runs.decoder.request import PROPERTY, DecodeRequest
from s2s.runs.probes import PROBES
from s2s.runs.run import Run

# Seconds on one core of an Intel Xeon; with these, no strategy takes longer than estimated there.
STEP = 6e-4  # of a step, however few its hypotheses
ROW = 3e-5  # of a step, per hypothesis
HISTORY = 1e-6  # of a step, per hypothesis and token of the longest target: sampling compares with those written
WEIGHT = 4e-11  # of a step, per hypothesis and parameter of the model

HOOKED = 2.0  # times as long where interventions keep the model from its fused layers

EXACT_ROWS = 16  # prefixes of an exact search; as a rule fewer, sometimes a thousand

HEAVY = 1.0  # seconds; what may take longer never begins in the dashboard's process


def search_seconds(width: int, length: int, parameters: int) -> float:
    """The most seconds that a search of `width` hypotheses takes on one core, if no target ends before `length` tokens.

    >>> round(search_seconds(5, 64, 1_000_000), 2), round(search_seconds(100, 500, 1_000_000))
    (0.08, 29)
    """
    return length * (STEP + width * (ROW + HISTORY * length + WEIGHT * parameters))


def request_seconds(run: Run, request: DecodeRequest) -> float:
    """The most seconds that a request takes. Raises UserError for a setting that the strategy doesn't have."""
    if request.kind in PROBES:
        return PROBES[request.kind].seconds(run, request.probe_input)
    if request.kind == PROPERTY:
        return _property_seconds(run, request)
    _, config = run.configured(request.strategy, request.settings)
    rows = config.width * len(request.sources)
    seconds = search_seconds(rows, config.max_new_tokens or 0, run.n_parameters)
    return HOOKED * seconds if request.interventions_json else seconds


def request_steps(run: Run, request: DecodeRequest) -> int:
    """The most steps that a request takes, for its progress. Raises UserError as `request_seconds` does."""
    if request.kind in PROBES:
        return PROBES[request.kind].n_batches(run, request.probe_input)
    if request.kind == PROPERTY:
        return sum(config.max_new_tokens or 0 for config in _configs(run, request))
    _, config = run.configured(request.strategy, request.settings)
    return (config.max_new_tokens or 0) * (2 if request.kind == "tree" else 1)


def _property_seconds(run: Run, request: DecodeRequest) -> float:
    """Seconds to judge properties; infinite where another run is opened, which the dashboard's process must not do."""
    if request.other_runs:
        return math.inf
    n = len(request.sources)
    return sum(
        search_seconds(
            n * (config.width + EXACT_ROWS), config.max_new_tokens or 0, run.n_parameters
        )
        for config in _configs(run, request)
    )


def _configs(run: Run, request: DecodeRequest) -> list[GenerationConfig]:
    rows = request.settings["decodings"]
    return [run.configured(row["strategy"], row["settings"])[1] for row in rows]
