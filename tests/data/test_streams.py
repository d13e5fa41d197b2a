"""Bytes to lines: encodings that are known and said, mixed ones that are refused, and caps that hold."""

import gzip
import itertools
import random

import pytest

from s2s.config import UserError
from s2s.data.formats.encodings import Decoder
from s2s.data.formats.streams import ReadingBudget, format_size, in_memory, lines, on_disk
from s2s.data.options import Caps

TEXT = "Zoë’s façade\nça va «déjà»\nplain\n\nüber\n"
WORLD = "שלום עולם\n東京タワー\nสวัสดีชาวโลก\ne\u0301\u0323 a\u0308\n👩‍👩‍👧‍👦 🇫🇷\nhe said\u2028yes\x85no\n"


def read(content, caps=Caps(), name="a.txt", **options):  # noqa: B008 frozen
    with ReadingBudget(caps, **options) as budget:
        found = list(lines(in_memory(name, content), budget))
        return found, budget.encoding, budget.all_notes()


def refused(content, message, caps=Caps(), name="a.txt"):  # noqa: B008 frozen
    with pytest.raises(UserError, match=message) as caught:
        read(content, caps, name)
    assert "\n" not in str(caught.value)


def test_an_encoding_is_recognised_and_said():
    for codec, encoding in [
        ("utf-8", "UTF-8"),
        ("utf-8-sig", "UTF-8 with BOM"),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16"),
        ("utf-16-be", "UTF-16 (big-endian)"),
        ("cp1252", "Latin-1 (Windows-1252)"),
    ]:
        for name in ["a.txt", "a.txt.gz"]:
            content = TEXT.encode(codec)
            found, said, notes = read(
                gzip.compress(content) if name.endswith(".gz") else content, name=name
            )
            assert (found, said) == (TEXT.split("\n")[:-1], encoding)
            assert bool(notes) == (codec != "utf-8")
            assert all(encoding in note and f"`{name}`" in note for note in notes)


def test_what_is_not_utf_8_is_shown():
    assert read("one\nété".encode("latin-1"))[2] == [
        "`a.txt` was read as Latin-1 (Windows-1252): byte 0xE9 at offset 4 (line 2) is not UTF-8."
    ]


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_every_script_survives_however_the_bytes_are_cut(codec):
    content = (WORLD * 20).replace("\n", "\r\n").encode(codec)
    rng = random.Random(1)
    for _ in range(30):
        cuts = sorted(rng.sample(range(1, len(content)), 40))
        decoder = Decoder("a")
        pieces = [
            content[start:stop] for start, stop in itertools.pairwise([0, *cuts, len(content)])
        ]
        text = "".join(decoder.decode(piece, is_last=False) for piece in pieces)
        assert text + decoder.decode(b"", is_last=True) == content.decode(codec)


@pytest.mark.parametrize("at_once", [1, 7, 1 << 18])
def test_lines_are_the_same_for_every_size_of_chunk(monkeypatch, at_once):
    monkeypatch.setattr("s2s.data.formats.streams.CHUNK", at_once)
    content = (WORLD * 50).replace("\n", "\r\n")
    assert read(content.encode())[0] == (WORLD * 50).split("\n")[:-1]
    assert read(b"a\r\r\nb\rc\nd\r\n")[0] == ["a", "b\rc", "d"]
    assert read(b"a\rb\r\rc\r")[0] == ["a", "b", "", "c"]
    assert read(b"")[0] == []
    assert read(b"\n")[0] == [""]


