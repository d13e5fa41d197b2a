"""`python -m tests.data.fuzz FIRST LAST`: reads a mutated file per seed and says how it ended; what is no pair and no sentence ends it."""

import gzip
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from s2s.config import UserError
from s2s.data import Pair, load, splits
from s2s.data.files import offered
from tests.data.written import PLAIN, ZIPS, side, zipped

SECONDS = 5
ADDRESSES = 3_000_000_000  # bytes; what is really used is asserted by who starts this
WORDS = "the house das Haus été naïve 東京 שלום สวัสดี e\u0301 👩‍👩‍👧 <b> &amp; \\ud800 %00 {} [] , ; | ||| \" ' 1 -2.5".split(
    " "
)
WORDS += ["=1+1", "@SUM(A1)", "+cmd|' -x", '=HYPERLINK("http://x")']
PATHS = [
    "../../x.tsv",
    "/etc/x.tsv",
    "..\\x.csv",
    "a/b/c.jsonl",
    "x\n.tsv",
    "train.en",
    "train.de",
    "CON.txt",
    "x.zip",
    "\u202e.tsv",
    "",
    "dev.tsv",
]
BYTES = [
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
    b"<",
    b"&l0;",
    b"]]>",
    b"\xe9",
    "é".encode(),
]

Mutate = Callable[[random.Random, bytes], bytes]


