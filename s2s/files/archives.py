"""Zip archives: how files are added, and what is checked before one is read. Knows nothing of what the files say."""

from __future__ import annotations

import hashlib
import io
import os
import struct
import time
import zipfile
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from s2s.config import UserError, shortened

BLOCK = 1 << 20  # bytes copied at once
PACKED = frozenset({".safetensors", ".gz", ".parquet", ".zip"})  # which get no smaller
MAX_MEMBERS = 1000
MAX_DIRECTORY = 1_000_000  # bytes of the list of members
# The end of that list: 22 bytes and a comment. In ZIP64, 20 bytes stand before it, and a record of 56 before those.
END = b"PK\x05\x06"
LOCATOR_64 = b"PK\x06\x07"
END_64 = b"PK\x06\x06"
MAX_RATIO = 100  # gzip compresses text by a factor of 3 to 40, zero bytes by a factor of 1000
RATIO_FROM = 10_000_000  # decompressed bytes; small repetitive files are not decompression bombs
MAX_QUOTED = 120  # characters of a library's error
MAX_NAME = 80  # characters of a member's name that an error repeats
# What reading a damaged archive raises.
DAMAGED = (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, OverflowError)


class Entry(NamedTuple):
    """A file in an archive: its size in bytes, and the SHA-256 of its content."""

    n_bytes: int
    sha256: str


def add(archive: zipfile.ZipFile, name: str, content: bytes | Path) -> Entry:
    """Adds a file. Raises FileNotFoundError, before anything is written, where a path leads nowhere."""
    if isinstance(content, Path):
        with content.open("rb") as file:
            info = zipfile.ZipInfo.from_file(content, name, strict_timestamps=False)
            return _add(archive, info, file)
    info = zipfile.ZipInfo(name, time.gmtime()[:6])
    info.external_attr = 0o644 << 16
    info.file_size = len(content)
    return _add(archive, info, io.BytesIO(content))


def _add(archive: zipfile.ZipFile, info: zipfile.ZipInfo, file: IO[bytes]) -> Entry:
    is_packed = PurePosixPath(info.filename).suffix in PACKED
    info.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
    with archive.open(info, "w") as member:
        return _copied(file, member)


def copy_out(archive: zipfile.ZipFile, name: str, path: Path) -> Entry:
    """Writes a member to a new file. Raises what reading a damaged archive raises, and OSError."""
    with archive.open(name) as member, path.open("xb") as file:
        entry = _copied(member, file)
        file.flush()
        os.fsync(file.fileno())
    return entry


def _copied(source: IO[bytes], target: IO[bytes]) -> Entry:
    digest = hashlib.sha256()
    n_bytes = 0
    while block := source.read(BLOCK):
        digest.update(block)
        n_bytes += len(block)
        target.write(block)
    return Entry(n_bytes, digest.hexdigest())


def opened(
    raw: IO[bytes], name: str, *, advice: str, most: int = MAX_MEMBERS, has_zip64: bool = False
) -> zipfile.ZipFile:
    """An archive whose list of members was checked before it was read: it might not fit into memory.

    Raises UserError, which ends in `advice`, for more than `most` members, and for ZIP64 unless `has_zip64`.
    """
    raw.seek(0)
    n_members, n_bytes, is_zip64 = _directory(raw, name)
    if n_members > most or n_bytes > MAX_DIRECTORY or (is_zip64 and not has_zip64):
        zip64 = "" if has_zip64 else " or is in ZIP64 format"
        raise UserError(f"`{name}` has more than {most:,} members{zip64}; {advice}.")
    raw.seek(0)
    try:
        archive = zipfile.ZipFile(raw)
    except DAMAGED as error:
        raise UserError(
            f"`{name}` is not a complete .zip file ({why(error)}); compress it again."
        ) from error
    for info in archive.infolist():
        if info.flag_bits & 1:
            raise UserError(
                f"`{printable(info.filename)}` in `{name}` is encrypted; compress it again without a password."
            )
    return archive


def _directory(raw: IO[bytes], name: str) -> tuple[int, int, bool]:
    length = raw.seek(0, io.SEEK_END)
    raw.seek(max(0, length - 22 - 20 - 56 - 65_535))
    tail = raw.read()
    at = tail.rfind(END)
    if at < 0 or len(tail) < at + 22:
        raise UserError(
            f"`{name}` is not a complete .zip file (its end is missing); compress it again."
        )
    if tail[max(0, at - 20) : at].startswith(LOCATOR_64):
        record = tail[max(0, at - 76) : at - 20]
        if len(record) < 56 or not record.startswith(END_64):
            raise UserError(
                f"`{name}` is not a complete .zip file (its end is damaged); compress it again."
            )
        n_members, n_bytes = struct.unpack_from("<QQ", record, 32)
        return n_members, n_bytes, True
    n_members, n_bytes = struct.unpack_from("<HL", tail, at + 10)
    return n_members, n_bytes, False


def check_ratio(name: str, n_bytes: int, n_compressed: int) -> None:
    """Raises UserError if the compression ratio is that of a decompression bomb."""
    if n_bytes > RATIO_FROM and n_bytes > MAX_RATIO * n_compressed:
        raise UserError(
            f"`{name}` decompresses to more than {MAX_RATIO} times its size, which text never does; give"
            " it uncompressed."
        )


def why(error: Exception) -> str:
    """A library's error message as part of a sentence, shortened because it may quote the file."""
    words = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return shortened(words, MAX_QUOTED)


def printable(name: str) -> str:
    """A member's name without what cannot be printed, shortened, as an error repeats it."""
    return "".join(
        character if character.isprintable() and character != "`" else "?" for character in name
    )[:MAX_NAME]