def test_mixed_encodings_are_refused():
    good = "été\n" * 50
    bad = "été\n".encode("latin-1")
    refused(
        good.encode() + bad,
        r"`a\.txt` mixes encodings: it is UTF-8 up to byte 0xE9 at offset 300 \(line 51\), which is not;",
    )
    refused(
        bad + good.encode(),
        r"mixes encodings: byte 0xE9 at offset 0 \(line 1\) is not UTF-8, but later bytes are",
    )
    refused(b"\xef\xbb\xbfone\n" + bad, r"is not UTF-8: byte 0xE9 at offset 7 \(line 2\)")
    refused(
        "привет мир, как дела\n".encode("cp1251") * 20,
        r"is not UTF-8: byte 0xEF at offset 0 \(line 1\)\. This looks like Windows-1251 \(Russian\): `привет",
    )
    refused(b"caf\xe9 \x81\n", r"is neither UTF-8 nor Latin-1: byte 0x81 at offset 5 \(line 1\)")
    refused(b"\xff\xfeo\0n\0\xd8", r"is not UTF-16: byte 0xD8 at offset 6")


def test_binary_content_is_refused_with_the_place():
    refused(b"abc\0def", r"`a\.txt` is not text: it has a NUL byte at offset 3; export it")
    refused(b"x" * 600_000 + b"\0", r"NUL byte at offset 600000")
    refused("été".encode("latin-1") + b"\0", r"NUL byte at offset 3")
    refused(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", r"is not text: it has a NUL byte at offset 8")


def test_caps_are_named():
    refused(
        b"x" * 11,
        r"`a\.txt` has 11 bytes, more than the limit of 10 bytes \(`bytes`\)",
        Caps(bytes=10),
    )
    refused(
        gzip.compress(b"abc\n" * 300),
        r"decompresses to more than 1 kB, the limit \(`unpacked`\)",
        Caps(unpacked=1000),
        "a.gz",
    )
    refused(
        b"ab\n" + b"x" * 101 + b"\nc",
        r"Line 2 of `a\.txt` is longer than 100 bytes, the limit of one line \(`line`\)",
        Caps(line=100),
    )
    refused("é".encode() * 51, r"Line 1 .* longer than 100 bytes", Caps(line=100))
    assert read("é".encode() * 50, Caps(line=100))[0] == ["é" * 50]


def test_a_line_without_an_end_is_refused_before_it_is_read():
    content = gzip.compress(b" " * 5_000_000)
    refused(content, r"Line 1 of `a\.gz` is longer than 1 MB", name="a.gz")


def test_a_bomb_is_known_by_its_ratio():
    refused(
        gzip.compress(b"one\teins und zwei\n" * 700_000),
        r"`a\.gz` decompresses to more than 100 times its size",
        name="a.gz",
    )


def test_a_reading_ends_with_its_time():
    times = iter([0.0, 1.0, 2.0, 301.0])
    with pytest.raises(
        UserError,
        match=r"Reading `a\.txt` took longer than 300 seconds, the limit \(`seconds`\); give a smaller file\.",
    ):
        read(b"one\n" * 500_000, clock=lambda: next(times))


@pytest.mark.parametrize(
    "content",
    [
        b"no gzip\n",
        gzip.compress(b"one\n" * 1000)[:-20],
        gzip.compress(b"one\n")[:-8] + b"12345678",
    ],
    ids=[
        "none",
        "cut",
        "sum",
    ],  # the bytes hold the second they were made in, and every process names its tests anew
)
def test_a_broken_gz(content):
    refused(
        content,
        r"`a\.gz` is damaged or incomplete \(.*\); compress it again, or give it uncompressed\.",
        name="a.gz",
    )


def test_long_texts_are_truncated_and_counted():
    budget = ReadingBudget(Caps(cell=5))
    assert [budget.truncate("12345"), budget.truncate("123456"), budget.truncate("1234567")] == [
        "12345"
    ] * 3
    assert budget.all_notes() == [
        "2 texts were truncated to 5 characters, the limit of one text (`cell`)."
    ]


def test_files_are_closed_with_the_reading(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n")
    with ReadingBudget(Caps()) as budget:
        assert next(lines(on_disk(path), budget)) == "one"
        held = budget._files[0]
    assert held.closed


@pytest.mark.parametrize(
    ("n", "said"), [(7, "7 bytes"), (213_000, "213 kB"), (1_500_000, "1.5 MB"), (10**9, "1 GB")]
)
def test_sizes_for_people(n, said):
    assert format_size(n) == said
