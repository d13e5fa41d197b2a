"""Dataset profiles: a process beside the dashboard reads a dataset under limits and writes JSON into a folder.

A page shows these few kilobytes and never holds the dataset itself. Knows nothing of screens.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from s2s import files, settings
from s2s.config import DataConfig, UserError, asker
from s2s.data import saved_datasets
from s2s.data.caps import Caps
from s2s.data.reader_slots import MAX_WAIT
from s2s.data.reader_start import start_reader
from s2s.processes import bounds

FORMAT = 1
GRACE = 5.0  # seconds after the deadline until a reader is killed from outside
SPEC_CHARACTERS = frozenset(",#=:/\\")  # those with a meaning in a SPEC
MAX_NAME = 80  # characters of an uploaded file's name
MAX_NAME_BYTES = 200  # file systems take 255, and a temporary name is longer
DEFAULT_DATA = DataConfig()
CAPS = Caps()


@dataclass(frozen=True)
class ReadingState:
    """Progress: `share` from 0 to 1, `left` in seconds once it can be estimated, `error` a sentence if it failed."""

    doing: str = ""
    share: float = 0.0
    left: float | None = None
    error: str = ""
    is_over: bool = False


def digest(*values: Any) -> str:
    """Eight hex digits for JSON values: they name a result that depends on these settings."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:8]


