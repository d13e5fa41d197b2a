"""Reads one dataset in a process of its own, and writes its profile as JSON into its folder."""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from s2s import files, hub, settings
from s2s.config import DataConfig, asker
from s2s.data import saved_datasets
from s2s.data.options import Caps
from s2s.data.profile import SLOTS
from s2s.data.sections import PROFILE_SECTIONS, Progress, ReaderJob, Section
from s2s.data.server_files import reading_upload
from s2s.files import stored
from s2s.processes import bounds
from s2s.processes.child import Here

NICENESS = 5  # the dashboard goes first; not beside other sessions: somebody waits for this one
WATCH_SECONDS = 0.5  # between two looks whether what is read was deleted
UPDATE_SECONDS = 0.25  # between two looks how far it has been read
READ_WEIGHT = 3.0  # of reading itself, next to the weights of the sections
DOWNLOAD_SCALE = 20.0  # seconds after which 63% (1 - 1/e) of a download is assumed to be done
# Results kept per section, each for other settings.
MAX_RESULTS = 8
MAX_EXPORTS = 2


def read(order: Mapping[str, Any], here: Here) -> Iterator[Any]:
    """The work of the reader process: waits for a slot, then reads the dataset of the order."""
    bounds.nice(NICENESS)
    waiting = partial(Progress(here.tell, READ_WEIGHT).stage, weight=0.0)
    with (
        _DeletionWatcher(Path(order["folder"])),
        SLOTS.held(settings.home() / "incoming", order["workspace"], waiting),
    ):
        # from now on: who waits has read nothing yet
        bounds.end_after(Caps.from_json(order["caps"]).seconds)
        carry_out(order, here.tell)
    yield from ()


def carry_out(order: Mapping[str, Any], tell: Callable[..., None]) -> None:
    """Reads the dataset and computes the sections."""
    data = DataConfig.from_json(order["data"])
    sections = {key: PROFILE_SECTIONS[key] for key in order["parts"]}
    total = READ_WEIGHT + sum(section.weight for section in sections.values())
    job = ReaderJob(Path(order["folder"]), order["spec"], data, Progress(tell, total))
    with contextlib.ExitStack() as stack:
        stack.enter_context(asker.acting_as(order["workspace"]))
        stack.enter_context(saved_datasets.reading_only(job.folder))  # who ordered this opened it
        if (uploaded := Path(order["files"])).is_dir():
            # so that errors name the files without their folders
            stack.enter_context(contextlib.chdir(uploaded))
            stack.enter_context(reading_upload())
        stack.enter_context(hub.using(order["token"]))
        _compute(job, sections)


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
