"""A run as one row of a table."""

from __future__ import annotations

import functools
import itertools
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from filelock import FileLock, Timeout

from s2s.config import TRAINING_FAULTS, UserError, asker
from s2s.model import saved_steps
from s2s.runs.divergence import has_diverged
from s2s.runs.metrics import Curves
from s2s.runs.store import STATES, RunFolder

LONGEST_NAME = 80
LONGEST_TAG = 40
MOST_TAGS = 10
LONGEST_COMMENT = 2000
OPENING = ".opening-"  # before the name of a folder into which a zip is unpacked
OPENING_SECONDS = 86_400.0  # after which nobody does that any more
RUN_STATES: Mapping[str, str] = MappingProxyType(
    {
        "queued": "waiting",
        "starting": "starting",
        "running": "training",
        "done": "done",
        "stopped": "stopped",
        "interrupted": "interrupted",
        "early": "ended early",
        "empty": "no checkpoint",
        "diverged": "diverged",
        "failed": "failed",
    }
)
LIVE = ("queued", "starting", "running")
COUNTS = ("step", "steps", "best_step")
SCORES = (*COUNTS, "best_loss", "token_accuracy")
# Unicode bidirectional classes that reverse the text after them.
HIDDEN = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})

Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class RunSummary:
    """A run as one row of a table. Its scores are from the best validation, None before the first."""

    id: str
    name: str
    owner: str
    source: str
    preset: str
    created: float  # seconds since the epoch
    state: str  # queued, starting, running, done, stopped, failed, interrupted
    step: int = 0
    steps: int = 0
    best_step: int | None = None
    best_loss: float | None = None
    token_accuracy: float | None = None
    checkpoints: tuple[int, ...] = ()
    updated: float = 0.0  # when training last wrote its status; 0 before
    note: str = ""  # what it is doing now, as a sentence
    error: str = ""  # what went wrong, as a sentence
    ended: str = ""  # why it ended before its plan, as a sentence
    job: str = ""  # its newest job's id
    position: int | None = None  # queued: how many jobs are ahead of it
    wait: float | None = None  # queued: seconds until it starts, about; None where nobody knows
    is_stopping: bool = False  # asked to stop, not stopped yet
    is_paused: bool = False  # asked to pause
    tags: tuple[str, ...] = ()
    comment: str = ""  # the owner's note, any number of lines
    init_from: str = ""  # the run whose weights it started with
    imported: str = ""  # the family of a published checkpoint; else it was trained here
    fault: str = ""  # of TRAINING_FAULTS, made on purpose
    minutes: float | None = None  # its time budget; its last step is then an estimate

    @property
    def is_live(self) -> bool:
        """Whether the run is queued or training, so that a screen should refresh."""
        return self.state in LIVE

    def outcome(self, curves: Curves) -> str:
        """The run's state, a key of RUN_STATES; if done, also whether it has a model, diverged, or ended early."""
        if self.state != "done":
            return self.state
        if not self.checkpoints:
            return "empty"
        if has_diverged(curves):
            return "diverged"
        return "early" if self.ended else "done"


def is_training(folder: Path) -> bool:
    """Whether a process is training in the folder now."""
    lock_file = RunFolder(folder).lock_file
    if not lock_file.exists():
        return False
    try:
        with FileLock(lock_file, timeout=0):
            return False
    except Timeout:
        return True


def free_name(name: str, taken: Collection[str], longest: int = LONGEST_NAME) -> str:
    """The name, with the next free number where it is taken: `small`, `small 2`, `small 3`."""
    name = name[:longest].rstrip()
    for number in itertools.count(2):
        if name not in taken:
            return name
        stem = name if number == 2 else name.rpartition(" ")[0]
        suffix = f" {number}"
        name = stem[: longest - len(suffix)].rstrip() + suffix
    raise AssertionError("numbers do not end")


def clean_name(name: str) -> str:
    """The name without control and direction-changing characters and outer spaces; "" if nothing visible is left."""
    shown = (
        char
        for char in name
        if unicodedata.bidirectional(char) not in HIDDEN and unicodedata.category(char) != "Cs"
    )
    name = " ".join(
        "".join(" " if unicodedata.category(char) == "Cc" else char for char in shown).split()
    )
    return name if any(char.isprintable() and char != " " for char in name) else ""


