"""Everything of a workspace as one zip, written to a file and handed out once to the browser that asked for it."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import shutil
import threading
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path

from s2s import lessons, settings, versions
from s2s.config import UserError, asker
from s2s.files import archives, stored
from s2s.files.stored import Item
from s2s.hosted import keys, rows
from s2s.links import short as short_links

LIFETIME = 3600.0  # seconds for which an export can be downloaded
NAME = re.compile(r"[0-9a-f]{64}-[0-9a-f]{32}")
FOLDERS = {  # in the zip
    stored.RUN: "runs",
    stored.DATASET: "datasets",
    stored.EVALUATION: "evaluations",
    stored.UPLOAD: "uploads",
    stored.MEASUREMENT: "measurements",
}
README = """# {title}

Exported on {date} (UTC): {counts}.

runs/         one folder per training run: recipe.json is the request, metrics.jsonl what was measured, samples.jsonl
              translations during training, checkpoints/ the weights (safetensors)
datasets/     one folder per saved dataset: train.src and train.tgt, one sentence per line; train.refs, where there is
              one, has further references (JSON); about.json has its name
evaluations/  one folder per evaluation: test.jsonl, the translations (lines-*.jsonl), scores.json
uploads/      files that were uploaded and not saved yet
measurements/ one folder per measurement of Many sentences: measurement.json is the request, result.json what was found
lessons/      one file per lesson that you made; the page Lessons imports it
lessons.json  by lesson and step, the best answer so far: right, nearly, wrong, or empty where none was given
short-links.json  your short links: letters, title, note, when they were made, what they kept of their run, and the full
              link; after the address of another dashboard it opens the same view, where that has the run

A run's folder can be used with `python -m s2s translate FOLDER`; below ~/.s2s/runs (or S2S_HOME/runs), with its id as
its name, the dashboard lists it. The id is the last word of each folder's name.
"""
_ONE_AT_A_TIME = threading.Lock()  # writing one keeps the disk busy


def write_export(workspace: str, browser: str, *, now: float | None = None) -> str:
    """Writes the zip; returns the name by which this browser, known by its cookie, downloads it within an hour.

    Raises UserError where there is nothing to export or the disk is too full.
    """
    now = time.time() if now is None else now
    rows.require("download", workspace)
    items = [item for item in stored.items(workspace) if not item.is_deleted]
    if not items and not _written():
        raise UserError("There is nothing to export: this workspace has stored nothing.")
    with _ONE_AT_A_TIME:
        delete_exports(workspace)
        _check_space(sum(item.n_bytes for item in items))
        name = f"{keys.digest('export', browser)}-{secrets.token_hex(16)}"
        folder = _folder() / workspace
        unfinished = folder / ".unfinished"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(unfinished, "w") as archive:
                archives.add(archive, "README.md", _readme(items, now).encode())
                for item in items:
                    _add(archive, item)
                for file, content in _written().items():
                    archives.add(archive, file, content)
            unfinished.rename(folder / f"{name}.zip")
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise UserError(
                f"The export cannot be written ({error.strerror or error}); nothing of yours was changed. Try again"
                " later, or download what you need on its own page."
            ) from error
        finally:
            unfinished.unlink(missing_ok=True)
    return name


def _written() -> dict[str, bytes]:
    found = {}
    if links := short_links.own():
        content = json.dumps([each.to_json() for each in links], indent=1)
        found["short-links.json"] = content.encode()
    if done := lessons.all_progress():
        found["lessons.json"] = _progress(done)
    for each in lessons.own_lessons():
        file = f"lessons/{_safe(each.lesson.title)}-{each.lesson.id}.json"
        found[file] = lessons.lesson_file.write(each.lesson).encode()
    return found


def find_export(name: str, browser: str) -> Path | None:
    """The zip of that name, for the browser that asked for it; None where there is none any more."""
    if not NAME.fullmatch(name) or not secrets.compare_digest(
        name.partition("-")[0], keys.digest("export", browser)
    ):
        return None
    return next(_folder().glob(f"*/{name}.zip"), None)


def delete_exports(workspace: str) -> None:
    shutil.rmtree(_folder() / workspace, ignore_errors=True)


def delete_old_exports(now: float) -> None:
    """Deletes exports that are over an hour old, also unfinished ones."""
    for path in _folder().glob("*/*"):
        with contextlib.suppress(OSError):
            if now - path.stat().st_mtime > LIFETIME:
                shutil.rmtree(path.parent)


def _folder() -> Path:
    return settings.home() / stored.EXPORTS


def _check_space(n_bytes: int) -> None:
    stored.require_total(n_bytes)
    free = shutil.disk_usage(settings.home()).free
    if n_bytes * 1.1 + 50e6 > free:
        raise UserError(
            f"The export needs up to {n_bytes / 1e6:,.0f} MB on this server, which has no room for it now; download"
            " what you need on its own page, or try again later."
        )


def _add(archive: zipfile.ZipFile, item: Item) -> None:
    top = f"{FOLDERS[item.kind]}/{_safe(item.name)}-{_safe(item.id.lstrip('.'))}"
    for path in sorted(item.folder.rglob("*")):
        relative = path.relative_to(item.folder)
        is_hidden = any(part.startswith(".") for part in relative.parts)
        if is_hidden or path.is_symlink() or not path.is_file():
            continue
        name = "/".join([top, *map(_safe, relative.parts)])
        with contextlib.suppress(FileNotFoundError):
            is_json = path.suffix == ".json"
            content = _without_server(path.read_bytes(), item) if is_json else path
            archives.add(archive, name, content)


def _progress(done: Mapping[str, lessons.LessonProgress]) -> bytes:
    answers = {lesson: dict(progress.answers) for lesson, progress in done.items()}
    return json.dumps(answers, indent=1, sort_keys=True).encode()


def _without_server(content: bytes, item: Item) -> bytes:
    home = json.dumps(str(settings.home().resolve()))[1:-1].encode()
    return content.replace(home, b"S2S_HOME").replace(item.owner.encode(), asker.LOCAL.encode())


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:60] or "unnamed"


def _readme(items: list[Item], now: float) -> str:
    kinds = [item.kind for item in items]
    counts = ", ".join(f"{FOLDERS[kind]}: {kinds.count(kind)}" for kind in FOLDERS if kind in kinds)
    date = time.strftime("%Y-%m-%d %H:%M", time.gmtime(now))
    return README.format(title=f"My workspace in {versions.NAME}", date=date, counts=counts)