def truncated(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def shuffled(rng: random.Random, content: bytes) -> bytes:
    start = rng.randrange(len(content) + 1)
    window = bytearray(content[start : start + rng.choice((4, 60, 4000))])
    rng.shuffle(window)
    return content[:start] + window + content[start + len(window) :]


def flipped(rng: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice((1, 5, 50)) if changed else 0):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def inserted(rng: random.Random, content: bytes) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(BYTES) * rng.choice((1, 2, 3000)) + content[at:]


def long_line(rng: random.Random, content: bytes) -> bytes:
    at = rng.randrange(len(content) + 1)
    return (
        content[:at]
        + rng.choice((b"x", b" ", b"ab,", b"[", b"\xe9")) * rng.choice((120_000, 1_500_000))
        + content[at:]
    )


def wrong_ends(rng: random.Random, content: bytes) -> bytes:
    return content.replace(b"\n", rng.choice((b"\r", b"\r\n", b"\n\r", b"\n\n", b"", b"\x0b")))


def mixed(rng: random.Random, content: bytes) -> bytes:
    half = rng.randrange(len(content) + 1)
    text = content[half:].decode("utf-8", "ignore")
    return content[:half] + text.encode(
        rng.choice(("latin-1", "utf-16", "utf-16-be", "cp1251", "utf-7", "utf-32")), "replace"
    )


def encoded(rng: random.Random, content: bytes) -> bytes:
    codec = rng.choice(
        (
            "utf-8-sig",
            "utf-16",
            "utf-16-le",
            "utf-16-be",
            "latin-1",
            "cp1252",
            "cp1251",
            "shift-jis",
        )
    )
    return content.decode("utf-8", "ignore").encode(codec, "replace")


def doubled(rng: random.Random, content: bytes) -> bytes:
    start, stop = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return content[:stop] + content[start:]


def entities(rng: random.Random, content: bytes) -> bytes:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
    return content.replace(
        b'<!DOCTYPE tmx SYSTEM "tmx14.dtd">', f'<!DOCTYPE tmx [<!ENTITY l0 "ha">{laughs}]>'.encode()
    )


MUTATIONS: tuple[Mutate, ...] = (
    truncated,
    shuffled,
    flipped,
    inserted,
    long_line,
    wrong_ends,
    mixed,
    encoded,
    doubled,
    entities,
)


def pairs(rng: random.Random) -> list[Pair]:
    texts = [
        " ".join(rng.choices(WORDS, k=rng.randint(1, 8))) for _ in range(rng.choice((2, 8, 60)))
    ]
    return [Pair(one, other) for one, other in zip(texts, reversed(texts), strict=True)]


def mutated(rng: random.Random, content: bytes) -> bytes:
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        content = rng.choice(MUTATIONS)(rng, content)
    return content


def table(rng: random.Random) -> dict[str, bytes]:
    """One file under the name of its format, mostly; before or after it was packed the mutations came."""
    name = rng.choice(sorted({**PLAIN, **ZIPS}))
    content = mutated(rng, {**PLAIN, **ZIPS}[name](pairs(rng)))
    if rng.random() < 0.1:
        name = rng.choice(sorted({**PLAIN, **ZIPS}))
    if rng.random() < 0.2:
        content = gzip.compress(content, 1)
        name = f"{name}.gz"
        content = mutated(rng, content) if rng.random() < 0.5 else content
    return {name: content}


def archive(rng: random.Random) -> dict[str, bytes]:
    members: dict[str, bytes] = {}
    for path in rng.sample(PATHS, rng.randint(1, 5)):
        members[path or "y.tsv"] = mutated(rng, PLAIN[rng.choice(sorted(PLAIN))](pairs(rng)))
    content = zipped(members)
    return {"a.zip": mutated(rng, content) if rng.random() < 0.5 else content}


def aligned(rng: random.Random) -> dict[str, bytes]:
    given = pairs(rng)
    ends = rng.choice((".en", ".txt", ".en.gz"))
    contents = [
        mutated(rng, side([pair.src for pair in given])),
        mutated(rng, side([pair.tgt for pair in given])),
    ]
    return {
        f"{name}{ends}": gzip.compress(content, 1) if ends.endswith(".gz") else content
        for name, content in zip("ab", contents, strict=True)
    }


def options(rng: random.Random) -> str:
    given = [
        f"{key}={rng.choice(('1', '2', '7', 'src', 'tgt', 'en', 'ss', '9' * 50))}"
        for key in ("src", "tgt", "prefix")
        if rng.random() < 0.2
    ]
    given += [f"header={rng.choice(('yes', 'no'))}"] if rng.random() < 0.2 else []
    return f"#{','.join(given)}" if given else ""


def ending(seed: int) -> str:
    """`pairs`, or a UserError's sentence, of each way to read the files of this seed."""
    rng = random.Random(seed)
    made = rng.choices((table, archive, aligned), (7, 2, 1))[0](rng)
    for name, content in made.items():
        Path(name).write_bytes(content)
    spec = ",".join(made) + (options(rng) if len(made) == 1 else "")
    if len(made) == 1 and rng.random() < 0.15:
        spec = f"text:{next(iter(made))}#unit={rng.choice(('line', 'passage', 'dialogue'))}"
    ends = [said(lambda: check(spec)), said(lambda: offered([Path(name) for name in made]))]
    for name in made:
        Path(name).unlink()
    if os.listdir():
        raise AssertionError(f"written: {os.listdir()}")
    return ends[0]


def check(spec: str) -> None:
    for split in splits(spec):
        corpus = load(spec, split)
        for pair in corpus.pairs:
            if not (pair.src.strip() and pair.tgt.strip()) or {"\n", "\r"} & {*pair.src, *pair.tgt}:
                raise AssertionError(f"no pair: {str(pair)[:500]}")
            (pair.src + pair.tgt).encode()


def said(read: Callable[[], object]) -> str:
    try:
        read()
    except UserError as error:
        sentence = str(error)
        if "\n" in sentence or not sentence.endswith(".") or len(sentence) > 1000:
            raise AssertionError(f"no sentence: {sentence[:2000]!r}") from error
        return sentence
    return "pairs"


def main(first: int, last: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for seed in range(first, last):
            print(seed, end=" ", flush=True)
            signal.alarm(SECONDS)  # which kills
            begun = time.monotonic()
            end = ending(seed)
            signal.alarm(0)
            print(f"{time.monotonic() - begun:.2f} {end!r}", flush=True)
        os.chdir("/")
    print("peak", Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0], flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
