"""Who may do what to which thing: everything else asks here.

A thing (run, saved dataset, evaluation, upload) belongs to a workspace. Locally there is one, `local`, which may do
everything. On a hosted server (`S2S_HOSTED`) every visitor has a workspace of their own, and jobs work for the owner of
what they make. What its owner has shared, anyone who knows its id may view and explore, never change.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeVar

from s2s import files, settings
from s2s.config import UserError, asker, shortened
from s2s.files import stored

T = TypeVar("T")
Verb = Literal["view", "explore", "change", "delete", "list", "download"]

FOR_GUESTS = frozenset({"view", "explore"})
FOR_OPERATOR = frozenset(
    {("server", "change"), ("job", "list"), ("job", "change"), ("workspace", "list")}
    | {("workspace", "delete")}
)
FORMAT = 1
SHARED = (
    MappingProxyType(  # what can be shared: its folder, and which of its files says whose it is
        {"run": ("runs", "recipe.json"), "evaluation": ("evaluations", "evaluation.json")}
    )
)
ASIDE = ".deleted-"  # before the name of what was shared of a thing whose deletion can be undone
SHIPPED_SOURCES = ("builtin:", "synthetic:")
ID = re.compile(r"[\w-]{1,64}")

_reads_upload: ContextVar[bool] = ContextVar("reads_upload", default=False)


@dataclass(frozen=True)
class Thing:
    """Something that belongs to a workspace; `kind` is what a visitor calls it."""

    kind: str
    id: str
    owner: str
    is_shared: bool = False


@dataclass(frozen=True)
class Sharing:
    """What others may see of a run or an evaluation who know its link."""

    link: bool = False  # the thing itself, without its dataset
    data: bool = False  # sentences of its dataset, too
    copy: bool = False  # of a run: who has a workspace may copy it into that


class DeniedError(UserError):
    """Refused; reads the same for what does not exist as for what belongs to somebody else."""


def may(workspace: str, verb: Verb, thing: Thing) -> bool:
    """Whether a workspace may do that."""
    if thing.owner == asker.EVERYBODY:
        return verb not in ("change", "delete")
    if workspace == asker.LOCAL and not asker.is_hosted():
        return True
    if workspace == asker.OPERATOR:
        return (thing.kind, verb) in FOR_OPERATOR
    if workspace != asker.NOBODY and workspace == thing.owner:
        return True
    return thing.is_shared and verb in FOR_GUESTS


def require(verb: Verb, thing: Thing, workspace: str | None = None) -> None:
    """Raises DeniedError unless the workspace, by default that of this request, may do that."""
    who = asker.current() if workspace is None else workspace
    if may(who, verb, thing):
        return
    if may(who, "view", thing):
        raise DeniedError(
            f"The {thing.kind} `{shortened(thing.id)}` belongs to somebody else: you can look at it and try it, but"
            f" not {verb} it."
        )
    raise unknown(thing.kind, thing.id)


def unknown(kind: str, id: str) -> DeniedError:
    """What is said where there is no such thing, and where it is private."""
    return DeniedError(
        f"There is no {kind} `{shortened(id)}` here that you may open: it was deleted, or its owner has not shared it;"
        " choose one of yours, or ask for its link."
    )


@contextmanager
def reading_upload() -> Iterator[None]:
    """Reads the files of an upload, in the folder where they are."""
    token = _reads_upload.set(True)
    try:
        yield
    finally:
        _reads_upload.reset(token)


def require_files(kind: str, *, may_be_upload: bool = True) -> None:
    """Raises DeniedError where a visitor of a hosted server names files of that server, as `kind` of source."""
    is_upload = may_be_upload and _reads_upload.get()
    if asker.is_hosted() and asker.current() != asker.LOCAL and not is_upload:
        raise DeniedError(
            f"A source of the kind `{kind}` names files of the server, which its visitors cannot read; upload the"
            " files on Data."
        )


def run_folder(run: str | Path, verb: Verb = "explore") -> Path:
    """The folder of a run: by its id under `S2S_HOME`, by the name of a demo run or, on one's own computer, by a path.

    A Path comes from this program, not from a visitor, and is not checked. Raises UserError where there is no such run
    or this workspace may not do that with it.
    """
    is_own_computer = asker.current() == asker.LOCAL
    candidates = [Path(run)] if is_own_computer or isinstance(run, Path) else []
    if ID.fullmatch(str(run)):
        candidates += [runs_folder() / str(run), settings.SHIPPED / str(run)]
    for folder in candidates:
        if os.path.isfile(folder / "recipe.json"):  # also for a name that is too long
            if not isinstance(run, Path):
                require(verb, run_in(folder))
            return folder
    if not is_own_computer:
        raise unknown("run", str(run))
    shipped = ", ".join(sorted(path.parent.name for path in settings.SHIPPED.glob("*/recipe.json")))
    raise UserError(
        f"There is no run `{shortened(run)}`: neither the folder nor the id of a run; the demo"
        f" runs are {shipped or 'none'}."
    )


def runs_folder() -> Path:
    """The folder of all runs."""
    return settings.home() / "runs"


def run_in(folder: Path) -> Thing:
    """The run in a folder. Raises OSError where it has no recipe.json; a damaged one is the operator's."""
    owner = (
        asker.EVERYBODY
        if folder.parent == settings.SHIPPED
        else stored.about(folder / "recipe.json").owner
    )
    return Thing("run", folder.name, owner, sharing("run", folder.name).link)


