"""`python -m tests.data.fuzz`: reads mutated files under limits; each must give pairs or one sentence."""

import gzip
import os
import resource
import signal
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from s2s.config import UserError
from s2s.data import Pair, load, splits
from s2s.data.files import offered
from tests.data.written import PLAIN, ZIPS, side, zipped

N_FILES = 400
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
CODECS = [
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "latin-1",
    "cp1251",
    "shift-jis",
]
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
BOMB = f'<!DOCTYPE tmx [<!ENTITY l0 "ha">{LAUGHS}]>'.encode()

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
pairs = st.lists(st.builds(Pair, texts, texts), min_size=2, max_size=12)


@st.composite
def mutated(draw: Callable, content: bytes) -> bytes:
    """The content after up to three mutations."""
    for _ in range(draw(st.integers(0, 3))):
        at, to = sorted(draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        text = content[at:].decode("utf-8", "ignore")
        codec = draw(st.sampled_from(CODECS))
        content = draw(
            st.sampled_from(
                [
                    content[:at],
                    content[:at] + content[to:],
                    content[:to] + content[at:],
                    content[:at] + content[at:to][::-1] + content[to:],
                    content[:at] + bytes([draw(st.integers(0, 255))]) + content[at + 1 :],
                    content[:at] + draw(st.sampled_from(INSERTS)) + content[at:],
                    content.replace(b"\n", draw(st.sampled_from(ENDS))),
                    content[:at] + text.encode(codec, "replace"),
                    content.decode("utf-8", "ignore").encode(codec, "replace"),
                    content.replace(b'<!DOCTYPE tmx SYSTEM "tmx14.dtd">', BOMB),
                ]
            )
        )
    return content


@st.composite
def table(draw: Callable) -> dict[str, bytes]:
    """One file, mostly under the name of its format, perhaps compressed."""
    names = sorted({**PLAIN, **ZIPS})
    kind = draw(st.sampled_from(names))
    content = draw(mutated({**PLAIN, **ZIPS}[kind](draw(pairs))))
    name = draw(st.sampled_from([kind] * 9 + names))
    if draw(st.booleans()):
        return {name: content}
    return {f"{name}.gz": draw(mutated(gzip.compress(content, 1, mtime=0)))}


@st.composite
def archive(draw: Callable) -> dict[str, bytes]:
    """A .zip with members of any name."""
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=5, unique=True))
    kinds = [draw(st.sampled_from(sorted(PLAIN))) for _ in paths]
    members = [draw(mutated(PLAIN[kind](draw(pairs)))) for kind in kinds]
    return {"a.zip": draw(mutated(zipped(dict(zip(paths, members, strict=True)))))}


@st.composite
def aligned(draw: Callable) -> dict[str, bytes]:
    """Two text files."""
    given_pairs = draw(pairs)
    end = draw(st.sampled_from([".en", ".txt"]))
    sides = [[pair.src for pair in given_pairs], [pair.tgt for pair in given_pairs]]
    return {
        f"{name}{end}": draw(mutated(side(lines))) for name, lines in zip("ab", sides, strict=True)
    }


options = st.lists(
    st.builds(
        "{}={}".format,
        st.sampled_from(["src", "tgt", "prefix", "header"]),
        st.sampled_from(["1", "2", "7", "src", "tgt", "en", "ss", "yes", "no", "9" * 50]),
    ),
    max_size=2,
).map(",".join)
ends: Counter[str] = Counter()


@settings(
    max_examples=N_FILES,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.one_of(table(), table(), archive(), aligned()), options)
def read_files(files: dict[str, bytes], chosen: str) -> None:
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
