"""Uploads that are not saved yet: a folder in S2S_HOME/incoming per upload, and a folder in it per reading.

    incoming/ID/upload.json      origin, name, owner, time, the names of the files, the SPEC that was read last
    incoming/ID/files/           the uploaded files
    incoming/ID/READING/         the profile of the files as one SPEC reads them

The id cannot be guessed: whoever knows it and is the owner opens the upload, until it is deleted or a day old. A saved
upload leaves its upload.json, which then names the saved dataset. Knows nothing of screens.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from s2s import files, settings
from s2s.data import saved_datasets
from s2s.data.profile import ProfileFolder, digest, new_upload
from s2s.files import stored

FORMAT = 1
RECORD = "upload.json"
LIFETIME = 86_400.0  # seconds that an upload is stored
# Seconds until a folder that no address names is deleted; writing one takes less.
UNREACHABLE = 3_600.0
MAX_READINGS = 3  # of one upload: two pages may show it in different ways
UPLOAD_ID = re.compile("[0-9a-z]{16}")
SECTIONS = ("text", "preview", "lint")  # of an upload's profile, computed at once
FIELDS: Mapping[str, type] = MappingProxyType(
    {
        "origin": str,
        "name": str,
        "owner": str,
        "created": str,
        "files": list,
        "spec": str,
        "saved": str,
    }
)


@dataclass
class Upload:
    """One upload. `columns` profiles the files as they are, `profile` the pairs that the last SPEC reads from them."""

    folder: Path  # with everything of this upload
    origin: str  # how it was given, as the page calls it
    name: str
    owner: str
    created: str  # in UTC, to the second
    files: tuple[str, ...] = ()  # as a SPEC names them
    spec: str = ""  # that was read last
    saved: str = ""  # the SPEC of the dataset, once it has been saved
    token: str = field(default="", repr=False)  # of the hub; never stored
    choices: dict[str, str] = field(
        default_factory=dict
    )  # how the files are read; the address has them

    def __post_init__(self) -> None:
        self.columns = ProfileFolder(self.folder, ",".join(self.files))
        self.profile = self.reading(self.spec)

    @property
    def id(self) -> str:
        """The folder's name, which its address has."""
        return self.folder.name

    @property
    def is_there(self) -> bool:
        """Whether the upload still exists: not deleted, not saved, not over a day old."""
        return (self.folder / "files").is_dir() and _age(self.created) < LIFETIME

    def detect_columns(self) -> None:
        """Start detecting the columns of the files, once. Raises UserError where no process can be started."""
        if not self.columns.request and self.columns.result("offer") is None:
            self.columns.start(("offer",), request=("offer",))

    def read(self, spec: str) -> None:
        """Start reading, unless this SPEC has been read already. Raises UserError where no process can be started."""
        if spec != self.spec:
            self.profile.stop()
            self.spec = spec
            self.profile = self.reading(spec)
            self._write()
        if not self.profile.request and self.profile.result("preview") is None:
            self.profile.folder.mkdir(exist_ok=True)
            self._delete_old_readings()
            self.profile.start(SECTIONS, request=("read", spec), token=self.token)

    def save(self, name: str) -> str:
        """Saves the pairs that were read; returns their SPEC. Raises UserError where that fails."""
        self.profile.stop()
        hash = saved_datasets.keep_upload(self.profile.folder, name=name, owner=self.owner)
        self.saved = f"corpus:{hash}"
        self._write()
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
        return self.saved

    def delete(self) -> None:
        """Deletes the upload with all its files."""
        self.profile.stop()
        self.columns.delete()

    def reading(self, spec: str) -> ProfileFolder:
        """The profile of the pairs that a SPEC reads; no two uploads share its name."""
        return ProfileFolder(self.folder / digest(self.id, spec), spec, self.folder / "files")

    def _delete_old_readings(self) -> None:
        readings = [
            path for path in self.folder.iterdir() if path.is_dir() and path.name != "files"
        ]
        for path in sorted(readings, key=lambda path: path.stat().st_mtime)[:-MAX_READINGS]:
            shutil.rmtree(path, ignore_errors=True)

    def _write(self) -> None:
        content = {name: getattr(self, name) for name in FIELDS}
        files.write_json(self.folder / RECORD, {"format": FORMAT, **content})


def begin(
    origin: str,
    name: str,
    contents: Iterable[tuple[str, bytes | memoryview]] = (),
    *,
    owner: str,
    token: str = "",
) -> Upload:
    """A new upload. Raises UserError where it cannot be written."""
    contents = list(contents)
    stored.require_room(owner, n_bytes=sum(len(content) for _, content in contents))
    folder = new_upload()
    try:
        names = tuple(folder.add_file(file, content) for file, content in contents)
        upload = Upload(folder.folder, origin, name, owner, stored.now(), names, token=token)
        upload._write()
    except BaseException:
        folder.delete()
        raise
    return upload


def opened(folder: Path) -> Upload | None:
    """The upload in a folder; None where it was deleted, or is over a day old."""
    record = _record(folder)
    if record is None or _age(record["created"]) >= LIFETIME:
        return None
    return Upload(folder, **{**record, "files": tuple(record["files"])})


def delete_old_uploads() -> None:
    """Deletes uploads older than a day, and sooner what nobody can reach, or what a process left that was killed; the
    dashboard calls it every hour.
    """
    for folder in (settings.home() / "incoming").glob("*"):
        record = _record(folder)
        age = _age(record["created"]) if record else _seconds_since_change(folder)
        if folder.is_dir() and age > (LIFETIME if record else UNREACHABLE):
            shutil.rmtree(folder, ignore_errors=True)
    for folder in (settings.home() / "corpora").glob(".*"):  # of a save that did not end
        if _seconds_since_change(folder) > UNREACHABLE:
            shutil.rmtree(folder, ignore_errors=True)
    files.remove_temporaries(settings.home(), UNREACHABLE, time.time())


def _record(folder: Path) -> dict[str, Any] | None:
    """The fields of upload.json; None where there is none, or a damaged one."""
    try:
        content = json.loads((folder / RECORD).read_bytes())
        record = {name: content[name] for name in FIELDS}
        _age(record["created"])
    except files.UNREADABLE:
        return None
    is_whole = all(isinstance(record[name], kind) for name, kind in FIELDS.items())
    return record if is_whole and content.get("format") == FORMAT else None


def _age(created: str) -> float:
    """Seconds since a time such as `stored.now()`."""
    return time.time() - datetime.fromisoformat(created).timestamp()


def _seconds_since_change(path: Path) -> float:
    with contextlib.suppress(OSError):  # it was deleted at the same moment
        return time.time() - path.stat().st_mtime
    return 0.0
