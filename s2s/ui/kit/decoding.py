"""What visitors share of Steps: distributions over the next token, forced targets, references, wide beams."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st
from torch import Tensor

from s2s.runs import Decoded, Run, teacher_forcing


def next_tokens(run: Run, text: str, ids: tuple[int, ...]) -> Tensor:
    """Log-probabilities after each beginning of the ids: (len(ids) + 1, vocab). Nobody may write to it."""
    return _next_tokens(str(run.folder.path), run.step, text, ids, run)


def continuation(
    run: Run, text: str, ids: tuple[int, ...], strategy: str, settings: dict[str, Any]
) -> Decoded:
    """What a strategy makes of a sentence when the target begins with these ids. Raises UserError where it cannot."""
    return _gone_on(
        str(run.folder.path),
        run.step,
        text,
        json.dumps([ids, strategy, settings], sort_keys=True),
        run,
    )


def reference(run: Run, text: str, target: str) -> teacher_forcing.Reference:
    """A text under teacher forcing. Raises UserError for one that is too long."""
    return _reference(str(run.folder.path), run.step, text, target, run)


def wide_search(run: Run, text: str) -> Decoded:
    """What a wide beam finds."""
    return _widely(str(run.folder.path), run.step, text, run)


@st.cache_resource(
    max_entries=24, show_spinner=False
)  # some megabytes each where a vocabulary is large
def _next_tokens(folder: str, step: int, text: str, ids: tuple[int, ...], _run: Run) -> Tensor:
    return _run.next_tokens(text, ids)


@st.cache_resource(max_entries=128, show_spinner=False)
def _gone_on(folder: str, step: int, text: str, wanted: str, _run: Run) -> Decoded:
    ids, strategy, settings = json.loads(wanted)
    return _run.complete(text, ids, strategy, **settings)


@st.cache_resource(max_entries=128, show_spinner=False)
def _reference(
    folder: str, step: int, text: str, target: str, _run: Run
) -> teacher_forcing.Reference:
    return teacher_forcing.reference(_run, text, target)


@st.cache_resource(max_entries=128, show_spinner="Searching with a wide beam …")
def _widely(folder: str, step: int, text: str, _run: Run) -> Decoded:
    return teacher_forcing.wide_beam(_run, text)


def probes(run: Run) -> list[tuple[str, str]]:
    """Sources of the run's own samples with their references."""
    return _probes(str(run.folder.path), run.step, run)


@st.cache_resource(max_entries=16, show_spinner=False)
def _probes(folder: str, step: int, _run: Run) -> list[tuple[str, str]]:
    lines = (
        line for line in _run.folder.lines("samples") if {"source", "reference"} <= line.keys()
    )
    return [*dict.fromkeys((str(line["source"]), str(line["reference"])) for line in lines)]
