r"""Untrusted files, decompressed and decoded to lines under limits. `\n` and `\r\n` end a line, or `\r` throughout.

Knows nothing of tables.
"""

from __future__ import annotations

import gzip
import io
import re
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol, Self, TypeVar, cast

from s2s.config import UserError, shortened
from s2s.data.formats import legacy
from s2s.data.formats.encodings import Decoder
from s2s.data.options import Caps
from s2s.files.archives import check_ratio, why

CHUNK = 1 << 18  # bytes
MIN_LONE = 100  # carriage returns alone in one chunk
# For members of a .zip, whose reader reads ahead as many compressed bytes as decompressed ones are requested.
MEMBER_CHUNK = 1 << 14
BROKEN = (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError)


class Closable(Protocol):
    """A file, or something else that ends with the reading."""

    def close(self) -> None:
        """Close it."""


C = TypeVar("C", bound=Closable)


class ReadingBudget:
    """What one reading has consumed, and the notes on it. Raises UserError, naming the limit, when it is exceeded.

    As a context manager it closes the files of the reading.
    """

    def __init__(
        self,
        caps: Caps,
        clock: Callable[[], float] = time.monotonic,
        *,
        encoding: str = "",
        is_preview: bool = False,
    ) -> None:
        self.caps = caps
        if encoding:
            legacy.named(encoding)  # or an error
        self.wanted = encoding  # of what is not UTF-8; "" to detect it
        self.is_preview = (
            is_preview  # reads in the encoding that something looks like, which is then `likely`
        )
        self.likely: legacy.Likely | None = None
        self.is_of_two = False  # whether two files are read, which may be in two encodings
        self.encoding = ""  # of the last content read
        self.notes: list[str] = []
        self._unpacked = 0
        self._n_truncated = 0
        self._clock = clock
        self._until = clock() + caps.seconds
        self._files: list[Closable] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files:
            file.close()

    def close_later(self, file: C) -> C:
        """Returns the file, which is closed at the end of the reading."""
        self._files.append(file)
        return file

    @property
    def seconds_left(self) -> float:
        """Seconds until the time is up, at least a tenth of one."""
        return max(0.1, self._until - self._clock())

    def charge_file(self, name: str, n_bytes: int) -> None:
        """Charges a file before it is read."""
        if n_bytes > self.caps.bytes:
            raise UserError(
                f"`{name}` has {format_size(n_bytes)}, more than the limit of"
                f" {format_size(self.caps.bytes)} (`bytes`); give a part of it."
            )

    def charge_unpacked(self, name: str, n_bytes: int) -> None:
        """Charges decompressed bytes."""
        self._unpacked += n_bytes
        if self._unpacked > self.caps.unpacked:
            raise UserError(
                f"`{name}` decompresses to more than {format_size(self.caps.unpacked)}, the limit"
                " (`unpacked`); give a part of it."
            )

    def check_columns(self, name: str, n_columns: int) -> None:
        """Raises UserError if a table is too wide: the columns of its first rows are compared one by one."""
        if n_columns > self.caps.columns:
            raise UserError(
                f"`{name}` has {n_columns:,} columns or more, and the limit is {self.caps.columns:,} (`columns`);"
                " give only the columns of the source and the target."
            )

    def check_time(self, name: str) -> None:
        """Raises UserError if the time is up."""
        if self._clock() > self._until:
            raise UserError(
                f"Reading `{name}` took longer than {self.caps.seconds:g} seconds, the limit (`seconds`);"
                " give a smaller file."
            )

    def check_no_encoding(self, name: str) -> None:
        """Raises UserError if an encoding is given for a file that names its own."""
        if self.wanted:
            raise UserError(
                f"`encoding` is for text files, and `{name}` names its own; leave it out."
            )

    def too_long(self, name: str, line: int) -> UserError:
        """The error for a line (from 1) longer than the limit."""
        limit = f"is longer than {format_size(self.caps.line)}, the limit of one line (`line`)"
        return UserError(
            f"Line {line:,} of `{name}` {limit}; split it, or check that the file is text."
        )

    def truncate(self, text: str) -> str:
        """The text, truncated to the limit."""
        if len(text) <= self.caps.cell:
            return text
        self._n_truncated += 1
        return text[: self.caps.cell]

    def seen(self) -> dict[str, Any]:
        """The encoding's name for people, and as `likely` the codec that the bytes suggest, if nobody chose it."""
        codec = self.likely.codec if self.likely else ""
        return {"encoding": str(self.likely or self.encoding), "likely": codec}

    def all_notes(self) -> list[str]:
        """The notes, with one on truncated texts."""
        if not self._n_truncated:
            return self.notes
        truncated = "1 text was" if self._n_truncated == 1 else f"{self._n_truncated:,} texts were"
        return [
            *self.notes,
            f"{truncated} truncated to {self.caps.cell:,} characters, the limit of one text (`cell`).",
        ]


