"""What visitors share: the runs there are, opened runs, and what they made of a sentence."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

import s2s
from s2s import settings
from s2s.analysis import Attention
from s2s.config import Recipe, UserError
from s2s.data import corpora, study
from s2s.data.corpora import Stored
from s2s.data.preview import Preview
from s2s.data.preview import preview as make_preview
from s2s.demo import DEMOS
from s2s.files import read_lines
from s2s.jobs import board
from s2s.jobs.forecast import Forecast
from s2s.jobs.forecast import forecast as make_forecast
from s2s.model.weights import saved_steps
from s2s.runs import Decoded, Run, RunFolder
from s2s.runs.listing import Listed
from s2s.runs.metrics import Curves, Metrics
from s2s.share import printable
from s2s.ui.text import shortened

SHIPPED = Path(s2s.__file__).parent / "demo" / "runs"
LIVES = 1.0  # seconds that a list of runs is good for: many visitors, one look at the disk


@dataclass(frozen=True)
class Translation:
    """A sentence, what was made of it, and where the model looked meanwhile."""

    decoded: Decoded
    seen: Attention


def runs() -> dict[str, Listed | None]:
    """Every run by its id: the shipped ones (None), then the visitor's own, newest first."""
    shipped: dict[str, Listed | None] = {name: None for name in DEMOS if saved_steps(SHIPPED / name / "checkpoints")}
    return shipped | {row.id: row for row in listed()}


@st.cache_resource(ttl=LIVES, max_entries=64, show_spinner=False)  # rows that nobody writes to: shared, not copied
def _listed(home: str, owner: str) -> list[Listed]:
    return board.runs(owner)


def listed() -> list[Listed]:
    """The visitor's own runs, newest first, whatever their state."""
    return _listed(str(settings.home()), settings.OWNER)


def forget_lists() -> None:
    """After a run was made, renamed or deleted."""
    _listed.clear()


def title(run_id: str) -> str:
    """What people call a run."""
    return _title(run_id, runs().get(run_id))


def _title(run_id: str, row: Listed | None) -> str:
    return shortened(printable(row.name), 32) if row and row.name else run_id


def label(run_id: str) -> str:
    """How the address and the picker name a run: the id last, so that a link outlives another name."""
    return _label(run_id, title(run_id))


def labels() -> dict[str, str]:
    """Of every run, by its id."""
    return {run_id: _label(run_id, _title(run_id, row)) for run_id, row in runs().items()}


def _label(run_id: str, name: str) -> str:
    return run_id if name == run_id else f"{name} · {run_id}"


def called(spec: str) -> str:
    """What people call a text: a kept one by its name, any other by its spec."""
    return next((text.name for text in texts() if text.spec == spec), spec)


def texts() -> list[Stored]:
    """The visitor's own texts, newest first."""
    return corpora.stored(settings.OWNER)


def is_untrained(run_id: str) -> bool:
    """Whether there is nothing to open yet."""
    return not saved_steps(settings.home() / "runs" / run_id / "checkpoints") and run_id not in DEMOS


def open_run(run_id: str, step: int | None = None) -> Run:
    """A run at its best checkpoint or at the given one, shared by everybody. Raises UserError where it cannot be opened."""
    folder = RunFolder(settings.run_folder(run_id))
    return _opened(str(folder.path), folder.best_or_newest_step(), step)


def preview(spec: str) -> Preview:
    """What is in a text. Raises UserError for one that cannot be read."""
    return _previewed(str(settings.home()), spec)


@st.cache_resource(max_entries=16, show_spinner="Reading the text …")
def _previewed(home: str, spec: str) -> Preview:
    if not spec.startswith("corpus:"):
        return make_preview(spec)
    text = study.of(spec)  # the page never holds the text itself
    if (known := text.result("preview")) is None:
        text.start(("preview",))
        while not (state := text.state()).is_over:
            time.sleep(0.05)
        known = text.result("preview")
        if known is None:
            raise UserError(state.error)
    return Preview.from_json(known)


def forecast(spec: str, recipe: Recipe) -> Forecast:
    """What training would cost. Raises UserError for a text that cannot be read."""
    return _forecast(str(settings.home()), spec, json.dumps(recipe.to_json()), recipe)


@st.cache_resource(max_entries=256, show_spinner=False)
def _forecast(home: str, spec: str, written: str, _recipe: Recipe) -> Forecast:
    return make_forecast(_recipe, preview(spec))


def notes(run_id: str) -> list[str]:
    """What became of a run's text before training: sentences. None before it was read."""
    try:
        data = RunFolder(settings.run_folder(run_id)).about().get("data") or {}
    except UserError:
        return []
    return [str(note) for note in data.get("notes") or []]


def samples(run_id: str) -> list[dict[str, Any]]:
    """The probe sentences' newest translations; none before the first."""
    try:
        path = settings.run_folder(run_id) / "samples.jsonl"
        stamp = path.stat()
    except (UserError, OSError):
        return []
    return _sampled(str(path), stamp.st_mtime_ns, stamp.st_size)


@st.cache_resource(max_entries=64, show_spinner=False)
def _sampled(path: str, changed: int, size: int) -> list[dict[str, Any]]:
    lines = [line for line in read_lines(Path(path)) if {"step", "source", "text", "reference"} <= line.keys()]
    newest = max((line["step"] for line in lines), default=0)
    return [line for line in lines if line["step"] == newest]


def attention(run: Run, text: str, target: str) -> Attention:
    """Where the model looks while it reads `text` and is made to write `target`."""
    return _attended(str(run.folder.path), run.step, text, target, run)


def decoded(run: Run, text: str, strategy: str, knobs: dict[str, Any]) -> Decoded:
    """What a strategy makes of a sentence. Raises UserError for a setting that it doesn't have."""
    return _decoded(str(run.folder.path), run.step, text, strategy, json.dumps(knobs, sort_keys=True), run)


def translation(run: Run, text: str) -> Translation:
    """By beam search, with every head's attention."""
    made = decoded(run, text, "beam", {})
    return Translation(made, attention(run, text, made.text))


def curves(run_id: str) -> Curves:
    """The training curves of a run, as far as they have come; empty where nothing is written yet."""
    try:
        folder = settings.run_folder(run_id)
    except UserError:  # queued: its folder comes with its first line
        folder = settings.home() / "runs" / run_id
    return _metrics(str(folder)).read()


@st.cache_resource(max_entries=2, show_spinner=False)
def _opened(folder: str, best: int, step: int | None) -> Run:
    """`best` tells one state of the folder from the next; a checkpoint that cannot be read gives way to the one before it."""
    return s2s.load(folder, step)


@st.cache_resource(max_entries=128, show_spinner=False)  # arrays that nobody writes to: shared, not copied
def _attended(folder: str, step: int, text: str, target: str, _run: Run) -> Attention:
    return _run.attention(text, target)


@st.cache_resource(max_entries=256, show_spinner=False)
def _decoded(folder: str, step: int, text: str, strategy: str, knobs: str, _run: Run) -> Decoded:
    return _run.translate([text], strategy, **json.loads(knobs))[0]


@st.cache_resource(max_entries=512, show_spinner=False)
def _metrics(folder: str) -> Metrics:
    return Metrics(Path(folder) / "metrics.jsonl")
