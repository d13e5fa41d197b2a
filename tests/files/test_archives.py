"""Zip archives, written and opened."""

import hashlib
import io
import struct
import zipfile
from pathlib import Path

import pytest

from s2s.config import UserError
from s2s.files import archives

ADVICE = "give another"


def zipped(files: dict[str, bytes | Path]) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archives.add(archive, name, content)
    return out


def as_zip64(content: bytes, n_members: int, n_bytes: int) -> io.BytesIO:
    """The same archive with the end of ZIP64, which says how many members its list has and how many bytes that is."""
    at = content.rindex(archives.END)
    (offset,) = struct.unpack_from("<L", content, at + 16)
    record = struct.pack(
        "<4sQHHLLQQQQ", archives.END_64, 44, 45, 45, 0, 0, n_members, n_members, n_bytes, offset
    )
    locator = struct.pack("<4sLQL", archives.LOCATOR_64, 0, at, 1)
    end = struct.pack("<4sHHHHLLH", archives.END, 0, 0, *[0xFFFF] * 2, *[0xFFFFFFFF] * 2, 0)
    return io.BytesIO(content[:at] + record + locator + end)


def test_what_is_added_comes_back_with_its_size_and_hash(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(bytes(3 << 20))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        entries = [
            archives.add(archive, "a.safetensors", path),
            archives.add(archive, "b.json", b"{}" * 5000),
        ]
        with pytest.raises(FileNotFoundError):
            archives.add(archive, "c", tmp_path / "gone")
    found = archives.opened(out, "x.zip", advice=ADVICE)
    assert found.testzip() is None
    assert found.namelist() == ["a.safetensors", "b.json"]
    contents = [found.read(name) for name in found.namelist()]
    assert contents == [path.read_bytes(), b"{}" * 5000]
    assert entries == [(len(each), hashlib.sha256(each).hexdigest()) for each in contents]
    stored, packed = found.infolist()
    assert stored.compress_size == stored.file_size
    assert packed.compress_size < packed.file_size / 10


def test_an_archive_of_zip64_is_opened_where_it_may_be_one() -> None:
    plain = zipped({"a": b"1", "b": b"2"}).getvalue()
    size = struct.unpack_from("<L", plain, plain.rindex(archives.END) + 12)[0]
    large = as_zip64(plain, 2, size)
    assert archives.opened(large, "x.zip", advice=ADVICE, has_zip64=True).read("b") == b"2"
    with pytest.raises(
        UserError,
        match=r"^`x\.zip` has more than 1,000 members or is in ZIP64 format; give another",
    ):
        archives.opened(large, "x.zip", advice=ADVICE)
    for n_members, n_bytes in ((1001, size), (2, archives.MAX_DIRECTORY + 1)):
        with pytest.raises(UserError, match=r"^`x\.zip` has more than 1,000 members; give another"):
            archives.opened(
                as_zip64(plain, n_members, n_bytes), "x.zip", advice=ADVICE, has_zip64=True
            )


def test_what_is_no_archive_is_a_sentence() -> None:
    plain = zipped({"a": b"1"}).getvalue()
    at = plain.rindex(archives.END)
    for content in (
        b"",
        b"PK",
        plain[:-4],
        plain[:at],
        archives.LOCATOR_64 + bytes(16) + plain[at:],
    ):
        with pytest.raises(UserError, match=r"`x\.zip` is not a complete \.zip file"):
            archives.opened(io.BytesIO(content), "x.zip", advice=ADVICE, has_zip64=True)


@pytest.mark.parametrize(("n_bytes", "is_bomb"), [(9_000_000, False), (11_000_000, True)])
def test_a_ratio_that_text_never_has_is_refused(n_bytes: int, is_bomb: bool) -> None:
    if is_bomb:
        with pytest.raises(UserError, match="more than 100 times its size"):
            archives.check_ratio("a", n_bytes, 1000)
    else:
        archives.check_ratio("a", n_bytes, 1000)