class Content(NamedTuple):
    """Something to read: its name in errors, its file name, how to open the file, and its member if it is in a .zip.

    `field` names the field of a JSON object whose rows are meant.
    """

    name: str
    file: str
    open: Callable[[], IO[bytes]]
    member: zipfile.ZipInfo | None = None
    field: str = ""

    @property
    def is_compressed(self) -> bool:
        return self.member is not None or self.is_gzip or self.is_zst

    @property
    def is_zst(self) -> bool:
        """Whether the content is compressed with Zstandard."""
        return self.file.lower().endswith(".zst")

    @property
    def is_gzip(self) -> bool:
        return self.file.lower().endswith(".gz")


def on_disk(path: Path, name: str = "") -> Content:
    """The content of a file; errors name it by its path unless a name is given."""
    name = shortened(name or path)
    return Content(name, path.name, partial(_open, path, name))


def in_memory(name: str, content: bytes) -> Content:
    """The content of these bytes, under a file name."""
    return Content(shortened(name), name, partial(io.BytesIO, content))


def _open(path: Path, name: str) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:
        raise UserError(
            f"`{name}` cannot be read ({error.strerror}); check its permissions."
        ) from error


def format_size(n_bytes: int) -> str:
    """`format_size(213_000)` -> `"213 kB"`."""
    for unit, many in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= many:
            return f"{n_bytes / many:.3g} {unit}"
    return f"{n_bytes} bytes"


def opened(content: Content, budget: ReadingBudget) -> IO[bytes]:
    """The file as stored, under the limit `bytes`."""
    raw = budget.close_later(content.open())
    budget.charge_file(content.name, raw.seek(0, io.SEEK_END))
    raw.seek(0)
    return raw


def chunks(content: Content, budget: ReadingBudget) -> Iterator[bytes]:
    """The decompressed bytes under the limits `bytes`, `unpacked` and `seconds`, in non-empty chunks."""
    raw = opened(content, budget)
    with _broken(content.name):
        stream = _decompressed(content, raw)
        start = raw.tell()
        n_bytes = 0
        at_once = MEMBER_CHUNK if content.member else CHUNK
        while chunk := stream.read(at_once):
            n_bytes += len(chunk)
            if content.is_compressed:
                budget.charge_unpacked(content.name, len(chunk))
                check_ratio(content.name, n_bytes, raw.tell() - start)
            budget.check_time(content.name)
            yield chunk


def _decompressed(content: Content, raw: IO[bytes]) -> IO[bytes]:
    stream = zipfile.ZipFile(raw).open(content.member) if content.member else raw  # noqa: SIM115 closed with raw
    if content.is_zst:
        import pyarrow as pa

        return cast(IO[bytes], pa.CompressedInputStream(stream, "zstd"))
    return cast(IO[bytes], gzip.GzipFile(fileobj=stream)) if content.is_gzip else stream


@contextmanager
def _broken(name: str) -> Iterator[None]:
    try:
        yield
    except BROKEN as error:
        raise UserError(
            f"`{name}` is damaged or incomplete ({why(error)}); compress it again, or give it uncompressed."
        ) from error


