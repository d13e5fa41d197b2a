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
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from s2s import files, settings
from s2s.config import DataConfig, UserError, asker
from s2s.data import saved_datasets
from s2s.data.options import Caps
from s2s.processes import bounds
from s2s.processes.program import EndedError, Process, Program, TooLargeError
from s2s.processes.slots import Slots

FORMAT = 1
READER = Program("s2s.data.reader:read", "reader")
HUB_READER = replace(READER, from_hub=True)
MAX_WAIT = 300.0  # seconds: as long as one reading may take
SLOTS = Slots(
    "reader",
    n=2,
    all_taken="Waiting for another dataset to be read.",
    has_one="Waiting for your other dataset to be read: one at a time, so that others can read theirs.",
    in_vain=f"Other datasets were being read for {MAX_WAIT:.0f} seconds; try again in a while.",
    max_wait=MAX_WAIT,
)
NO_RESULT = "The reader ended without a result; try again, and if that fails, upload another file."
GRACE = 5.0  # seconds after the deadline until a reader is killed from outside
SPEC_CHARACTERS = frozenset(",#=:/\\")  # those with a meaning in a SPEC
MAX_NAME = 80  # characters of an uploaded file's name
MAX_NAME_BYTES = 200  # file systems take 255, and a temporary name is longer
DEFAULT_DATA = DataConfig()
CAPS = Caps()


@dataclass(frozen=True)
class ReadingState:
    """A reading's progress: `share` from 0 to 1, `left` in seconds once it is estimated, `error` says why it failed."""

    doing: str = ""
    share: float = 0.0
    left: float | None = None
    error: str = ""
    is_over: bool = False


def digest(*values: Any) -> str:
    """Eight hex digits for JSON values: they name a result that depends on these settings."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:8]


class Reading:
    """A process that reads a dataset, and its progress. It continues even if nobody asks for that any more.

    Raises UserError if no process can be started.
    """

    def __init__(self, order: Mapping[str, Any], seconds: float) -> None:
        """Start the process, which may wait and read for `seconds`."""
        program = HUB_READER if str(order["spec"]).startswith("hub:") else READER
        try:
            self._process = Process(program)
        except OSError as error:
            raise UserError(
                f"The dataset cannot be read now ({error.strerror or error}); try again later."
            ) from error
        self._started = time.monotonic()
        self._seconds_left = math.inf  # the last estimate
        self._said: Mapping[str, Any] = {"doing": "Starting.", "share": 0.0}
        self._end: ReadingState | None = None
        number = self._process.order(order, seconds=seconds, memory=bounds.READER_MEMORY)
        follow = (number, seconds + GRACE)
        self._thread = threading.Thread(target=self._follow, args=follow, name="reading")
        self._thread.daemon = True
        self._thread.start()

    def _follow(self, number: int, seconds: float) -> None:
        error = NO_RESULT
        try:
            for _ in self._process.answers(number, seconds, self._hear):
                pass
            error = ""
        except UserError as found:
            error = str(found)
        except TooLargeError:
            error = "The dataset needs more memory than the reader may use; upload a smaller part of it."
        except TimeoutError:
            error = _exit_error(bounds.TIME_OVER)
        except EndedError as ended:
            error = _exit_error(ended.code)
        finally:
            self._end = self._end or ReadingState(share=1.0, error=error, is_over=True)
            self._process.close()

    def _hear(self, line: Mapping[str, Any]) -> None:
        self._said = line

    def state(self) -> ReadingState:
        """How far the process is, or how it ended."""
        if self._end:
            return self._end
        share = float(self._said["share"])
        spent = time.monotonic() - self._started
        left = self._estimate(spent / share - spent) if share > 0.1 else None
        return ReadingState(str(self._said["doing"]), share, left)

    def _estimate(self, seconds: float) -> float | None:
        """The seconds left, unless they grew since the last estimate: then nothing is shown."""
        before = self._seconds_left
        self._seconds_left = seconds
        return seconds if seconds <= before else None

    def stop(self) -> None:
        """Kills the process, if it still reads, and returns when it writes no more."""
        self._end = self._end or ReadingState(error="Reading was stopped.", is_over=True)
        self._process.close()
        self._thread.join()


@dataclass
class ProfileFolder:
    """The profile of one SPEC: its folder, and the reader process while one runs.

    The SPEC names files relative to `files`.
    """

    folder: Path
    spec: str = ""
    files_folder: Path | None = None  # of uploaded files; None: `files` in the folder
    request: tuple[str, ...] = ()  # of the last process: sections, and the settings they depend on
    _reading: Reading | None = field(default=None, repr=False)

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
        self.request = request
        order = {
            "folder": str(self.folder.absolute()),
            "files": str(self.files.absolute()),
            "spec": self.spec,
            "parts": list(sections),
            "data": data.to_json(),
            "caps": caps.to_json(),
            "token": token,
            "workspace": asker.current(),
        }
        self._reading = Reading(order, MAX_WAIT + caps.seconds)

    @property
    def files(self) -> Path:
        """The folder of the uploaded files; for other datasets there is none."""
        return self.files_folder or self.folder / "files"

    def state(self) -> ReadingState:
        """The progress of the last reading; over at once if none was started."""
        return self._reading.state() if self._reading else ReadingState(is_over=True)

    @property
    def is_reading(self) -> bool:
        """Whether a reader process is running."""
        return not self.state().is_over

    def stop(self) -> None:
        """Kills the reader process, if one is running."""
        if self._reading:
            self._reading.stop()

    def reset(self) -> None:
        """Forgets the last request, so that missing results are computed again."""
        self.stop()
        self.request = ()
        self._reading = None

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
    return NO_RESULT


def new_upload() -> ProfileFolder:
    """A new folder for an upload. Raises UserError if it cannot be created."""
    upload = ProfileFolder(settings.home() / "incoming" / settings.new_id())
    try:
        (upload.folder / "files").mkdir(parents=True)
    except OSError as error:
        raise UserError(
            f"Uploads cannot be stored now ({error.strerror or error}); try again later."
        ) from error
    return upload


def profile_of(spec: str) -> ProfileFolder:
    """The profile of one's own saved dataset, or of one that ships with the program. Raises UserError for any other."""
    kind, _, place = spec.partition(":")
    if kind == "corpus" and re.fullmatch("[0-9a-f]{16}", place):
        return ProfileFolder(saved_datasets.folder_of(place), spec)
    if not re.fullmatch(r"[\w-]+", place) or not re.fullmatch(r"\w+", kind):
        raise UserError(f"There is no dataset `{spec[:60]}` to profile; choose another one.")
    return ProfileFolder(settings.home() / "studies" / f"{FORMAT}-{kind}-{place}", spec)


def is_reading(owner: str) -> bool:
    """Whether a reader works for this workspace."""
    return SLOTS.holds(settings.home() / "incoming", owner)
