"""A text looked into by a process of its own, which leaves what it found as JSON in a folder. Knows nothing of screens.

A page shows these few kilobytes and never holds the text itself. A text that was just brought is a draft: a folder of its own in
S2S_HOME/incoming, with the files as they came, until it is kept (`corpora.adopt`), deleted, or a day old.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from s2s import files, settings
from s2s.config import DataConfig, UserError
from s2s.data.caps import Caps

FORMAT = 1
DAY = 86_400.0  # seconds that a draft is kept
GRACE = 5.0  # seconds beyond the deadline until a reading is ended from outside
SPEAKING = frozenset(",#=:/\\")  # what means something in a spec
USUAL = DataConfig()
CAPS = Caps()


@dataclass(frozen=True)
class State:
    """How far a reading is: `share` from 0 to 1, `left` in seconds once that can be said, `error` a sentence where it failed."""

    doing: str = ""
    share: float = 0.0
    left: float | None = None
    error: str = ""
    is_over: bool = False


def digest(*parts: Any) -> str:
    """Eight hex digits of anything that JSON holds: the name of a result for just these settings."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:8]


@dataclass
class Study:
    """One folder, one spec, and the process that is at work there, if one is. A spec's files are named from `folder / "files"`."""

    folder: Path
    spec: str = ""
    asked: tuple[
        str, ...
    ] = ()  # what the last process was to make: parts, and the settings they hang on
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _order: str = ""  # names its state file: a folder may be read for two visits at once
    _started: float = 0.0
    _ends: float = 0.0
    _guess: float = math.inf  # of the seconds left
    _end: State | None = None

    def start(
        self,
        parts: Iterable[str],
        *,
        asked: tuple[str, ...] = (),
        data: DataConfig = USUAL,
        caps: Caps = CAPS,
        token: str = "",
    ) -> None:
        """Have parts of `reader.PARTS` made. Raises UserError where no process can be started."""
        self.stop()
        self._order = f"state-{settings.new_id()}"
        self._end = None
        self.asked = asked
        self._guess = math.inf
        place = {"folder": str(self.folder), "state": self._order, "spec": self.spec}
        order = {
            **place,
            "parts": list(parts),
            "data": data.to_json(),
            "caps": caps.to_json(),
            "token": token,
        }
        files.write_json(self._state_file, {"doing": "Starting.", "share": 0.0})
        self._process = _spawn(order)
        self._started = time.monotonic()
        self._ends = self._started + caps.seconds + GRACE

    @property
    def _state_file(self) -> Path:
        return self.folder / f"{self._order}.json"

    def state(self) -> State:
        """Where the last reading stands; over at once where none was started."""
        process = self._process
        if process is None:
            return self._end or State(is_over=True)
        code = process.poll()
        said = self.result(self._order) or {"share": 0.0}
        if code is None and time.monotonic() > self._ends:
            process.kill()
            process.wait()
            code = -signal.SIGALRM
        if code is None:
            share = float(said.get("share", 1.0))
            spent = time.monotonic() - self._started
            return State(
                str(said.get("doing", "")),
                share,
                self._left(spent / share - spent) if share > 0.1 else None,
            )
        error = str(said.get("error", "")) if said.get("is_over") else _died(code)
        return self._over(State(share=1.0, error=error, is_over=True))

    def _left(self, seconds: float) -> float | None:
        """Said only where it falls: a guess that grows is none."""
        before = self._guess
        self._guess = seconds
        return seconds if seconds <= before else None

    def _over(self, state: State) -> State:
        self._process = None
        self._end = state
        self._state_file.unlink(missing_ok=True)
        return state

    @property
    def is_at_work(self) -> bool:
        """Whether a process is reading."""
        return not self.state().is_over

    def stop(self) -> None:
        """End the process, if there is one."""
        if (
            self._process is not None and self.is_at_work
        ):  # one that has ended takes its state file along
            self._process.kill()
            self._process.wait()
            self._over(State(error="The reading was stopped.", is_over=True))

    def forget(self) -> None:
        """As if nothing had been asked for: what is missing is made anew."""
        self.stop()
        self.asked = ()
        self._end = None

    def clear(self) -> None:
        """Delete what was found out; what was brought stays."""
        self.forget()
        for path in self.folder.glob("*"):
            if path.is_file() and path.name != "offer.json":
                path.unlink(missing_ok=True)

    def result(self, name: str) -> dict[str, Any] | None:
        """What was left as `name.json`; None where there is none (yet)."""
        try:
            content = json.loads((self.folder / f"{name}.json").read_bytes())
        except (OSError, ValueError):
            return None
        return content if isinstance(content, dict) else None

    def delete(self) -> None:
        """Away with the folder and all that is in it."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def bring(self, name: str, content: bytes | memoryview) -> str:
        """Put a file beside the others; returns its name in a spec. Raises UserError where it cannot be written."""
        kept = PurePath(name.replace("\\", "/")).name[-80:].lstrip(".")
        safe = (
            "".join(sign if sign.isprintable() and sign not in SPEAKING else "_" for sign in kept)
            or "text"
        )
        while (self.folder / "files" / safe).exists():
            safe = f"2_{safe}"
        files.write_bytes(self.folder / "files" / safe, content)
        return safe


def _died(code: int) -> str:
    if code == -signal.SIGALRM:
        return f"The reading took longer than {CAPS.seconds:.0f} seconds and was ended; bring a smaller part of the text."
    if code in (-signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT):
        return "The reading was ended by the machine, most likely for want of memory; bring a smaller part of the text."
    return "The reading ended without a result; try again, and if it happens again, bring another file."


def sweep() -> None:
    """Delete the drafts that are older than a day: the dashboard does it once an hour."""
    for old in (settings.home() / "incoming").glob("*"):
        with contextlib.suppress(OSError):
            if old.is_dir() and time.time() - old.stat().st_mtime > DAY:
                shutil.rmtree(old, ignore_errors=True)


def draft() -> Study:
    """A fresh folder for a text that is being brought. Raises UserError where nothing can be written."""
    study = Study(settings.home() / "incoming" / settings.new_id())
    try:
        (study.folder / "files").mkdir(parents=True)
    except OSError as error:
        raise UserError(
            f"No text can be taken in now ({error.strerror or error}); try again later."
        ) from error
    return study


def of(spec: str) -> Study:
    """Of a text that is kept, or ships with the program. Raises UserError for what is neither."""
    kind, _, place = spec.partition(":")
    if kind == "corpus" and re.fullmatch("[0-9a-f]{16}", place):
        return Study(settings.home() / "corpora" / place, spec)
    if not re.fullmatch(r"[\w-]+", place) or not re.fullmatch(r"\w+", kind):
        raise UserError(f"There is no text `{spec[:60]}` to look into; choose another one.")
    return Study(settings.home() / "studies" / f"{FORMAT}-{kind}-{place}", spec)


def _spawn(order: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    """`-P`: nothing is ever imported from the folder of a visitor's files."""
    root = str(Path(settings.__file__).parents[1])
    log = settings.home() / "log"
    try:
        log.mkdir(parents=True, exist_ok=True)
        with (log / "reader.log").open("ab") as errors:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "s2s.data.reader"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                cwd=root,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(
                        filter(None, (root, os.environ.get("PYTHONPATH")))
                    ),
                },
            )
    except OSError as error:
        raise UserError(
            f"The text cannot be read now ({error.strerror or error}); try again later."
        ) from error
    threading.Thread(
        target=process.wait, name="reap a reader", daemon=True
    ).start()  # whoever asked for it may be gone by then
    assert process.stdin is not None  # PIPE
    with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(json.dumps(order).encode())
    return process
