"""What a workspace has: lists of its runs, datasets and evaluations, and what it may do with one of them by its id."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable

import sqlalchemy as sa
from filelock import FileLock, Timeout

from s2s.config import UserError, asker
from s2s.data import SavedDataset, saved_datasets
from s2s.files import TRASH, UNDO_SECONDS, database, remove_older, stored
from s2s.library import rights, sharing
from s2s.library.opener import Library
from s2s.library.rights import Thing, Verb
from s2s.links import short
from s2s.runs import (
    Evaluation,
    EvaluationFolder,
    RunFolder,
    RunSummary,
    checked_name,
    runs_folder,
)
from s2s.runs.listing import OPENING, OPENING_SECONDS, checked_comment, checked_tags, row_of
from s2s.settings import SHIPPED


def list_runs(owner: str) -> list[RunSummary]:
    """The runs in `S2S_HOME` that a workspace may list, newest first.

    One whose recipe.json or status.json is broken is listed as failed, with the reason.
    """
    folder = runs_folder()
    paths = (
        [path for path in folder.iterdir() if stored.ID.fullmatch(path.name)]
        if folder.is_dir()
        else []
    )
    rows = [row for path in paths if (row := row_of(path)) and _may(owner, "list", row)]
    return sorted(rows, key=lambda row: (row.created, row.id), reverse=True)


def find_run(run_id: str, owner: str) -> RunSummary | None:
    """The row of one run, or None if there is none that this workspace may see."""
    row = row_of(runs_folder() / run_id) if stored.ID.fullmatch(run_id) else None
    return row if row and _may(owner, "view", row) else None


def _may(workspace: str, verb: Verb, row: RunSummary) -> bool:
    return rights.may(workspace, verb, sharing.thing("run", row.id, row.owner))


def rename_run(run_id: str, owner: str, name: str) -> None:
    """Rename a run. Raises UserError for an empty or too long name, or another owner's run."""
    folder = _own(run_id, owner, "change", "renamed")
    name = checked_name(name)
    folder.amend(lambda about: {"name": name})


def annotate(
    run_id: str, owner: str, *, tags: Iterable[str] | None = None, comment: str | None = None
) -> None:
    """Set a run's tags, comment or both; None leaves one unchanged.

    Raises UserError if they are too many or too long.
    """
    changes: dict[str, object] = {} if tags is None else {"tags": list(checked_tags(tags))}
    if comment is not None:
        changes["comment"] = checked_comment(comment)
    folder = _own(run_id, owner, "change", "annotated")
    folder.amend(lambda about: changes)


def delete_run(run_id: str, owner: str) -> None:
    """Delete a run with all its files; `restore_run` takes it back for a minute. Raises UserError while it trains."""
    empty_trash()
    folder = _own(run_id, owner, "delete", "deleted")
    lock = FileLock(folder.lock_file, timeout=0)
    try:
        with lock:
            gone = folder.path.with_name(f"{TRASH}{run_id}")
            os.utime(folder.path)  # when it was deleted
            folder.path.rename(gone)
            sharing.set_aside("run", run_id)
    except Timeout as error:
        raise UserError(
            f"The run `{run_id}` is being trained; stop it first, then delete it."
        ) from error


def restore_run(run_id: str, owner: str) -> None:
    """Take back a deletion. Raises UserError after a minute, and for another owner's run."""
    gone = runs_folder() / f"{TRASH}{run_id}"
    row = row_of(gone) if stored.ID.fullmatch(run_id) else None
    if row is None or not rights.may(owner, "change", sharing.thing("run", run_id, row.owner)):
        raise UserError(
            f"The run `{run_id}` cannot be restored any more: a deletion can be undone for a minute."
        )
    gone.rename(runs_folder() / run_id)
    sharing.bring_back("run", run_id)


def empty_trash(now: float | None = None) -> None:
    """Remove the files of runs that were deleted more than a minute ago, and of zips that were never opened whole."""
    now = time.time() if now is None else now
    remove_older(runs_folder().glob(f"{TRASH}*"), UNDO_SECONDS, now)
    remove_older(runs_folder().glob(f"{OPENING}*"), OPENING_SECONDS, now)
    sharing.forget_set_aside(now - UNDO_SECONDS)


def is_shipped(run_id: str) -> bool:
    """Whether a run ships with the program."""
    return bool(stored.ID.fullmatch(run_id)) and (SHIPPED / run_id / "recipe.json").is_file()


def is_gone(run_id: str) -> bool:
    """Whether a run was deleted, and is not only private."""
    is_id = stored.ID.fullmatch(run_id) is not None
    return is_id and not (runs_folder() / run_id / "recipe.json").is_file()


def _own(run_id: str, owner: str, verb: Verb, done: str) -> RunFolder:
    row = find_run(run_id, owner)
    if row is None:
        if is_shipped(run_id):
            raise UserError(
                f"`{run_id}` ships with the program and cannot be {done}; train a run of your own."
            )
        raise UserError(f"There is no run `{run_id}` of yours; reload the page to see yours.")
    rights.require(verb, sharing.thing("run", run_id, row.owner), owner)
    return RunFolder(runs_folder() / run_id)


def list_datasets(owner: str) -> list[SavedDataset]:
    """The owner's datasets, newest first; damaged or unfinished folders are left out."""
    folders = [path.parent for path in stored.DATASET.parent.glob("*/about.json")]
    abouts = {
        folder.name: saved_datasets.readable_about(folder)
        for folder in folders
        if saved_datasets.DATASET_HASH.fullmatch(folder.name)
    }
    own = [
        SavedDataset(hash, about["name"], about["n_pairs"], about["created"])
        for hash, about in sorted(abouts.items())
        if about and rights.may(owner, "list", Thing("saved dataset", hash, about["owner"]))
    ]
    return sorted(own, key=lambda row: row.created, reverse=True)


def list_evaluations(owner: str = asker.LOCAL, run: str | None = None) -> list[Evaluation]:
    """An owner's evaluations, newest first; for one run, those that belong to it or have it among their systems.

    Unreadable ones are left out; opening one by a link shows why.
    """
    parent = stored.EVALUATION.parent
    found = []
    for path in parent.iterdir() if parent.is_dir() else ():
        if not stored.ID.fullmatch(path.name):  # being deleted
            continue
        try:
            evaluation = EvaluationFolder(path).evaluation()
        except UserError:
            continue
        is_of_run = (
            run is None
            or run == evaluation.run
            or any(run == system.run for system in evaluation.systems)
        )
        thing = sharing.thing("evaluation", evaluation.id, evaluation.owner)
        if rights.may(owner, "list", thing) and is_of_run:
            found.append(evaluation)
    return sorted(found, key=lambda one: (one.created, one.id), reverse=True)


def delete_evaluation(evaluation: str, owner: str = asker.LOCAL) -> None:
    """Delete an evaluation with its files. Raises UserError if that owner does not have it."""
    held = Library(owner).evaluation(evaluation, "delete")
    gone = held.path.rename(held.path.with_name(f".deleted-{evaluation}"))
    sharing.forget("evaluation", evaluation)
    shutil.rmtree(gone)


def delete_short_link(letters: str) -> None:
    """Delete a link of this workspace, which opens nothing from now on; pressed twice, it is gone already.

    Raises DeniedError for another's.
    """
    this = short.SHORT_LINKS.c.letters == letters
    with database.begin() as connection:
        owner = connection.execute(sa.select(short.SHORT_LINKS.c.owner).where(this)).scalar()
        if owner is not None:
            rights.require("delete", Thing("short link", short.written(letters), str(owner)))
            connection.execute(sa.delete(short.SHORT_LINKS).where(this))
