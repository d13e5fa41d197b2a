"""A text looked into by a process of its own, which leaves what it found as JSON in a folder. Knows nothing of screens.

A page shows these few kilobytes and never holds the text itself. A text that was just brought is a draft: a folder of its own in
S2S_HOME/incoming, with the files as they came, until it is kept (`corpora.adopt`), deleted, or a day old.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
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
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _started: float = 0.0
    _ends: float = 0.0
    _stopped: bool = False

    def start(self, parts: Iterable[str], *, data: DataConfig = USUAL, caps: Caps | None = None, token: str = "") -> None:
        """Have parts of `reader.PARTS` made. Raises UserError where no process can be started."""
        self.stop()
        caps = caps or Caps()
        order = {"folder": str(self.folder), "spec": self.spec, "parts": list(parts), "data": data.to_json(), "caps": caps.to_json()}
        files.write_json(self.folder / "state.json", {"doing": "Starting.", "share": 0.0})
        self._process = _spawn({**order, "token": token})
        self._started, self._stopped = time.monotonic(), False
        self._ends = self._started + caps.seconds + GRACE

    def state(self) -> State:
        """Where the last reading stands; over at once where none was started."""
        said = self.result("state") or {"share": 0.0}
        process = self._process
        if process is None:
            return State(error="The reading was stopped." if self._stopped else "", is_over=True)
        code = process.poll()
        if code is None and time.monotonic() > self._ends:
            self.stop()
            return State(error=_died(-signal.SIGALRM), is_over=True)
        if code is None:
            share, spent = float(said.get("share", 1.0)), time.monotonic() - self._started
            return State(str(said.get("doing", "")), share, spent / share - spent if share > 0.05 else None)
        if said.get("is_over"):
            return State(share=1.0, error=str(said.get("error", "")), is_over=True)
        return State(error=_died(code), is_over=True)

    @property
    def is_at_work(self) -> bool:
        """Whether a process is reading."""
        return self._process is not None and not self.state().is_over

    def stop(self) -> None:
        """End the process, if there is one."""
        if self._process is not None and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            self._process.wait()
            self._stopped = True
        self._process = None

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
        """Put a file beside the others; returns the name by which a spec knows it. Raises UserError where it cannot be written."""
        kept = PurePath(name.replace("\\", "/")).name[-80:].lstrip(".")
        safe = "".join(sign if sign.isprintable() and sign not in SPEAKING else "_" for sign in kept) or "text"
        files.write_bytes(self.folder / "files" / safe, content)
        return safe


def _died(code: int) -> str:
    if code == -signal.SIGALRM:
        return f"The reading took longer than {Caps().seconds:.0f} seconds and was ended; bring a smaller part of the text."
    if code in (-signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT):
        return "The reading was ended by the machine, most likely for want of memory; bring a smaller part of the text."
    return "The reading ended without a result; try again, and if it happens again, bring another file."


def draft() -> Study:
    """A fresh folder for a text that is being brought; those older than a day are deleted on the way."""
    incoming = settings.home() / "incoming"
    for old in incoming.glob("*"):
        with contextlib.suppress(OSError):
            if old.is_dir() and time.time() - old.stat().st_mtime > DAY:
                shutil.rmtree(old, ignore_errors=True)
    study = Study(incoming / settings.new_id())
    try:
        (study.folder / "files").mkdir(parents=True)
    except OSError as error:
        raise UserError(f"No text can be taken in now ({error.strerror or error}); try again later.") from error
    return study


def of(spec: str) -> Study:
    """Of a text that is kept, or ships with the program."""
    kind, _, place = spec.partition(":")
    if kind == "corpus" and re.fullmatch("[0-9a-f]{16}", place):
        return Study(settings.home() / "corpora" / place, spec)
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
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))},
            )
    except OSError as error:
        raise UserError(f"The text cannot be read now ({error.strerror or error}); try again later.") from error
    assert process.stdin is not None  # PIPE
    with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(json.dumps(order).encode())
    return process