def run_of(run_id: str, owner: str) -> Thing:
    """A run that has no folder yet, or has just been read."""
    return Thing("run", run_id, owner, sharing("run", run_id).link)


def training_data_in(folder: Path) -> Thing:
    """The dataset of the run in a folder, which is shared separately unless all of it ships with the program."""
    run = run_in(folder)
    said = stored.about(folder / "recipe.json")
    if all(spec.startswith(SHIPPED_SOURCES) for spec in (said.source, said.valid or said.source)):
        return Thing("dataset of the run", run.id, asker.EVERYBODY)
    is_shared = run.is_shared and sharing("run", run.id).data
    return Thing("dataset of the run", run.id, run.owner, is_shared)


def may_see_data(folder: Path) -> bool:
    """Whether this request may see sentences of the dataset of the run in a folder; not of one deleted meanwhile."""
    try:
        return may(asker.current(), "view", training_data_in(folder))
    except OSError:
        return False


@contextmanager
def reading_data_of(folder: Path) -> Iterator[None]:
    """Reads the dataset of the run in a folder, as its owner where that shares its sentences.

    Raises DeniedError where it does not. What goes wrong tells a guest nothing of the dataset, not even its id.
    """
    run = run_in(folder)
    require("view", training_data_in(folder))
    is_own = may(asker.current(), "change", run)
    try:
        with asker.acting_as(asker.current() if is_own else run.owner):
            yield
    except UserError as error:
        if is_own or run.owner == asker.EVERYBODY:
            raise
        raise UserError(
            f"The dataset of the run `{shortened(run.id)}` cannot be read now: it was deleted or is damaged; ask the"
            " owner of the run."
        ) from error


def evaluation_of(evaluation: str, owner: str) -> Thing:
    """An evaluation: its scores, and what they were made with."""
    return Thing("evaluation", evaluation, owner, sharing("evaluation", evaluation).link)


def sentences_of(evaluation: str, owner: str) -> Thing:
    """The sentences of an evaluation's test set and their translations, which are shared separately."""
    said = sharing("evaluation", evaluation)
    return Thing("test set of the evaluation", evaluation, owner, said.link and said.data)


def sharing(kind: str, id: str) -> Sharing:
    """What is shared of a run or an evaluation; nothing where its owner has never said."""
    if not ID.fullmatch(id):
        return Sharing()
    try:
        content = json.loads(_sharing_file(kind, id).read_bytes())
        return Sharing(
            content["link"] is True, content["data"] is True, content.get("copy") is True
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Sharing()


def share(thing: Thing, what: Sharing) -> None:
    """Share a run or an evaluation, or end that. Raises DeniedError for another's, and for what does not exist.

    Its files say whose it is; only of a run that waits, which has none, the caller does.
    """
    require("change", _as_stored(thing))
    files.write_json(_sharing_file(thing.kind, thing.id), {"format": FORMAT, **asdict(what)})


def _as_stored(thing: Thing) -> Thing:
    folder, name = SHARED[thing.kind]
    if not ID.fullmatch(thing.id):
        raise unknown(thing.kind, thing.id)
    try:
        owner = stored.about(settings.home() / folder / thing.id / name).owner
    except OSError as error:
        if thing.kind == "run":
            return thing
        raise unknown(thing.kind, thing.id) from error
    return replace(thing, owner=owner)


def is_decided(thing: Thing) -> bool:
    """Whether the owner has ever shared a run or an evaluation, or ended that."""
    return _sharing_file(thing.kind, thing.id).is_file()


def forget(kind: str, id: str) -> None:
    """What was shared of a thing that has been deleted."""
    if ID.fullmatch(id):
        _sharing_file(kind, id).unlink(missing_ok=True)
        _set_aside(kind, id).unlink(missing_ok=True)


def set_aside(kind: str, id: str) -> None:
    """What was shared of a thing whose deletion can be undone: nothing from now on, until `bring_back`."""
    with contextlib.suppress(FileNotFoundError):
        os.utime(_sharing_file(kind, id))  # when it was deleted
        os.replace(_sharing_file(kind, id), _set_aside(kind, id))


def bring_back(kind: str, id: str) -> None:
    """What was shared of a thing whose deletion was undone."""
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
