"""Runs that leave as a zip, and runs that come back as one: whose they are, and how much of it a workspace may have."""

from __future__ import annotations

import contextlib
import io
import secrets
import threading
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import IO

from s2s.config import UserError, asker, shortened
from s2s.data import opening
from s2s.files import UnwrittenError, stored
from s2s.jobs import run_service
from s2s.jobs.model_import import check_settings
from s2s.jobs.training import command, run_limits
from s2s.library import Library
from s2s.runs import RunFolder, archive, free_name, runs_folder
from s2s.settings import new_id
from s2s.sizing import count_parameters

MAX_DOWNLOAD = 200_000_000  # bytes that a page hands to a browser, from memory; as of an upload
ONE_AT_A_TIME = threading.Lock()  # of these downloads: each holds a whole model


def export(run: str, out: Path) -> RunFolder:
    """Writes a run, by folder or id, as a new zip. Raises UserError where that cannot be."""
    folder = Library().run(run, "download")
    if out.exists():
        raise UserError(
            f"`{shortened(out)}` exists already; give another name, or delete it first."
        )
    temporary = out.with_name(f".{out.name}.{secrets.token_hex(4)}")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        archive.write(folder, temporary)
        temporary.replace(out)
    except OSError as error:
        raise UnwrittenError(
            f"`{shortened(out)}` cannot be written ({error.strerror or error}); choose another folder or free some"
            " space."
        ) from error
    finally:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            temporary.unlink()
    return folder


def download(run_id: str) -> bytes:
    """A run as a zip for this request's browser to download. Raises UserError for a run that is too large."""
    folder = Library().run(run_id, "download")
    if why := too_large(folder):
        raise UserError(why)
    out = io.BytesIO()
    with ONE_AT_A_TIME:
        archive.write(folder, out)
    return out.getvalue()


def too_large(folder: RunFolder) -> str:
    """Why a run cannot be downloaded by a browser; "" where it can."""
    n_bytes = archive.size(folder)
    if n_bytes <= MAX_DOWNLOAD:
        return ""
    instead = "`python -m s2s export RUN --to run --out FILE.zip` writes it"
    if asker.is_hosted():
        instead = "Export all, under My workspace, has it"
    return (
        f"This run has {n_bytes / 1e6:,.0f} MB, more than the {MAX_DOWNLOAD / 1e6:,.0f} MB that a page hands over;"
        f" {instead}."
    )


def bring_in(content: bytes | Path, name: str, owner: str) -> str:
    """Opens a run from a zip in a workspace, in a process of its own; returns its new id. Nothing of it is shared.

    Raises UserError for a zip that holds no run or a damaged one, and where the workspace may not store that much.
    """
    names = [row.name for row in run_service.runs(owner)]
    ((run_id,),) = opening.opened(unpacked, [(name, content)], owner=owner, names=names)
    return str(run_id)


@opening.opener
def unpacked(files: opening.Files, *, owner: str, names: Collection[str]) -> list[list[str]]:
    """Unpacks a run from a zip, in a process of its own; the new id. No run of its owner has one of these `names`."""
    ((name, path),) = files
    with path.open("rb") as raw:
        return [[unpack(raw, name, owner, names)]]


def unpack(
    raw: IO[bytes], name: str, owner: str, names: Collection[str], *, without: Collection[str] = ()
) -> str:
    """Unpacks a run from a zip in this process, `without` some values of its recipe.json; returns its new id."""
    found = archive.opened(raw, name)
    stored.require_room(owner, n_bytes=found.n_bytes, runs=1)
    folder = runs_folder() / new_id()
    archive.unpack(found, folder, partial(_own, owner, names, without))
    return folder.name


def open_at(raw: IO[bytes], name: str, path: Path) -> RunFolder:
    """Unpacks the run of a zip into a new folder of this computer. Raises UserError as `bring_in` does."""
    return archive.unpack(archive.opened(raw, name), path, partial(_own, asker.LOCAL, (), ()))


def _own(owner: str, taken: Collection[str], without: Collection[str], folder: RunFolder) -> None:
    recipe = folder.recipe()
    src, tgt = folder.tokenizers()
    about = folder.about()
    check = (
        run_limits.check_opened_parameters if about.get("imported") else run_limits.check_parameters
    )
    check(count_parameters(recipe.model, src.vocab_size, tgt.vocab_size))
    check_settings(folder.starting_settings())
    for key in without:
        about.pop(key, None)
    about |= {"owner": owner, "name": free_name(about["name"] or folder.id, taken)}
    repeat = command.to_repeat(recipe, about)
    about["command"] = command.with_changes(repeat, about.get("changes", []))
    folder.write_about(about)