@dataclass
class DatasetProfile:
    """One folder, one SPEC, and the reader process, while one runs.

    The SPEC names files relative to `files`.
    """

    folder: Path
    spec: str = ""
    files_folder: Path | None = None  # of uploaded files; None: `files` in the folder
    request: tuple[str, ...] = ()  # of the last process: sections, and the settings they depend on
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _state_name: str = ""  # unique, since two visitors may read one folder at the same time
    _started: float = 0.0
    _deadline: float = 0.0
    _seconds_left: float = math.inf  # the last estimate
    _final_state: ReadingState | None = None

    def start(
        self,
        sections: Iterable[str],
        *,
        request: tuple[str, ...] = (),
        data: DataConfig = DEFAULT_DATA,
        caps: Caps = CAPS,
        token: str = "",
    ) -> None:
        """Starts a process that computes some of `PROFILE_SECTIONS`. Raises UserError if no process can be started."""
        self.stop()
        self._state_name = f"state-{settings.new_id()}"
        self._final_state = None
        self.request = request
        self._seconds_left = math.inf
        order = {
            "folder": str(self.folder),
            "files": str(self.files),
            "state": self._state_name,
            "spec": self.spec,
            "parts": list(sections),
            "data": data.to_json(),
            "caps": caps.to_json(),
            "token": token,
            "workspace": asker.current(),
        }
        files.write_json(self._state_file, {"doing": "Starting.", "share": 0.0})
        self._process = _spawn(order)
        self._started = time.monotonic()
        self._deadline = self._started + MAX_WAIT + caps.seconds + GRACE

    @property
    def files(self) -> Path:
        """The folder of the uploaded files; for other datasets there is none."""
        return self.files_folder or self.folder / "files"

    @property
    def _state_file(self) -> Path:
        return self.folder / f"{self._state_name}.json"

    def state(self) -> ReadingState:
        """The progress of the last reading; over at once if none was started."""
        process = self._process
        if process is None:
            return self._final_state or ReadingState(is_over=True)
        code = process.poll()
        progress = self.result(self._state_name) or {"share": 0.0}
        if code is None and time.monotonic() > self._deadline:
            process.kill()
            process.wait()
            code = bounds.TIME_OVER
        if code is None:
            return self._running(progress)
        error = str(progress.get("error", "")) if progress.get("is_over") else _exit_error(code)
        return self._finish(ReadingState(share=1.0, error=error, is_over=True))

    def _running(self, progress: Mapping[str, Any]) -> ReadingState:
        share = float(progress.get("share", 1.0))
        spent = time.monotonic() - self._started
        left = self._estimate(spent / share - spent) if share > 0.1 else None
        return ReadingState(str(progress.get("doing", "")), share, left)

    def _estimate(self, seconds: float) -> float | None:
        """The seconds left, unless they grew since the last estimate: then nothing is shown."""
        before = self._seconds_left
        self._seconds_left = seconds
        return seconds if seconds <= before else None

    def _finish(self, state: ReadingState) -> ReadingState:
        self._process = None
        self._final_state = state
        self._state_file.unlink(missing_ok=True)
        return state

    @property
    def is_reading(self) -> bool:
        """Whether a reader process is running."""
        return not self.state().is_over

    def stop(self) -> None:
        """Kills the reader process, if one is running."""
        # `is_reading` also cleans up after a process that has already ended.
        if self._process is not None and self.is_reading:
            self._process.kill()
            self._process.wait()
            self._finish(ReadingState(error="Reading was stopped.", is_over=True))

    def reset(self) -> None:
        """Forgets the last request, so that missing results are computed again."""
        self.stop()
        self.request = ()
        self._final_state = None

    def result(self, name: str) -> dict[str, Any] | None:
        """The content of `name.json`; None until there is one."""
        try:
            content = json.loads((self.folder / f"{name}.json").read_bytes())
        except files.UNREADABLE:  # not written yet, or damaged: it is computed again
            return None
        return content if isinstance(content, dict) else None

    def delete(self) -> None:
        """Deletes the folder with everything in it."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def add_file(self, name: str, content: bytes | memoryview) -> str:
        """Stores an uploaded file; returns its name in a SPEC. Raises UserError if it cannot be written."""
        last = PurePath(name.replace("\\", "/")).name[-MAX_NAME:].lstrip(".")
        safe = "".join(_safe(character) for character in last) or "text"
        safe = safe.encode()[-MAX_NAME_BYTES:].decode(errors="ignore")
        while (self.files / safe).exists():
            safe = f"2_{safe}"
        files.write_bytes(self.files / safe, content)
        return safe


def _safe(character: str) -> str:
    return character if character.isprintable() and character not in SPEC_CHARACTERS else "_"


def _exit_error(code: int) -> str:
    if bounds.is_time_over(code):
        return (
            f"Reading took longer than {CAPS.seconds:.0f} seconds and was stopped; upload a smaller part"
            " of the dataset."
        )
    if bounds.is_killed(code) or code in (-signal.SIGSEGV, -signal.SIGABRT):
        return (
            "The operating system stopped the reader, most likely because it ran out of memory; upload a"
            " smaller part of the dataset."
        )
    return "The reader ended without a result; try again, and if that fails, upload another file."


def new_upload() -> DatasetProfile:
    """A new folder for an upload. Raises UserError if it cannot be created."""
    upload = DatasetProfile(settings.home() / "incoming" / settings.new_id())
    try:
        (upload.folder / "files").mkdir(parents=True)
    except OSError as error:
        raise UserError(
            f"Uploads cannot be stored now ({error.strerror or error}); try again later."
        ) from error
    return upload


def profile_of(spec: str) -> DatasetProfile:
    """The profile of one's own saved dataset, or of one that ships with the program. Raises UserError for any other."""
    kind, _, place = spec.partition(":")
    if kind == "corpus" and re.fullmatch("[0-9a-f]{16}", place):
        return DatasetProfile(saved_datasets.folder_of(place), spec)
    if not re.fullmatch(r"[\w-]+", place) or not re.fullmatch(r"\w+", kind):
        raise UserError(f"There is no dataset `{spec[:60]}` to profile; choose another one.")
    return DatasetProfile(settings.home() / "studies" / f"{FORMAT}-{kind}-{place}", spec)


def _spawn(order: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    from_hub = str(order["spec"]).startswith("hub:")
    process = start_reader("s2s.data.reader", order, start_new_session=True, from_hub=from_hub)
    # Reaps the process even after the visitor who started it has left.
    threading.Thread(target=process.wait, name="reap a reader", daemon=True).start()
    return process