def seekable(content: Content, budget: ReadingBudget) -> IO[bytes]:
    """A seekable file: the content itself, or its decompressed bytes in an unnamed temporary file."""
    if not content.is_compressed:
        return opened(content, budget)
    copy = budget.close_later(tempfile.TemporaryFile())  # noqa: SIM115 closed with the reading
    for chunk in chunks(content, budget):
        copy.write(chunk)
    copy.seek(0)
    return copy


class LineEnds:
    r"""Turns every line end of one text into `\n`: `\r\n`, `\r\r\n`, and `\r` alone where most lines end in it.

    Its first chunk says whether they do, or a later one that has MIN_LONE of them: files of two systems may be joined.
    Elsewhere a lone `\r` is part of its line.
    """

    def __init__(self) -> None:
        self.is_lone = False
        self._is_decided = False
        self._carry = ""

    def unified(self, chunk: str, *, is_last: bool = False) -> str:
        r"""The text so far that was not returned yet; `\r` at its end waits for the next chunk."""
        text = self._carry + chunk if self._carry else chunk
        self._carry = ""
        if "\r" not in text:
            self._is_decided = self._is_decided or bool(text)
            return text
        if not is_last:
            whole = text.rstrip("\r")
            self._carry = text[len(whole) :]
            text = whole
        text = text.replace("\r\n", "\n")
        if "\r" in text:
            text = re.sub("\r+\n", "\n", text)
        if text and not self._is_decided:
            self._is_decided = True
            self.is_lone = text.count("\r") > text.count("\n")
        elif not self.is_lone and (n_lone := text.count("\r")) >= MIN_LONE:
            self.is_lone = n_lone > text.count("\n")
        return text.replace("\r", "\n") if self.is_lone else text


def texts(content: Content, budget: ReadingBudget) -> Iterator[str]:
    r"""The decoded text in chunks, with every line end as `\n`; sets the budget's `encoding`."""
    decoder = Decoder(
        content.name,
        budget.wanted,
        is_preview=budget.is_preview,
        is_one_of_two=budget.is_of_two,
    )
    ends = LineEnds()
    budget.encoding = decoder.encoding
    for chunk in chunks(content, budget):
        text = ends.unified(decoder.decode(chunk, is_last=False))
        budget.encoding = decoder.encoding
        if decoder.likely:
            budget.likely = decoder.likely
        yield text
    yield ends.unified(decoder.decode(b"", is_last=True), is_last=True)
    budget.encoding = decoder.encoding
    budget.likely = decoder.likely or budget.likely
    if decoder.encoding != "UTF-8":
        why = f": {decoder.why} is not UTF-8" if decoder.why else ""
        budget.notes.append(f"`{content.name}` was read as {decoder.encoding}{why}.")
    if ends.is_lone:
        budget.notes.append(f"Lines of `{content.name}` end in a carriage return (`\\r`) alone.")


def lines(content: Content, budget: ReadingBudget) -> Iterator[str]:
    """The lines, empty ones included; the last may have no line end, and an empty file has no lines."""
    rest = ""
    number = 0
    longest = budget.caps.line
    for text in texts(content, budget):
        complete = (rest + text).split("\n")
        rest = complete.pop()
        for line in complete:
            number += 1
            if len(line) * 4 > longest and len(line.encode()) > longest:
                raise budget.too_long(content.name, number)
            yield line
        if len(rest) > longest:
            raise budget.too_long(content.name, number + 1)
    if len(rest.encode()) > longest:
        raise budget.too_long(content.name, number + 1)
    if rest:
        yield rest


class ReadThrough(io.RawIOBase):
    """A file that reads another one; closing it closes both."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a position in bytes; returns it."""
        return self._raw.seek(offset, whence)

    def tell(self) -> int:
        """The position in bytes."""
        return self._raw.tell()

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the file gives; returns how many bytes that were."""
        wanted = memoryview(buffer).cast("B")
        given = self._raw.read(len(wanted))
        wanted[: len(given)] = given
        return len(given)

    def close(self) -> None:
        self._raw.close()
        super().close()