def checked_name(name: str) -> str:
    """The cleaned name. Raises UserError if it is empty or too long."""
    name = clean_name(name)
    if not 0 < len(name) <= LONGEST_NAME:
        raise UserError(
            f"A name has 1 to {LONGEST_NAME} characters and this one has {len(name)}; give another."
        )
    return name


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Cleaned tags in order, without empty ones and duplicates.

    Raises UserError if there are too many or one is too long.
    """
    clean = tuple(dict.fromkeys(filter(None, map(clean_name, tags))))
    if len(clean) > MOST_TAGS:
        raise UserError(
            f"A run has at most {MOST_TAGS} tags and these are {len(clean)}; leave some out."
        )
    for tag in clean:
        if len(tag) > LONGEST_TAG:
            raise UserError(
                f"A tag has at most {LONGEST_TAG} characters and `{tag[:LONGEST_TAG]}…` has {len(tag)}; shorten it."
            )
    return clean


def checked_comment(comment: str) -> str:
    """The comment with cleaned lines. Raises UserError if it is too long."""
    clean = "\n".join(map(clean_name, comment.splitlines())).strip()
    if len(clean) > LONGEST_COMMENT:
        raise UserError(
            f"A note has at most {LONGEST_COMMENT:,} characters and this one has {len(clean):,}; shorten it."
        )
    return clean


def row_of(path: Path) -> RunSummary | None:
    """A run's summary: failed, with the reason, if it is damaged; None if there is none."""
    about = None
    try:
        about = _about(path, _stamp(path / "recipe.json"))
        status, updated = _status(path)
        checkpoints = (
            _checkpoints(path / "checkpoints", _stamp(path / "checkpoints"))
            if (path / "checkpoints").is_dir()
            else ()
        )
        return replace(
            about,
            state=_true_state(path, status.get("state")),
            checkpoints=checkpoints,
            updated=updated,
            ended=_text(status.get("ended")),
            **_scores(status),
        )
    except (FileNotFoundError, NotADirectoryError):  # no run, or deleted meanwhile
        return None
    except UserError as error:
        return _damaged(path, about, str(error))
    except OSError as error:
        return _damaged(
            path,
            about,
            f"The files of the run `{path.name}` cannot be read ({error.strerror}); train it again.",
        )


def _damaged(path: Path, about: RunSummary | None, error: str) -> RunSummary:
    return replace(
        about or RunSummary(path.name, path.name, asker.LOCAL, "", "", _changed(path), ""),
        state="failed",
        error=error,
    )


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # deleted meanwhile
        return 0.0


def _status(path: Path) -> tuple[Mapping[str, Any], float]:
    try:
        stamp = _stamp(path / "status.json")
    except FileNotFoundError:
        return {}, 0.0
    return _parsed_status(path, stamp), stamp[0] / 1e9


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _scores(status: Mapping[str, Any]) -> dict[str, Any]:
    return {key: status[key] for key in SCORES if status.get(key) is not None}


def _true_state(path: Path, state: str | None) -> str:
    """The state in status.json, but `interrupted` if it says `running` and no process trains there."""
    if state in (None, "running"):
        return "running" if is_training(path) else "interrupted"
    return str(state)


def _stamp(path: Path) -> Stamp:
    """A value that changes whenever the file is written."""
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


@functools.lru_cache(maxsize=4096)
def _about(path: Path, stamp: Stamp) -> RunSummary:
    about = RunFolder(path).about()
    name = str(about.get("name") or path.name)
    owner = str(about.get("owner") or asker.LOCAL)
    try:
        created = datetime.fromisoformat(about["created"]).timestamp()
        steps = int(about["recipe"]["train"]["steps"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise UserError(
            f"`{path.name}` is not a run: its recipe.json lacks required fields; delete it, or train it again."
        ) from error
    row = RunSummary(
        path.name,
        name,
        owner,
        str(about.get("source", "")),
        str(about.get("preset", "")),
        created,
        "",
        steps=steps,
    )
    return replace(row, **_annotations(about))


def _annotations(about: Mapping[str, Any]) -> dict[str, Any]:
    tags, comment, init_from = (about.get(key) for key in ("tags", "comment", "init_from"))
    initial_run = init_from.get("run") if isinstance(init_from, Mapping) else None
    imported = about.get("imported")
    family = imported.get("family") if isinstance(imported, Mapping) else None
    minutes = about["recipe"]["train"].get("minutes")
    return {
        "tags": tuple(tag for tag in tags if isinstance(tag, str))
        if isinstance(tags, list)
        else (),
        "comment": _text(comment),
        "init_from": _text(initial_run),
        "imported": _text(family),
        "fault": fault_in(about),
        "minutes": minutes if isinstance(minutes, int | float) else None,
    }


def fault_in(about: Mapping[str, Any]) -> str:
    """The fault that a readable recipe.json or job names; empty for none."""
    fault = about["recipe"]["train"].get("fault")
    return fault if fault in TRAINING_FAULTS else ""


@functools.lru_cache(maxsize=4096)
def _parsed_status(path: Path, stamp: Stamp) -> Mapping[str, Any]:
    status = RunFolder(path).status()
    state = status.get("state")
    if state not in (None, *STATES):
        raise UserError(
            f"The status.json of the run `{path.name}` says `{str(state)[:40]}`, which is unknown here; resume the run."
        )
    if not all(
        isinstance(status.get(key), int | None if key in COUNTS else float | int | None)
        for key in SCORES
    ):
        raise UserError(
            f"The status.json of the run `{path.name}` has scores that are not numbers; resume the run."
        )
    return status


@functools.lru_cache(maxsize=4096)
def _checkpoints(folder: Path, stamp: Stamp) -> tuple[int, ...]:
    return tuple(saved_steps(folder))
