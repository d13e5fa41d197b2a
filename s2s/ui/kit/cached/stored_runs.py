"""The runs there are, their names, what their folders say, and opened runs."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

import s2s
from s2s import settings
from s2s.config import Recipe, UserError, asker
from s2s.demo import DEMOS
from s2s.faults import marked
from s2s.jobs import run_service
from s2s.library import Library, guests, rights, sharing
from s2s.library.checkpoints import load
from s2s.links.share import printable
from s2s.model import saved_steps
from s2s.questions import ANSWERS
from s2s.runs import Run, RunFolder, RunSummary
from s2s.tokenizers import Languages
from s2s.training import free_memory
from s2s.ui.kit.cached.opened_runs import OpenedRuns, RunState
from s2s.ui.kit.cached.shared import forget_shared, shared
from s2s.ui.kit.text import shortened

DEMO_FOLDER = Path(s2s.__file__).parent / "demo" / "runs"
LIST_LIFETIME = 1.0  # seconds: many visitors share one look at the disk
LANGUAGES = "chosen languages"  # in the session: the page's run, and its languages
OPENED = "shared runs"  # in the session: those whose links were followed
REFRESHED = "runs refreshed"  # in the session: when it last changed a run
UNNAMED = "unnamed run"
MAX_TITLE = 32  # characters


def runs() -> dict[str, RunSummary | None]:
    """Every run by its id: demos (None), the visitor's own, newest first, then shared ones that they opened."""
    demos: dict[str, RunSummary | None] = dict.fromkeys(_demos(DEMO_FOLDER))
    opened = filter(None, map(_shared_run, st.session_state.get(OPENED, ())))
    return demos | {row.id: row for row in (*own_runs(), *opened)}


@functools.cache
def _demos(folder: Path) -> tuple[str, ...]:
    return tuple(name for name in DEMOS if saved_steps(folder / name / "checkpoints"))


def follow_link(run_id: str) -> bool:
    """Whether the visitor may see a run that a link names; one that is shared with them is offered from now on."""
    if run_id in runs():
        return True
    if _shared_run(run_id) is None:
        return False
    st.session_state[OPENED] = (*st.session_state.get(OPENED, ()), run_id)
    return True


def is_own(run_id: str) -> bool:
    """Whether the visitor may change a run: neither a demo nor one that is shared with them."""
    row = runs().get(run_id)
    return row is not None and rights.is_own(sharing.thing("run", row.id, row.owner))


def _shared_run(run_id: str) -> RunSummary | None:
    try:
        return run_service.find(run_id, asker.current())
    except UserError:
        return None


def own_runs() -> list[RunSummary]:
    """The visitor's own runs, newest first, whatever their state."""
    now = time.monotonic()
    refreshed = st.session_state.get(REFRESHED, -LIST_LIFETIME)
    is_fresh = now - refreshed < LIST_LIFETIME
    moment = refreshed if is_fresh else float(int(now / LIST_LIFETIME))
    return _listed(str(settings.home()), asker.current(), moment)


@functools.lru_cache(
    maxsize=64
)  # Streamlit's cache would keep a lock for every moment there ever was
def _listed(home: str, owner: str, moment: float) -> list[RunSummary]:
    """The owner's runs, by the moment of listing; `moment` counts LIST_LIFETIMEs.

    Right after a session's own change it is the time of that: another session's list, begun before and stored after,
    would lack the change.
    """
    return run_service.runs(owner)


def refresh_runs() -> None:
    """Make the next list of runs a fresh one. Call this after a run was made, renamed or deleted."""
    _listed.cache_clear()
    st.session_state[REFRESHED] = time.monotonic()


def trained_runs() -> dict[str, str]:
    """The labels of all runs that have a checkpoint, by id."""
    return {
        run_id: label(run_id) for run_id, row in runs().items() if row is None or row.checkpoints
    }


def title(run_id: str) -> str:
    """A run's name, or its id where it has none, and its fault where it has one."""
    return _title(run_id, runs().get(run_id))


def _title(run_id: str, row: RunSummary | None) -> str:
    if row is None:
        return run_id
    name = printable(row.name)
    shown = shortened(name, MAX_TITLE) if name and name != run_id else UNNAMED
    return marked(shown, row.fault)


def titles() -> dict[str, str]:
    """The title of every run, by id."""
    return {run_id: _title(run_id, row) for run_id, row in runs().items()}


def label(run_id: str) -> str:
    """A run's name in the address and the picker: its id comes last, so that links survive a new name."""
    return _label(run_id, title(run_id))


