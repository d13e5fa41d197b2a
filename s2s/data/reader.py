"""`python -m s2s.data.reader`: reads one dataset under limits and writes its profile as JSON.

The order comes on standard input.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from s2s import files, hub, settings
from s2s.config import DataConfig, UserError, asker
from s2s.data import saved_datasets
from s2s.data.caps import Caps
from s2s.data.reader_slots import MAX_WAIT, reader_slot
from s2s.data.sections import PROFILE_SECTIONS, UPDATE_SECONDS, Progress, ReaderJob, Section
from s2s.data.server_files import reading_upload
from s2s.files import stored
from s2s.processes import bounds

NICENESS = 5  # the dashboard goes first
MAX_MEMORY = 4_000_000_000  # bytes
WATCH_SECONDS = 0.5  # between two looks whether what is read was deleted
READ_WEIGHT = 3.0  # of reading itself, next to the weights of the sections
DOWNLOAD_SCALE = 20.0  # seconds after which 63% (1 - 1/e) of a download is assumed to be done
# Results kept per section, each for other settings.
MAX_RESULTS = 8
MAX_EXPORTS = 2


def main() -> None:
    """Carries out the order on standard input, under bounds."""
    order = json.loads(sys.stdin.buffer.read())
    bounds.nice(NICENESS)
    seconds = Caps.from_json(order["caps"]).seconds
    bounds.end_after(MAX_WAIT + seconds)  # whatever happens before there is a slot
    saved_datasets.open_by(partial(_only, Path(order["folder"])))
    waiting = partial(Progress(_state(order), READ_WEIGHT).stage, weight=0.0)
    try:
        with (
            _DeletionWatcher(Path(order["folder"])),
            reader_slot(settings.home() / "incoming", order["workspace"], waiting),
        ):
            bounds.end_after(seconds)  # from now on: who waits has read nothing yet
            with bounds.limited_memory(MAX_MEMORY):
                carry_out(order)
    except UserError as error:
        files.write_json(_state(order), {"is_over": True, "error": str(error)})


def _only(folder: Path, hash: str) -> Path:
    """The one saved dataset that is read here: who ordered this has opened it."""
    if folder.name != hash:
        raise saved_datasets.unknown(hash)
    return folder


def carry_out(order: Mapping[str, Any]) -> None:
    """Reads the dataset, computes the sections and writes how it ended."""
    data = DataConfig.from_json(order["data"])
    sections = {key: PROFILE_SECTIONS[key] for key in order["parts"]}
    total = READ_WEIGHT + sum(section.weight for section in sections.values())
    job = ReaderJob(Path(order["folder"]), order["spec"], data, Progress(_state(order), total))
    with contextlib.ExitStack() as stack:
        stack.enter_context(asker.acting_as(order["workspace"]))
        if (uploaded := Path(order["files"])).is_dir():
            # so that errors name the files without their folders
            stack.enter_context(contextlib.chdir(uploaded))
            stack.enter_context(reading_upload())
        error = _run(job, sections, order["token"])
    files.write_json(_state(order), {"is_over": True, "error": error})


def _state(order: Mapping[str, Any]) -> Path:
    return Path(order["folder"]) / f"{order['state']}.json"


def _run(job: ReaderJob, sections: Mapping[str, Section], token: str) -> str:
    """Computes the sections; returns an error message, or "" after success."""
    try:
        with hub.using(token):
            _compute(job, sections)
    except UserError as error:
        return str(error)
    except MemoryError:
        return "The dataset needs more memory than the reader may use; upload a smaller part of it."
    except Exception as error:
        # Log where, not what: an exception's message may quote a visitor's text.
        frames = traceback.format_tb(error.__traceback__)
        print(type(error).__name__, *frames, sep="\n", file=sys.stderr)
        return settings.internal_error(error, "reader.log")
    return ""


def _compute(job: ReaderJob, sections: Mapping[str, Section]) -> None:
    for key, section in sections.items():
        if key != "offer" and "train" not in vars(job):
            job.progress.stage("Reading the dataset.", READ_WEIGHT)
            with _ReadWatcher(job.progress):
                _ = job.train
        job.progress.stage(section.doing, section.weight)
        result = section.compute(job)
        if result is not None:
            files.write_json(job.folder / f"{section.name(key, job.data)}.json", result)
            _delete_old_results(job.folder, key)


def _delete_old_results(folder: Path, key: str) -> None:
    """Keeps the newest results of a section that was computed with several settings."""
    for suffix, n_kept in (
        (".json", MAX_RESULTS),
        (".parquet", MAX_EXPORTS),
        (".csv", MAX_EXPORTS),
    ):
        results = sorted(folder.glob(f"{key}-*{suffix}"), key=_written, reverse=True)
        for path in results[n_kept:]:
            # First what says that the file is there; at the end the tokenizers of a comparison.
            path.with_suffix(".json").unlink(missing_ok=True)
            path.unlink(missing_ok=True)
            shutil.rmtree(path.with_suffix(""), ignore_errors=True)


def _written(path: Path) -> float:
    """When; 0 where another reader has just deleted it."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


class _DeletionWatcher(threading.Thread):
    """Ends this process when the upload or saved dataset that it reads is deleted, and deletes what it wrote since."""

    def __init__(self, folder: Path, end: Callable[[int], object] = os._exit) -> None:
        super().__init__(name="deletion watcher", daemon=True)
        self.abouts = [folder / name for name in (stored.UPLOAD.about, stored.DATASET.about)]
        self.folder = folder
        self.end = end
        self.over = threading.Event()

    def run(self) -> None:
        was_there = False
        while not self.over.wait(WATCH_SECONDS):
            is_there = any(about.exists() for about in self.abouts)
            if was_there and not is_there:
                shutil.rmtree(self.folder, ignore_errors=True)
                self.end(0)
                return
            was_there = is_there

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_: object) -> None:
        self.over.set()


class _ReadWatcher(threading.Thread):
    """Reports how far the open files have been read; for a download, an estimate from the elapsed time."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(name="read watcher", daemon=True)
        self.progress = progress
        self.over = threading.Event()

    def run(self) -> None:
        here = Path.cwd()
        process = psutil.Process()
        started = time.monotonic()
        while not self.over.wait(UPDATE_SECONDS):
            opened = [file for file in process.open_files() if Path(file.path).parent == here]
            if opened:
                n_read = sum(file.position for file in opened)
                n_bytes = sum(os.path.getsize(file.path) for file in opened)
                self.progress.update(n_read / max(1, n_bytes))
            else:
                self.progress.update(1 - math.exp((started - time.monotonic()) / DOWNLOAD_SCALE))

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.join()


if __name__ == "__main__":
    main()
