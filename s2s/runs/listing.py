"""The runs of a workspace as a table sees them, and what may be done to one as a whole."""

from __future__ import annotations

import functools
import re
import shutil
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from s2s.config import UserError
from s2s.model import saved_steps
from s2s.runs.store import STATES, RunFolder
from s2s.settings import OWNER, SHIPPED, home

LONGEST_NAME = 80
LONGEST_TAG = 40
MOST_TAGS = 10
LONGEST_COMMENT = 2000
LIVE = ("queued", "starting", "running")
COUNTS = ("step", "steps", "best_step")
FIGURES = (*COUNTS, "best_loss", "token_accuracy")
HIDDEN = frozenset(
    {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
)  # Unicode's classes of what turns the text after it

Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class RunSummary:
    """A run in one row. Its figures are of its best validation, None before the first."""

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
    updated: float = 0.0  # when training last wrote its status; 0 before it did
    note: str = ""  # what it is doing now, a sentence
    error: str = ""  # what went wrong, a sentence
    job: str = ""  # its newest job's id
    position: int | None = None  # queued: how many wait before it
    is_stopping: bool = False  # somebody asked it to stop and it has not heard yet
    is_paused: bool = False  # somebody asked it to wait
    tags: tuple[str, ...] = ()
    comment: str = ""  # what its owner wrote about it, any number of lines
    init_from: str = ""  # the run whose weights it began with

    @property
    def is_live(self) -> bool:
        """Whether it changes by itself, so that a screen should look again."""
        return self.state in LIVE


def runs_folder() -> Path:
    """Where the app keeps runs."""
    return home() / "runs"


def list_runs(owner: str) -> list[RunSummary]:
    """An owner's runs in `S2S_HOME`, newest first. One whose recipe.json or status.json is broken is list_runs as failed, with the reason."""
    folder = runs_folder()
    paths = (
        [path for path in folder.iterdir() if re.fullmatch(r"[\w-]{1,64}", path.name)]
        if folder.is_dir()
        else []
    )
    rows = [row for path in paths if (row := _row(path)) and row.owner == owner]
    return sorted(rows, key=lambda row: (row.created, row.id), reverse=True)


def find_run(run_id: str, owner: str) -> RunSummary | None:
    """The row of one run, or None where that owner has no such folder."""
    row = _row(runs_folder() / run_id) if re.fullmatch(r"[\w-]{1,64}", run_id) else None
    return row if row and row.owner == owner else None


def is_training(folder: Path) -> bool:
    """Whether a process trains in the folder now."""
    lock_file = RunFolder(folder).lock_file
    if not lock_file.exists():
        return False
    try:
        with FileLock(lock_file, timeout=0):
            return False
    except Timeout:
        return True


def rename(run_id: str, owner: str, name: str) -> None:
    """Give a run another name. Raises UserError for an empty or long one, or a run of somebody else."""
    folder = _own(run_id, owner, "renamed")
    name = checked_name(name)
    folder.amend(lambda about: {"name": name})


def annotate(
    run_id: str, owner: str, *, tags: Iterable[str] | None = None, comment: str | None = None
) -> None:
    """Give a run these tags, this comment, or both; what is None stays as it is. Raises UserError for too many or too long ones."""
    said: dict[str, object] = {} if tags is None else {"tags": list(checked_tags(tags))}
    if comment is not None:
        said["comment"] = checked_comment(comment)
    folder = _own(run_id, owner, "annotated")
    folder.amend(lambda about: said)


def delete(run_id: str, owner: str) -> None:
    """Delete a run with all its files. Raises UserError while it trains."""
    folder = _own(run_id, owner, "deleted")
    lock = FileLock(folder.lock_file, timeout=0)
    try:
        with lock:
            gone = folder.path.rename(
                folder.path.with_name(f".deleted-{run_id}")
            )  # at once, whatever the rest takes
    except Timeout as error:
        raise UserError(
            f"The run `{run_id}` is being trained; stop it first, then delete it."
        ) from error
    shutil.rmtree(gone)


def clean_name(name: str) -> str:
    """Without control characters, those that turn the writing round, and blanks around; "" where nothing is left to see."""
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
    """The name as it can be shown. Raises UserError for one that is empty or too long."""
    name = clean_name(name)
    if not 0 < len(name) <= LONGEST_NAME:
        raise UserError(
            f"A name has 1 to {LONGEST_NAME} characters and this one has {len(name)}; give another."
        )
    return name


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Without empty ones and doubles, in their order. Raises UserError for too many or a long one."""
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
    """Its lines as they can be shown. Raises UserError for a long one."""
    clean = "\n".join(map(clean_name, comment.splitlines())).strip()
    if len(clean) > LONGEST_COMMENT:
        raise UserError(
            f"A note has at most {LONGEST_COMMENT:,} characters and this one has {len(clean):,}; shorten it."
        )
    return clean


def _own(run_id: str, owner: str, done: str) -> RunFolder:
    if find_run(run_id, owner) is None:
        if (SHIPPED / run_id / "recipe.json").is_file():
            raise UserError(
                f"`{run_id}` ships with the program and cannot be {done}; train a run of your own."
            )
        raise UserError(
            f"There is no run `{run_id}` of yours; reload the page to see those there are."
        )
    return RunFolder(runs_folder() / run_id)


def _row(path: Path) -> RunSummary | None:
    """None where there is no run; a damaged one is there as failed, with the reason."""
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
            **_figures(status),
        )
    except (FileNotFoundError, NotADirectoryError):  # no run, or deleted meanwhile
        return None
    except UserError as error:
        return _damaged(path, about, str(error))
    except OSError as error:
        return _damaged(
            path,
            about,
            f"The files of the run `{path.name}` cannot be read ({error.strerror}); train it anew.",
        )


def _damaged(path: Path, about: RunSummary | None, error: str) -> RunSummary:
    return replace(
        about or RunSummary(path.name, path.name, OWNER, "", "", _changed(path), ""),
        state="failed",
        error=error,
    )


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # deleted meanwhile
        return 0.0


def _status(path: Path) -> tuple[Mapping[str, Any], float]:
    """What status.json says and when it was written; nothing and 0 before training."""
    try:
        stamp = _stamp(path / "status.json")
    except FileNotFoundError:
        return {}, 0.0
    return _parsed_status(path, stamp), stamp[0] / 1e9


def _figures(status: Mapping[str, Any]) -> dict[str, Any]:
    return {key: status[key] for key in FIGURES if status.get(key) is not None}


def _true_state(path: Path, state: str | None) -> str:
    """What the status says, unless it claims to run and nobody trains there."""
    if state in (None, "running"):
        return "running" if is_training(path) else "interrupted"
    return str(state)


def _stamp(path: Path) -> Stamp:
    """Another one whenever the file was written again."""
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


@functools.lru_cache(maxsize=4096)
def _about(path: Path, stamp: Stamp) -> RunSummary:
    about = RunFolder(path).about()
    name = str(about.get("name") or path.name)
    owner = str(about.get("owner") or OWNER)
    try:
        created = datetime.fromisoformat(about["created"]).timestamp()
        steps = int(about["recipe"]["train"]["steps"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise UserError(
            f"`{path.name}` is no run: its recipe.json lacks what every run has; delete it, or train it anew."
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
    """Tags, comment and the run it began with; what is no text there is passed over."""
    tags, comment, init_from = (about.get(key) for key in ("tags", "comment", "init_from"))
    begun = init_from.get("run") if isinstance(init_from, Mapping) else None
    return {
        "tags": tuple(tag for tag in tags if isinstance(tag, str))
        if isinstance(tags, list)
        else (),
        "comment": comment if isinstance(comment, str) else "",
        "init_from": begun if isinstance(begun, str) else "",
    }


@functools.lru_cache(maxsize=4096)
def _parsed_status(path: Path, stamp: Stamp) -> Mapping[str, Any]:
    status = RunFolder(path).status()
    state = status.get("state")
    if state not in (None, *STATES):
        raise UserError(
            f"The status.json of the run `{path.name}` says `{str(state)[:40]}`, which is unknown here; go on with the run."
        )
    if not all(
        isinstance(status.get(key), int | None if key in COUNTS else float | int | None)
        for key in FIGURES
    ):
        raise UserError(
            f"The status.json of the run `{path.name}` has figures that are no numbers; go on with the run."
        )
    return status


@functools.lru_cache(maxsize=4096)
def _checkpoints(folder: Path, stamp: Stamp) -> tuple[int, ...]:
    return tuple(saved_steps(folder))
