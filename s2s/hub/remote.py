"""A file on the Hub as a seekable file: only the requested ranges are downloaded, within a budget."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple, cast

from s2s.config import UserError
from s2s.hub import access, failures
from s2s.hub.preflight import Dataset

# Bytes of one request: of the first one, and the limit to which they grow in sequential reading.
FIRST_REQUEST = 1 << 16
MAX_REQUEST = 1 << 22
MAX_CACHED = 1 << 23  # bytes of ranges that are kept
MAX_ATTEMPTS = 3  # per range, each resuming where the last was interrupted
TIMEOUT = 10.0  # seconds without a byte
PAUSE = 0.3  # seconds before the second attempt


@dataclass
class Budget:
    """The limits of one reading, for all its files together: bytes downloaded, and seconds since its creation."""

    bytes: int
    seconds: float
    clock: Callable[[], float] = time.monotonic
    start: float = field(init=False)
    spent: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.start = self.clock()

    @property
    def remaining(self) -> float:
        """Seconds left; negative once the time is up."""
        return self.seconds - (self.clock() - self.start)

    def left(self, name: str) -> float:
        """Seconds left. Raises UserError if there are none."""
        left = self.remaining
        if left <= 0:
            raise UserError(
                f"`{name}` was not read within {self.seconds:g} seconds, the time limit; ask for fewer"
                " rows, or try again later."
            )
        return left

    def spend(self, n: int, name: str) -> None:
        """Counts downloaded bytes. Raises UserError if the limit is exceeded."""
        self.spent += n
        if self.spent > self.bytes:
            raise UserError(
                f"Reading this much of `{name}` would download more than {self.bytes / 1e6:,.0f} MB, the"
                " limit; ask for fewer rows."
            )


def open_file(dataset: Dataset, path: str, *, token: str = "", budget: Budget) -> BinaryIO:
    """The file at the dataset's revision. Reading raises UserError if the Hub fails or the budget is used up."""
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


class _Range(NamedTuple):
    start: int
    content: bytes

    @property
    def end(self) -> int:
        return self.start + len(self.content)


class _Remote(io.RawIOBase):
    """Caches the latest ranges, because the start of a table is read twice. Errors name the dataset, not the file."""

    def __init__(self, dataset: Dataset, path: str, token: str, budget: Budget, size: int) -> None:
        self._dataset = dataset
        self._path = path
        self._token = token
        self._budget = budget
        self._size = size
        self._ranges: list[_Range] = []  # newest last
        self._at = 0
        self._n_sequential = 0  # ranges that followed each other

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
        start, content = next(
            (part for part in self._ranges if part.start <= self._at < part.end), None
        ) or self._fetch(n)
        given = content[self._at - start : self._at - start + n]
        self._at += len(given)
        return given

    def _length(self) -> int:
        if not self._size:
            self._fetch(0)
        return self._size

    def _fetch(self, n: int) -> _Range:
        self._n_sequential = (
            self._n_sequential + 1 if self._ranges and self._at == self._ranges[-1].end else 0
        )
        end = self._at + max(n, min(FIRST_REQUEST << max(self._n_sequential - 1, 0), MAX_REQUEST))
        if self._size and self._at >= self._size:
            return _Range(self._at, b"")
        part = _Range(self._at, self._whole(self._at, min(end, self._size) if self._size else end))
        self._ranges.append(part)
        while len(self._ranges) > 1 and sum(len(old.content) for old in self._ranges) > MAX_CACHED:
            del self._ranges[0]
        return part

    def _whole(self, start: int, end: int) -> bytes:
        got = bytearray()
        for attempt in range(MAX_ATTEMPTS):
            try:
                self._stream(start, end, got)
            except failures.request_errors() as error:
                if isinstance(error, UserError):
                    raise
                pause = PAUSE * 2**attempt
                if (
                    attempt == MAX_ATTEMPTS - 1
                    or not is_temporary(error)
                    or self._budget.remaining < pause
                ):
                    name = self._dataset.id
                    what = f"a file of the dataset `{name}`"
                    with_token = bool(self._token)
                    raise failures.explain(error, name, with_token=with_token, what=what) from error
                time.sleep(pause)
            else:
                break
        return bytes(got)

    def _stream(self, start: int, end: int, got: bytearray) -> None:
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
        wait = min(TIMEOUT, self._budget.left(name))
        with hub.utils.get_session().stream(
            "GET", url, headers=headers, timeout=wait, follow_redirects=True
        ) as reply:
            if reply.status_code == 416:  # the range starts at the end of the file
                self._size = self._size or start
                return
            hub.utils.hf_raise_for_status(reply)
            self._read_size(reply, start + len(got))
            for chunk in reply.iter_raw():
                taken = chunk[: end - start - len(got)]
                got += taken
                self._budget.spend(len(chunk), name)
                if start + len(got) >= end:
                    return
                self._budget.left(name)

    def _read_size(self, reply: Any, start: int) -> None:
        content_range = re.fullmatch(
            r"bytes (\d+)-\d+/(\d+)", reply.headers.get("content-range", "")
        )
        if content_range and int(content_range[1]) == start:
            self._size = int(content_range[2])
        elif reply.status_code == 200 and start == 0:
            self._size = int(reply.headers.get("content-length") or self._size)
        else:
            raise UserError(
                f"The Hub does not serve ranges of `{self._path}` of `{self._dataset.id}`; choose another dataset."
            )


def is_temporary(error: Exception) -> bool:
    """Whether another attempt may help: the connection broke, or the Hub failed temporarily."""
    response = getattr(error, "response", None)
    return response is None or response.status_code >= 500 or response.status_code == 429
