"""Whose a run or an evaluation is, and what of it its owner shares: with whoever knows its link."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from s2s import files, settings
from s2s.config import UserError, asker, shortened
from s2s.files import stored
from s2s.library.rights import RIGHTS, VERBS, Thing, is_own, may, require, unknown

if TYPE_CHECKING:
    from s2s.runs import RunFolder

FORMAT = 1
SHARED = MappingProxyType({"run": stored.RUN, "evaluation": stored.EVALUATION})
ASIDE = ".deleted-"  # before the name of what was shared of a thing whose deletion can be undone
SHIPPED_SOURCES = ("builtin:", "synthetic:")


@dataclass(frozen=True)
class Sharing:
    """What those who know its link may see of a run or an evaluation."""

    link: bool = False  # the thing itself, without its dataset
    data: bool = False  # sentences of its dataset, too
    copy: bool = False  # of a run: who has a workspace may copy it into that


def why_not_loaded() -> str:
    """Why a hosted server cannot know who may do what, a sentence; "" where it can. It must not start without that."""
    folder = settings.home() / "sharing"
    reason = ""
    if unsaid := [kind for kind, said in RIGHTS.items() if not set().union(*said) <= VERBS]:
        reason = f"the table has another verb for {', '.join(unsaid)}"
    try:
        with os.scandir(folder) as entries:
            unread = [
                entry.name
                for entry in entries
                if not os.access(entry.path, os.R_OK) and os.path.lexists(entry.path)
            ]
        reason = f"{unread[0]} cannot be read" if unread else reason
    except FileNotFoundError:  # nobody has shared anything
        pass
    except OSError as error:
        reason = error.strerror or type(error).__name__
    if not asker.is_hosted() or not reason:
        return ""
    return (
        f"Who may see what cannot be loaded from the folder `sharing` of S2S_HOME ({reason}): a hosted server does not"
        " start without that; make it readable, then start again."
    )


def run_in(folder: RunFolder) -> Thing:
    """The run in a folder, as the thing whose rights are checked. Raises OSError without a recipe.json."""
    owner = (
        asker.EVERYBODY
        if folder.path.parent == settings.SHIPPED
        else stored.about(folder.path / "recipe.json").owner
    )
    return Thing("run", folder.path.name, owner, sharing("run", folder.path.name).link)


def thing(kind: str, id: str, owner: str) -> Thing:
    """The thing of this kind, id and owner, for checking rights: one just read, or one that a job has yet to make."""
    return Thing(kind, id, owner, kind in SHARED and sharing(kind, id).link)


def training_data_in(folder: RunFolder) -> Thing:
    """The dataset of the run in a folder, which is shared separately unless all of it ships with the program."""
    run = run_in(folder)
    said = stored.about(folder.path / "recipe.json")
    if all(spec.startswith(SHIPPED_SOURCES) for spec in (said.source, said.valid or said.source)):
        return Thing("dataset of the run", run.id, asker.EVERYBODY)
    is_shared = run.is_shared and sharing("run", run.id).data
    return Thing("dataset of the run", run.id, run.owner, is_shared)


def may_see_data(folder: RunFolder) -> bool:
    """Whether this request may see sentences of the dataset of the run in a folder; not of one deleted meanwhile."""
    try:
        return may(asker.current(), "view", training_data_in(folder))
    except OSError:
        return False


@contextmanager
def reading_data_of(folder: RunFolder) -> Iterator[None]:
    """While this is open, reads the dataset of the run in a folder, as its owner where they share its sentences.

    Raises DeniedError where they do not. What goes wrong tells a guest nothing of the dataset, not even its id.
    """
    run = run_in(folder)
    require("view", training_data_in(folder))
    is_mine = is_own(run)
    try:
        with asker.acting_as(asker.current() if is_mine else run.owner):
            yield
    except UserError as error:
        if is_mine or run.owner == asker.EVERYBODY:
            raise
        raise UserError(
            f"The dataset of the run `{shortened(run.id)}` cannot be read now: it was deleted or is damaged; ask the"
            " owner of the run."
        ) from error


def sentences_of(evaluation: str, owner: str) -> Thing:
    """The sentences of an evaluation's test set and their translations, which are shared separately."""
    said = sharing("evaluation", evaluation)
    return Thing("test set of the evaluation", evaluation, owner, said.link and said.data)


def sharing(kind: str, id: str) -> Sharing:
    """What is shared of a run or an evaluation; nothing where its owner has never said."""
    if not stored.ID.fullmatch(id):
        return Sharing()
    try:
        return files.from_json(Sharing, json.loads(_sharing_file(kind, id).read_bytes()))
    except (OSError, ValueError, RecursionError):
        return Sharing()


def share(thing: Thing, what: Sharing) -> None:
    """Share a run or an evaluation, or end that. Raises DeniedError for another's, and for what does not exist.

    Its files say whose it is; only of a run that waits, which has none, the caller does.
    """
    require("change", _as_stored(thing))
    files.write_json(_sharing_file(thing.kind, thing.id), {"format": FORMAT, **files.to_json(what)})


def _as_stored(thing: Thing) -> Thing:
    kind = SHARED[thing.kind]
    if not stored.ID.fullmatch(thing.id):
        raise unknown(thing.kind, thing.id)
    try:
        owner = stored.about(kind.parent / thing.id / kind.about).owner
    except OSError as error:
        if thing.kind == "run":
            return thing
        raise unknown(thing.kind, thing.id) from error
    return replace(thing, owner=owner)


def is_decided(thing: Thing) -> bool:
    """Whether the owner has ever shared a run or an evaluation, or ended that."""
    return _sharing_file(thing.kind, thing.id).is_file()


def forget(kind: str, id: str) -> None:
    """Forget how a deleted thing was shared."""
    if stored.ID.fullmatch(id):
        _sharing_file(kind, id).unlink(missing_ok=True)
        _set_aside(kind, id).unlink(missing_ok=True)


def set_aside(kind: str, id: str) -> None:
    """Share a deleted thing with nobody, until `bring_back` undoes the deletion."""
    with contextlib.suppress(FileNotFoundError):
        os.utime(_sharing_file(kind, id))  # when it was deleted
        os.replace(_sharing_file(kind, id), _set_aside(kind, id))


def bring_back(kind: str, id: str) -> None:
    """Share a thing again as before its deletion, which was undone."""
    with contextlib.suppress(FileNotFoundError):
        os.replace(_set_aside(kind, id), _sharing_file(kind, id))


def forget_set_aside(before: float) -> None:
    """Forgets permanently what was set aside before a time, in seconds since the epoch."""
    for path in (settings.home() / "sharing").glob(f"{ASIDE}*"):
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_mtime < before:
                path.unlink()


def _sharing_file(kind: str, id: str) -> Path:
    return settings.home() / "sharing" / f"{kind}-{id}.json"


def _set_aside(kind: str, id: str) -> Path:
    return settings.home() / "sharing" / f"{ASIDE}{kind}-{id}.json"
