"""A published model from its name to a run: queued here, fetched and opened by a worker. A failure leaves nothing."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from s2s import files, hub, settings
from s2s.config import UserError, asker, shortened
from s2s.files import from_json, stored, to_json
from s2s.jobs import model_import
from s2s.jobs.context import JobContext
from s2s.jobs.imports import fetching
from s2s.jobs.imports import forecast as forecasts
from s2s.jobs.imports.forecast import ImportForecast
from s2s.library import Library, made_by, rights
from s2s.library.own import list_runs
from s2s.pretrained import read_config
from s2s.processes import queue
from s2s.processes.queue import Job
from s2s.runs import free_name

KIND = "import"
LONGEST_LANGUAGE = 20  # characters of a language's code


@dataclass(frozen=True)
class ImportRequest:
    """A published model to be opened: a model of the Hub at a revision, or a `folder` of this computer."""

    name: str
    sha: str = ""
    folder: str = ""
    src_language: str = ""
    tgt_language: str = ""

    @property
    def title(self) -> str:
        """The run's name: the model's, with the languages that it was given."""
        codes = "-".join(filter(None, (self.src_language, self.tgt_language)))
        return f"{self.name} {codes}".strip()


def require_folders() -> None:
    """Raises UserError for visitors of a hosted server, whose folders are not theirs."""
    if asker.is_hosted() and asker.current() != asker.LOCAL:
        raise UserError(
            "Folders of this server cannot be opened by its visitors; write the name of a model on the Hub."
        )


def folder_config(folder: str) -> dict[str, Any]:
    """The config.json of a checkpoint's folder on this computer. Raises UserError where that cannot be read."""
    require_folders()
    return read_config(_folder_of(folder))


def _folder_of(written: str) -> Path:
    """`~/model` -> `/home/me/model`."""
    return Path(os.path.expanduser(written))  # pathlib's own raises where it knows no such user


def submit(request: ImportRequest, found: ImportForecast) -> str:
    """Queue the import of a model that was looked up, and return the id of the run that it becomes.

    Always in the slot of short jobs: it mostly waits for the network, and must not wait for hours of training.
    Raises UserError where it is too large, or its languages are missing.
    """
    owner = asker.current()
    if request.folder:
        require_folders()
    check_languages(request, found)
    forecasts.check(found)
    stored.require_room(owner, n_bytes=found.model_bytes, runs=1)
    run_id = settings.new_id()
    queue.submit(KIND, owner, run_id, {**to_json(request), "threads": 1}, express=True)
    return run_id


def check_languages(request: ImportRequest, found: ImportForecast) -> None:
    """Raises UserError where a multilingual model is not told from which language to which."""
    codes = (request.src_language, request.tgt_language)
    if found.is_multilingual and not all(codes):
        raise UserError(
            f"`{shortened(request.name)}` translates between many languages; give the codes of the source and the"
            " target language as it writes them, for example en and fr (M2M100), eng_Latn and fra_Latn (NLLB), en_XX"
            " and fr_XX (mBART)."
        )
    if any(len(code) > LONGEST_LANGUAGE or not code.isprintable() for code in codes):
        raise UserError(f"The code of a language has at most {LONGEST_LANGUAGE} characters.")


@dataclass(frozen=True)
class ImportProgress:
    """How far an import is; `left` in seconds, of the download."""

    run: str
    name: str
    state: str  # queued, running, done, stopped, failed, interrupted
    done: int = 0  # bytes
    n: int = 0
    left: float | None = None
    note: str = ""
    error: str = ""
    wait: queue.Wait = queue.Wait()  # while it is queued

    @property
    def is_live(self) -> bool:
        """Whether the import waits or runs, so that this changes by itself."""
        return self.state in ("queued", "running")


def imports(owner: str) -> list[ImportProgress]:
    """The imports of a workspace, newest first."""
    return [_progress(job) for job in queue.jobs(owner, kind=KIND)]


def progress(run_id: str, owner: str) -> ImportProgress:
    """The progress of the import that becomes this run. Raises UserError where this workspace has no such import."""
    return _progress(_own(run_id, owner))


def cancel(run_id: str, owner: str) -> None:
    """Stop an import; nothing of it stays. Raises UserError where it neither waits nor runs."""
    job = _own(run_id, owner)
    if not job.is_live():
        raise UserError("This import neither waits nor runs; there is nothing to cancel.")
    queue.ask_to_stop(job.id, job.owner)


def _own(run_id: str, owner: str) -> Job:
    job = Library(owner).job(run_id, "change", "import")
    if job is None:
        raise rights.unknown("import", run_id)
    return job


def _progress(job: Job) -> ImportProgress:
    state = "interrupted" if job.state == "running" and not job.is_live() else job.state
    known = ImportProgress(job.run, str(job.spec.get("name", "")), state, error=job.error)
    if state == "queued":
        return replace(known, wait=queue.wait(job.id))
    if state != "running":
        return known
    status = _status(_folder(job.run))
    left = status.get("left")
    if left is not None:
        left = max(0.0, left - max(0.0, time.time() - status.get("at", 0.0)))
    n_bytes = (int(status.get("done", 0)), int(status.get("n", 0)))
    return replace(known, note=job.note, done=n_bytes[0], n=n_bytes[1], left=left)


def _status(folder: Path) -> dict[str, float]:
    try:
        return dict(json.loads((folder / fetching.STATUS).read_bytes()))
    except files.UNREADABLE:
        return {}


def _folder(run_id: str) -> Path:
    return settings.home() / "hub" / run_id


def work(job: Job, context: JobContext) -> Generator[None, None, None]:
    """Fetch and open the model of a job; the run appears at the end, or never."""
    if (made_by(job) / "recipe.json").exists():  # by a worker that died just after
        return
    _delete_leftovers()
    folder = _folder(job.run)
    shutil.rmtree(folder, ignore_errors=True)  # of a worker that died before
    request = from_json(ImportRequest, job.spec)
    try:
        yield from _fetched_and_opened(request, folder, job, context)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _delete_leftovers() -> None:
    parent = settings.home() / "hub"
    for name in os.listdir(parent) if parent.is_dir() else ():
        other = queue.latest(name)
        if other is None or not (other.kind == KIND and other.is_live()):
            shutil.rmtree(parent / name, ignore_errors=True)


def _fetched_and_opened(
    request: ImportRequest, folder: Path, job: Job, context: JobContext
) -> Iterator[None]:
    source = _folder_of(request.folder)
    if not request.folder:
        yield from _fetched(request, folder, context)
        source = folder / "files"
    context.tell("Opening the model.")
    yield
    made = folder / "run"
    model_import.import_folder(
        source,
        made,
        src_lang=request.src_language,
        tgt_lang=request.tgt_language,
        owner=job.owner,
        name=free_name(request.title, {row.name for row in list_runs(job.owner)}),
        origin="" if request.folder else request.name,
        revision=request.sha,
    )
    yield
    made_by(job).parent.mkdir(parents=True, exist_ok=True)
    os.replace(made, made_by(job))


def _fetched(request: ImportRequest, folder: Path, context: JobContext) -> Iterator[None]:
    context.tell("Looking up the model.")
    yield
    model = hub.preflight_model(request.name, revision=request.sha)
    forecasts.check(forecasts.forecast(model.config, model.size))
    context.tell("Downloading.")
    languages = (request.src_language, request.tgt_language)
    for _ in fetching.fetch(model, folder, *languages):
        yield
