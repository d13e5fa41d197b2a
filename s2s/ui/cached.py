"""What visitors share: the runs there are, opened runs, and what they made of a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

import s2s
from s2s import settings
from s2s.analysis import Attention
from s2s.demo import DEMOS
from s2s.model.weights import saved_steps
from s2s.runs import Decoded, Run, RunFolder

SHIPPED = Path(s2s.__file__).parent / "demo" / "runs"


@dataclass(frozen=True)
class Translation:
    """A sentence, what was made of it, and where the model looked meanwhile."""

    decoded: Decoded
    seen: Attention


def run_ids() -> list[str]:
    """The runs that can be opened: the shipped ones, then those of `S2S_HOME`, newest first."""
    there = {path.name for path in _with_weights(SHIPPED)}
    own = sorted(_with_weights(settings.home() / "runs"), key=lambda path: path.stat().st_mtime, reverse=True)
    return list(dict.fromkeys([*(name for name in DEMOS if name in there), *(path.name for path in own)]))


def open_run(run_id: str) -> Run:
    """A run at its best checkpoint, shared by everybody. Raises UserError where it cannot be opened."""
    folder = RunFolder(settings.run_folder(run_id))
    return _opened(str(folder.path), folder.best_or_newest_step())


def translation(run: Run, text: str) -> Translation:
    """By beam search, with every head's attention."""
    return _translated(str(run.folder.path), run.step, text, run)


@st.cache_resource(max_entries=2, show_spinner=False)
def _opened(folder: str, step: int) -> Run:
    """`step` tells one state of the folder from the next; a checkpoint that cannot be read gives way to the one before it."""
    return s2s.load(folder)


@st.cache_resource(max_entries=128, show_spinner=False)  # arrays that nobody writes to: shared, not copied
def _translated(folder: str, step: int, text: str, _run: Run) -> Translation:
    (decoded,) = _run.translate([text], "beam")
    return Translation(decoded, _run.attention(text, decoded.text))


def _with_weights(folder: Path) -> list[Path]:
    """The run folders there that have a checkpoint, hidden and half-made ones left out."""
    if not folder.is_dir():
        return []
    runs = [path for path in folder.iterdir() if re.fullmatch(r"[\w-]{1,64}", path.name) and (path / "recipe.json").is_file()]
    return [path for path in runs if saved_steps(path / "checkpoints")]
