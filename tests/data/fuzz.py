"""`python -m tests.data.fuzz`: reads mutated files under limits; each must give pairs or one sentence."""

import gzip
import os
import resource
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

from s2s.config import UserError
from s2s.data import Pair, load, splits
from s2s.data.files import offered
from tests.data.written import PLAIN, ZIPS, side, zipped

N_FILES = 300
SECONDS = 5  # of the processor, per file
ADDRESSES = 3_000_000_000  # bytes; the memory really used is asserted by the caller
WORDS = [
    *"the house das Haus été naïve 東京 שלום สวัสดี e\u0301 👩‍👩‍👧".split(),
    *"<b> &amp; \\ud800 %00 {} [] , ; | ||| \" ' 1 -2.5".split(),
    *("=1+1", "@SUM(A1)", "+cmd|' -x", '=HYPERLINK("http://x")'),
]
PATHS = ["../../x.tsv", "/etc/x.tsv", "..\\x.csv", "a/b/c.jsonl", "x\n.tsv", "train.en", "train.de"]
PATHS += ["CON.txt", "x.zip", "\u202e.tsv", "y.tsv", "dev.tsv"]
INSERTS = [
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r",
    b"\r\n",
    b"\n\r",
    b"\x85",
    b'"',
    b"\t",
    b"{",
    b"[",
]
INSERTS += [b"<", b"&l0;", b"]]>", b"\xe9", "é".encode(), b"x" * 1_500_000, b"ab," * 40_000]
ENDS = [b"\r", b"\r\n", b"\n\r", b"\n\n", b"", b"\x0b"]
CODECS = "utf-8-sig utf-16 utf-16-le utf-16-be utf-32 latin-1 cp1251 shift-jis".split()
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
BOMB = f'<!DOCTYPE tmx [<!ENTITY l0 "ha">{LAUGHS}]>'.encode()

T = TypeVar("T")


class Draw(Random):
    """Each file is drawn with a seed of its own, its number."""

    def some(self, given: Sequence[T], least: int, most: int) -> list[T]:
        """Between `least` and `most` of them, some perhaps again."""
        return self.choices(given, k=self.randint(least, most))

    def pairs(self) -> list[Pair]:
        return [Pair(self.text(), self.text()) for _ in range(self.randint(2, 12))]

    def text(self) -> str:
        return " ".join(self.some(WORDS, 1, 8))


def mutated(draw: Draw, content: bytes) -> bytes:
    """The content after up to three mutations."""
    for _ in range(draw.choice([0, 0, 0, 1, 1, 2, 3])):
        content = mutation(draw, content)
    return content


def mutation(draw: Draw, content: bytes) -> bytes:
    at, to = sorted(draw.randint(0, len(content)) for _ in range(2))
    codec = draw.choice(CODECS)
    return draw.choice(
        [
            lambda: content[:at],
            lambda: content[:at] + content[to:],
            lambda: content[:to] + content[at:],
            lambda: content[:at] + content[at:to][::-1] + content[to:],
            lambda: content[:at] + draw.randbytes(1) + content[at + 1 :],
            lambda: content[:at] + draw.choice(INSERTS) + content[at:],
            lambda: content.replace(b"\n", draw.choice(ENDS)),
            lambda: content[:at] + content[at:].decode("utf-8", "ignore").encode(codec, "replace"),
            lambda: content.decode("utf-8", "ignore").encode(codec, "replace"),
            lambda: content.replace(b'<!DOCTYPE tmx SYSTEM "tmx14.dtd">', BOMB),
        ]
    )()


def table(draw: Draw) -> dict[str, bytes]:
    """One file, mostly under the name of its format, perhaps compressed."""
    writers = {**PLAIN, **ZIPS}
    kind = draw.choice(sorted(writers))
    content = mutated(draw, writers[kind](draw.pairs()))
    name = draw.choice([kind] * 9 + sorted(writers))
    if draw.random() < 0.5:
        return {name: content}
    return {f"{name}.gz": mutated(draw, gzip.compress(content, 1, mtime=0))}


def archive(draw: Draw) -> dict[str, bytes]:
    """A .zip with members of any name."""
    paths = draw.sample(PATHS, draw.randint(1, 5))
    members = {
        path: mutated(draw, PLAIN[draw.choice(sorted(PLAIN))](draw.pairs())) for path in paths
    }
    return {"a.zip": mutated(draw, zipped(members))}


def aligned(draw: Draw) -> dict[str, bytes]:
    """Two text files."""
    given = draw.pairs()
    end = draw.choice([".en", ".txt"])
    sides = {"a": [pair.src for pair in given], "b": [pair.tgt for pair in given]}
    return {f"{name}{end}": mutated(draw, side(lines)) for name, lines in sides.items()}


def options(draw: Draw) -> str:
    """After the `#` of a spec."""
    values = ["1", "2", "7", "src", "tgt", "en", "ss", "yes", "no", "9" * 50]
    keys = draw.sample(["src", "tgt", "prefix", "header"], draw.choice([0, 0, 0, 1, 2]))
    return ",".join(f"{key}={draw.choice(values)}" for key in keys)


ends: Counter[str] = Counter()


def read_files() -> None:
    for number in range(N_FILES):
        draw = Draw(number)
        files = draw.choice([table, table, archive, aligned])(draw)
        try:
            read(files, options(draw))
        except BaseException:
            print(
                f"file number {number}:",
                {name: files[name][:300] for name in files},
                file=sys.stderr,
            )
            raise


def read(files: Mapping[str, bytes], chosen: str) -> None:
    for name, content in files.items():
        Path(name).write_bytes(content)
    spec = ",".join(files) + (f"#{chosen}" if chosen and len(files) == 1 else "")
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # which kills
    try:
        ends[ending(lambda: check(spec))] += 1
        ending(lambda: offered([Path(name) for name in files]))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        for name in files:
            Path(name).unlink()
    assert not os.listdir(), f"written: {os.listdir()}"


def check(spec: str) -> None:
    for split in splits(spec):
        for pair in load(spec, split).pairs:
            assert pair.src.strip()
            assert pair.tgt.strip()
            assert not {"\n", "\r"} & {*pair.src, *pair.tgt}
            (pair.src + pair.tgt).encode()


def ending(read: Callable[[], object]) -> str:
    """`pairs`, or the beginning of a UserError's one sentence."""
    try:
        read()
    except UserError as error:
        sentence = str(error)
        assert "\n" not in sentence
        assert sentence.endswith(".")
        assert len(sentence) <= 1000
        return " ".join(sentence.split()[:5])
    return "pairs"


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        read_files()
        os.chdir("/")
    peak = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
    print(ends.total(), ends["pairs"], len(ends), peak)
