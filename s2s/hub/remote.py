"""A file of the hub as a file that can be read and sought: only the parts that are asked for are fetched, within a budget."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple, cast

from s2s.config import UserError
from s2s.hub import access, wording
from s2s.hub.preflight import Dataset

# bytes of one request: the first, and what it grows to while a file is read in order
FIRST = 1 << 16
LARGEST = 1 << 22
HELD = 1 << 23  # bytes of parts that are kept
TRIES = 3  # of one part, each going on where the last was cut
PATIENCE = 10.0  # seconds without a byte
PAUSE = 0.3  # seconds before a second try


@dataclass
class Budget:
    """What all files of one reading may cost together: bytes fetched, and seconds from when it is made."""

    bytes: int
    seconds: float
    clock: Callable[[], float] = time.monotonic
    start: float = field(init=False)
    spent: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.start = self.clock()

    @property
    def remaining(self) -> float:
        """Seconds; below 0 once the time is up."""
        return self.seconds - (self.clock() - self.start)

    def left(self, name: str) -> float:
        """Seconds. Raises UserError where there is none."""
        left = self.remaining
        if left <= 0:
            raise UserError(
                f"`{name}` was not read within {self.seconds:g} seconds, the most that is allowed; ask for fewer rows, or try again later."
            )
        return left

    def spend(self, n: int, name: str) -> None:
        """Raises UserError where more was fetched than is allowed."""
        self.spent += n
        if self.spent > self.bytes:
            raise UserError(
                f"More than {self.bytes / 1e6:,.0f} MB of `{name}` would have to be fetched, the most that is allowed; ask for fewer rows."
            )


def open_file(dataset: Dataset, path: str, *, token: str = "", budget: Budget) -> BinaryIO:
    """The file at the revision of the data set. Reading raises UserError where the hub fails or the budget is used up."""
    size = next(
        (
            file.size
            for splits in dataset.configs.values()
            for part in splits.values()
            for file in part.files
            if file.path == path
        ),
        0,
    )
    return cast(BinaryIO, _Remote(dataset, path, access.sane(token), budget, size))


class _Part(NamedTuple):
    start: int
    content: bytes

    @property
    def end(self) -> int:
        return self.start + len(self.content)


class _Remote(io.RawIOBase):
    """Holds the last parts that were fetched: the head of a table is read twice. Its name in errors is the data set's."""

    def __init__(self, dataset: Dataset, path: str, token: str, budget: Budget, size: int) -> None:
        self._dataset = dataset
        self._path = path
        self._token = token
        self._budget = budget
        self._size = size
        self._parts: list[_Part] = []  # the newest last
        self._at = 0
        self._in_order = 0  # parts that followed each other

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {
            io.SEEK_SET: 0,
            io.SEEK_CUR: self._at,
            io.SEEK_END: self._length() if whence == io.SEEK_END else 0,
        }[whence]
        self._at = max(base + offset, 0)
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """So many bytes, or all that are left: fewer at the end of the file only."""
        end = self._at + size if size is not None and size >= 0 else max(self._length(), self._at)
        got = bytearray()
        while self._at < end and (more := self._some(end - self._at)):
            got += more
        return bytes(got)

    def readinto(self, buffer: Any) -> int:
        wanted = memoryview(buffer).cast("B")
        given = self.read(len(wanted))
        wanted[: len(given)] = given
        return len(given)

    def _some(self, n: int) -> bytes:
        """At most `n` bytes, what is left of a part or from a new one; none at the end of the file."""
        start, content = next(
            (part for part in self._parts if part.start <= self._at < part.end), None
        ) or self._fetch(n)
        given = content[self._at - start : self._at - start + n]
        self._at += len(given)
        return given

    def _length(self) -> int:
        if not self._size:
            self._fetch(0)
        return self._size

    def _fetch(self, n: int) -> _Part:
        """The part from here on, at least `n` bytes where the file has them; more and more while it is read in order.

        Two columns of a table often stand side by side: only a third part in a row is taken as reading in order.
        """
        self._in_order = (
            self._in_order + 1 if self._parts and self._at == self._parts[-1].end else 0
        )
        end = self._at + max(n, min(FIRST << max(self._in_order - 1, 0), LARGEST))
        if self._size and self._at >= self._size:
            return _Part(self._at, b"")
        part = _Part(self._at, self._whole(self._at, min(end, self._size) if self._size else end))
        self._parts.append(part)
        while len(self._parts) > 1 and sum(len(old.content) for old in self._parts) > HELD:
            del self._parts[0]
        return part

    def _whole(self, start: int, end: int) -> bytes:
        """The bytes from `start` to `end`, tried again from where it was cut."""
        got = bytearray()
        for attempt in range(TRIES):
            try:
                self._stream(start, end, got)
            except wording.failures() as error:
                if isinstance(error, UserError):
                    raise
                pause = PAUSE * 2**attempt
                if attempt == TRIES - 1 or not _may_mend(error) or self._budget.remaining < pause:
                    said = wording.sentence(
                        error,
                        self._dataset.id,
                        with_token=bool(self._token),
                        doing="asked for a file of the data set",
                    )
                    raise said from error
                time.sleep(pause)
            else:
                break
        return bytes(got)

    def _stream(self, start: int, end: int, got: bytearray) -> None:
        """Appends to `got` what it lacks."""
        hub = access.library()
        name = self._dataset.id
        url = hub.hf_hub_url(
            name,
            self._path,
            repo_type="dataset",
            revision=self._dataset.sha,
            endpoint=access.endpoint(),
        )
        headers = {**access.headers(self._token), "range": f"bytes={start + len(got)}-{end - 1}"}
        wait = min(PATIENCE, self._budget.left(name))
        with hub.utils.get_session().stream(
            "GET", url, headers=headers, timeout=wait, follow_redirects=True
        ) as reply:
            if reply.status_code == 416:  # from the end of a file on there is nothing
                self._size = self._size or start
                return
            hub.utils.hf_raise_for_status(reply)
            self._learn(reply, start + len(got))
            for chunk in reply.iter_raw():
                taken = chunk[: end - start - len(got)]
                got += taken
                self._budget.spend(len(chunk), name)
                if start + len(got) >= end:
                    return
                self._budget.left(name)

    def _learn(self, reply: Any, asked: int) -> None:
        """The size of the whole file. Raises UserError where another part came than was asked for."""
        said = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", reply.headers.get("content-range", ""))
        if said and int(said[1]) == asked:
            self._size = int(said[2])
        elif reply.status_code == 200 and asked == 0:
            self._size = int(reply.headers.get("content-length") or self._size)
        else:
            raise UserError(
                f"The hub does not give `{self._path}` of `{self._dataset.id}` in parts; choose another data set."
            )


def _may_mend(error: Exception) -> bool:
    """Whether a second try may help: the line broke, or the hub failed for the moment."""
    response = getattr(error, "response", None)
    return response is None or response.status_code >= 500 or response.status_code == 429