def labels() -> dict[str, str]:
    """The label of every run, by id."""
    return {run_id: _label(run_id, _title(run_id, row)) for run_id, row in runs().items()}


def _label(run_id: str, name: str) -> str:
    return run_id if name == run_id else f"{name} · {run_id}"  # the demos' ids are their names


def is_untrained(run_id: str) -> bool:
    """Whether a run has no checkpoint yet."""
    if run_id in DEMOS or run_id not in runs():
        return False
    try:
        return not saved_steps(Library().run(run_id).checkpoints)
    except UserError:  # it waits, and has no folder yet
        return True


def open_run(run_id: str, step: int | None = None) -> Run:
    """A run at its best checkpoint, or at the given step; the page's in the languages that the visitor chose.

    Raises UserError where it cannot be opened.
    """
    run = open_as_saved(run_id, step)
    chosen_for, languages = st.session_state.get(LANGUAGES, ("", Languages()))
    return run.in_languages(*languages) if chosen_for == run_id else run


def choose_languages(run_id: str, languages: Languages) -> None:
    st.session_state[LANGUAGES] = (run_id, languages)


def open_as_saved(run_id: str, step: int | None = None) -> Run:
    folder = Library().run(run_id)
    return _OPENED.get(RunState(folder.path, folder.best_or_newest_step(), step))


def close_deleted() -> None:
    """Close the models of runs that are deleted."""
    _OPENED.close_deleted()


# An unreadable checkpoint gives way to the one before it.
_OPENED = OpenedRuns(load, free=partial(free_memory, "cpu"))


def metadata(run_id: str) -> Mapping[str, Any]:
    """The contents of a run's recipe.json for this visitor; empty before it is written, or where it is broken."""
    try:
        folder, changed, size = _stamped(run_id)
        return guests.about_run(RunFolder(folder), _metadata(folder, changed, size))
    except (UserError, OSError):
        return {}


@shared(max_entries=512, show_spinner=False)
def _metadata(folder: str, changed: int, size: int) -> Mapping[str, Any]:
    return RunFolder(folder).about()


def step_name(run_id: str, step: int) -> str:
    """A checkpoint's name: `step 1,200`; `as published`, of the only checkpoint of a model that was opened and not
    trained here.
    """
    is_published = not step and bool(metadata(run_id).get("imported"))
    return "as published" if is_published else f"step {step:,}"


def model_name(run: Run) -> str:
    """A run's model in titles: `demo-en-fr · step 1,500`; `opus-mt · as published · en → fr` in chosen languages."""
    languages = " → ".join(filter(None, run.key.languages))
    name = f"{title(run.folder.id)} · {step_name(run.folder.id, run.step)}"
    return f"{name} · {languages}" if languages else name


def recipe(run_id: str) -> Recipe | None:
    """A run's recipe, from its folder or from the queue; None where neither can be read."""
    try:
        return _recipe(*_stamped(run_id))
    except (UserError, OSError):
        return run_service.queued_recipe(run_id)


@shared(max_entries=512, show_spinner=False)
def _recipe(folder: str, changed: int, size: int) -> Recipe:
    return RunFolder(folder).recipe()


def _stamped(run_id: str) -> tuple[str, int, int]:
    folder = Library().run(run_id).path
    stamp = (folder / "recipe.json").stat()
    return str(folder), stamp.st_mtime_ns, stamp.st_size


def parameter_count(run_id: str) -> int | None:
    """The number of parameters of a run's model; None before its first checkpoint."""
    try:
        folder = Library().run(run_id)
    except UserError:
        return None
    return _parameter_count(str(folder.path), tuple(saved_steps(folder.checkpoints)))


@shared(max_entries=512, show_spinner=False)
def _parameter_count(folder: str, steps: tuple[int, ...]) -> int | None:
    return RunFolder(folder).n_parameters()


def run_notes(run_id: str) -> list[str]:
    """Sentences about how a run's dataset was cleaned and what went wrong since; none before it was read."""
    about = metadata(run_id)
    data = about.get("data") or {}
    return [str(note) for note in (*(data.get("notes") or []), *(about.get("warnings") or []))]


def forget_workspace(workspace: str) -> None:
    """Drop what only this workspace asked for, and close runs that are deleted.

    Searches beside the dashboard are dropped by `forget_searches`.
    """
    forget_shared(workspace)
    ANSWERS.forget(workspace)
    close_deleted()
