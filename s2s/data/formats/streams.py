r"""A stranger's bytes, unpacked and decoded to lines under caps. Only `\n` and `\r\n` end a line. Knows nothing of tables."""

from __future__ import annotations

import gzip
import io
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple, Self, cast

from s2s.config import UserError
from s2s.data.caps import Caps
from s2s.data.formats.encodings import Decoder

CHUNK = 1 << 18  # bytes
MEMBER_CHUNK = (
    1 << 14
)  # of a zip, which reads ahead as many packed bytes as unpacked ones are wanted
LONGEST = 120  # characters that are quoted from a library's error
RATIO = 100  # gzip packs text to a third to a fortieth, the emptiest bytes to a thousandth
BEGIN = 10_000_000  # unpacked bytes before the ratio counts: repetitive little files are no bombs
BROKEN = (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError)


class Meter:
    """What one reading has taken so far, and what is to be said of it. Raises UserError, which names the cap, for more.

    As a context it closes the files of the reading.
    """

    def __init__(self, caps: Caps, clock: Callable[[], float] = time.monotonic) -> None:
        self.caps = caps
        self.encoding = ""  # of the content that was read last
        self.notes: list[str] = []
        self._unpacked = 0
        self._n_cut = 0
        self._clock = clock
        self._until = clock() + caps.seconds
        self._files: list[IO[bytes]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files:
            file.close()

    def keep(self, file: IO[bytes]) -> IO[bytes]:
        """The same file, to be closed with the reading."""
        self._files.append(file)
        return file

    def weigh(self, name: str, n_bytes: int) -> None:
        """A file of so many bytes is going to be read."""
        if n_bytes > self.caps.bytes:
            raise UserError(
                f"`{name}` has {format_size(n_bytes)}, and at most {format_size(self.caps.bytes)} are read (`bytes`); give a part of it."
            )

    def unpack(self, name: str, n_bytes: int) -> None:
        """So many bytes more came out of something packed."""
        self._unpacked += n_bytes
        if self._unpacked > self.caps.unpacked:
            raise UserError(
                f"`{name}` unpacks to more than {format_size(self.caps.unpacked)}, the limit (`unpacked`); give a part of it."
            )

    def tick(self, name: str) -> None:
        """Looks at the clock."""
        if self._clock() > self._until:
            raise UserError(
                f"Reading `{name}` took longer than {self.caps.seconds:g} seconds, the limit (`seconds`); give a smaller file."
            )

    def too_long(self, name: str, line: int) -> UserError:
        """The error for a line, from 1, beyond the cap."""
        limit = f"is longer than {format_size(self.caps.line)}, the limit of one line (`line`)"
        return UserError(
            f"Line {line:,} of `{name}` {limit}; break it up, or check that the file is text."
        )

    def cell(self, text: str) -> str:
        """The text, cut to the cap."""
        if len(text) <= self.caps.cell:
            return text
        self._n_cut += 1
        return text[: self.caps.cell]

    def said(self) -> list[str]:
        """The notes, with that on what was cut."""
        if not self._n_cut:
            return self.notes
        cut = "1 text was" if self._n_cut == 1 else f"{self._n_cut:,} texts were"
        return [
            *self.notes,
            f"{cut} cut to {self.caps.cell:,} characters, the limit of one text (`cell`).",
        ]


class Content(NamedTuple):
    """Something to read: the name that errors call it by, its file name, how the file is opened, and the member of a zip it stands in."""

    name: str
    file: str
    open: Callable[[], IO[bytes]]
    member: zipfile.ZipInfo | None = None

    @property
    def is_packed(self) -> bool:
        """Whether what is stored is not what is read."""
        return self.member is not None or self.is_gzip

    @property
    def is_gzip(self) -> bool:
        """Whether it is one gzip stream, in a zip or not."""
        return self.file.lower().endswith(".gz")


def on_disk(path: Path, name: str = "") -> Content:
    """The content of a file, which errors call by its path if they get no other name."""
    return Content(name or str(path), path.name, partial(_open, path, name or str(path)))


def in_memory(name: str, content: bytes) -> Content:
    """Bytes under a file name."""
    return Content(name, name, partial(io.BytesIO, content))


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


def opened(content: Content, meter: Meter) -> IO[bytes]:
    """The file as it is stored, under the cap `bytes`."""
    raw = meter.keep(content.open())
    meter.weigh(content.name, raw.seek(0, io.SEEK_END))
    raw.seek(0)
    return raw


def chunks(content: Content, meter: Meter) -> Iterator[bytes]:
    """The bytes of a content, unpacked, under the caps `bytes`, `unpacked` and `seconds`; none is empty."""
    raw = opened(content, meter)
    with _broken(content.name):
        stream = _unpacking(content, raw)
        start = raw.tell()
        n_bytes = 0
        at_once = MEMBER_CHUNK if content.member else CHUNK
        while chunk := stream.read(at_once):
            n_bytes += len(chunk)
            if content.is_packed:
                meter.unpack(content.name, len(chunk))
                check_ratio(content.name, n_bytes, raw.tell() - start)
            meter.tick(content.name)
            yield chunk


def _unpacking(content: Content, raw: IO[bytes]) -> IO[bytes]:
    stream = zipfile.ZipFile(raw).open(content.member) if content.member else raw  # noqa: SIM115 closed with the raw file
    return cast(IO[bytes], gzip.GzipFile(fileobj=stream)) if content.is_gzip else stream


@contextmanager
def _broken(name: str) -> Iterator[None]:
    """What goes wrong while unpacking, in a sentence."""
    try:
        yield
    except BROKEN as error:
        raise UserError(
            f"`{name}` is broken or cut off ({why(error)}); pack it again, or give it unpacked."
        ) from error


def why(error: Exception) -> str:
    """What a library says of a file, as a part of a sentence: it may quote the bytes."""
    words = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return words if len(words) <= LONGEST else f"{words[:LONGEST]} …"


def check_ratio(name: str, n_bytes: int, packed: int) -> None:
    """Raises UserError where so few packed bytes gave so many."""
    if n_bytes > BEGIN and n_bytes > RATIO * packed:
        raise UserError(
            f"`{name}` unpacks to more than {RATIO} times its size, as no text does; give it unpacked."
        )


def seekable(content: Content, meter: Meter) -> IO[bytes]:
    """A file to jump about in: the content itself, or what it unpacks to, in a file without a name."""
    if not content.is_packed:
        return opened(content, meter)
    whole = meter.keep(tempfile.TemporaryFile())  # noqa: SIM115 closed with the reading
    for chunk in chunks(content, meter):
        whole.write(chunk)
    whole.seek(0)
    return whole


def texts(content: Content, meter: Meter) -> Iterator[str]:
    r"""The decoded text in pieces, every line end as `\n`; the meter learns the encoding."""
    decoder = Decoder(content.name)
    held = ""
    meter.encoding = decoder.encoding
    for chunk in chunks(content, meter):
        text = held + decoder.decode(chunk, is_last=False)
        held = "\r" if text.endswith("\r") else ""
        meter.encoding = decoder.encoding
        yield text.removesuffix("\r").replace("\r\n", "\n")
    yield (held + decoder.decode(b"", is_last=True)).replace("\r\n", "\n")
    meter.encoding = decoder.encoding
    if decoder.encoding != "UTF-8":
        why = f": {decoder.why} is not UTF-8" if decoder.why else ""
        meter.notes.append(f"`{content.name}` was read as {decoder.encoding}{why}.")


def lines(content: Content, meter: Meter) -> Iterator[str]:
    """The lines, empty ones included; the last may lack its end, and no bytes are no lines."""
    rest = ""
    number = 0
    longest = meter.caps.line
    for text in texts(content, meter):
        whole = (rest + text).split("\n")
        rest = whole.pop()
        for line in whole:
            number += 1
            if len(line) * 4 > longest and len(line.encode()) > longest:
                raise meter.too_long(content.name, number)
            yield line
        if len(rest) > longest:
            raise meter.too_long(content.name, number + 1)
    if len(rest.encode()) > longest:
        raise meter.too_long(content.name, number + 1)
    if rest:
        yield rest
