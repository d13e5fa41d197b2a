"""The files of a model on this disk: all of them, or nothing."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from s2s.config import UserError
from s2s.files import UnwrittenError
from s2s.hub import access, failures
from s2s.hub.models import Model, ModelFile, check_size, file_url
from s2s.hub.remote import MAX_ATTEMPTS, PAUSE, TIMEOUT, is_temporary


def download(model: Model, folder: Path, *, token: str = "") -> Iterator[int]:
    """Download a model's files into a new folder; yields the bytes so far, several times per second.

    The folder appears when it is complete: after a failure, or if the iterator is closed before, there is nothing.
    Raises UserError if the Hub fails, sends something else than it listed, or the disk is full.
    """
    token = access.sane(token)
    check_size(model.id, model.size)
    temporary = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        with _explained(folder):
            temporary.mkdir(parents=True)
        before = 0
        for file in model.files:
            download_ = _Download(model, file, token)
            for n_bytes in download_.into(temporary / file.path):
                yield before + n_bytes
            before += file.size
        with _explained(folder):
            os.replace(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnwrittenError(
            f"`{path.name}` cannot be written ({error.strerror or error}); free some space, then try again."
        ) from error


@dataclass
class _Download:
    model: Model
    file: ModelFile
    token: str
    done: int = field(init=False, default=0)
    digest: Any = field(init=False, default_factory=hashlib.sha256)

    def into(self, path: Path) -> Iterator[int]:
        with _explained(path), path.open("xb") as out:
            yield from self._attempts(out)
        self._check()

    def _attempts(self, out: BinaryIO) -> Iterator[int]:
        n_failed = 0
        while True:
            before = self.done
            try:
                yield from self._stream(out)
            except failures.request_errors() as error:
                if isinstance(error, UserError):
                    raise
                # a connection that breaks now and then is no failure while bytes arrive
                n_failed = 1 if self.done > before else n_failed + 1
                if n_failed == MAX_ATTEMPTS or not is_temporary(error):
                    raise self._explain(error) from error
                time.sleep(PAUSE * 2 ** (n_failed - 1))
            else:
                return

    def _stream(self, out: BinaryIO) -> Iterator[int]:
        hub = access.library()
        headers = access.headers(self.token)
        if self.done:
            headers["range"] = f"bytes={self.done}-{self.file.size - 1}"
        with hub.utils.get_session().stream(
            "GET",
            file_url(self.model.id, self.model.sha, self.file.path),
            headers=headers,
            timeout=TIMEOUT,
            follow_redirects=True,
        ) as reply:
            hub.utils.hf_raise_for_status(reply)
            if self.done and reply.status_code != 206:  # it sends the whole file again
                self._restart(out)
            for chunk in reply.iter_raw():
                self._write(out, chunk)
                yield self.done

    def _write(self, out: BinaryIO, chunk: bytes) -> None:
        self.done += len(chunk)
        if self.done > self.file.size:
            raise UserError(
                f"The Hub sends more of `{self.file.path}` of `{self.model.id}` than the {self.file.size:,} bytes that"
                " it listed; look up the model again."
            )
        self.digest.update(chunk)
        with _explained(Path(self.file.path)):
            out.write(chunk)

    def _restart(self, out: BinaryIO) -> None:
        out.seek(0)
        out.truncate()
        self.done = 0
        self.digest = hashlib.sha256()

    def _check(self) -> None:
        is_right = self.file.sha256 in ("", self.digest.hexdigest())
        if self.done != self.file.size or not is_right:
            raise UserError(
                f"`{self.file.path}` of `{self.model.id}` arrived damaged; try again in a while."
            )

    def _explain(self, error: Exception) -> UserError:
        name = self.model.id
        what = f"a file of the model `{name}`"
        with_token = bool(self.token)
        return failures.explain(error, name, with_token=with_token, what=what, kind="model")
