"""`python -m s2s.data.reader`: read one text under limits and leave what is in it as JSON. The order comes on standard input."""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import psutil
from filelock import FileLock, Timeout

from s2s import files, settings
from s2s.config import DataConfig, UserError
from s2s.data import corpora
from s2s.data.caps import Caps
from s2s.data.corpus import Corpus
from s2s.data.lint.rules import MAX_RATIO, MAX_WORDS
from s2s.data.sources import load, splits
from s2s.data.study import digest

NICE = 5  # the dashboard goes first
AT_ONCE = 2  # readings on one machine; the others wait
SPACE = 4_000_000_000  # bytes of address space
BEAT = 0.25  # seconds between two words on how far it is
# of one part that are kept
RESULTS = 8
EXPORTS = 2
ROWS = 14  # tokenizers in the bench, about
SEED = 1  # of what is held out for statistics


class Progress:
    """How far the work is, in a file."""

    def __init__(self, path: Path, total: float) -> None:
        self.path = path
        self.total = total
        self.before = 0.0
        self.weight = 0.0
        self.doing = ""
        self.written = 0.0
        self.whole = 0.0

    def stage(self, doing: str, weight: float) -> None:
        """The next part of the work."""
        self.before = self.before + self.weight
        self.weight = weight
        self.doing = doing
        self._write(0.0)

    def tell(self, share: float) -> None:
        """How far this part is, from 0 to 1."""
        if time.monotonic() - self.written > BEAT:
            self._write(share)

    def _write(self, share: float) -> None:
        self.written = time.monotonic()
        whole = min(1.0, (self.before + self.weight * min(1.0, share)) / self.total)
        self.whole = max(
            self.whole, whole
        )  # a file that was read and closed tells nothing more: the time gone by would say less
        files.write_json(self.path, {"doing": self.doing, "share": round(self.whole, 4)})


@dataclass
class Reading:
    """One order. The text is read once, whatever is made of it."""

    folder: Path
    spec: str
    data: DataConfig
    progress: Progress

    @cached_property
    def train(self) -> Corpus:
        """The pairs as they stand in the text; a draft that was written down is not fetched again."""
        return corpora.drafted(self.folder, "train") or load(self.spec)

    @cached_property
    def valid(self) -> Corpus | None:
        """Those of the source's own validation split, if it has one beside."""
        if (self.folder / corpora.DRAFT).is_file():
            return corpora.drafted(self.folder, "valid")
        return (
            load(self.spec, "valid")
            if "valid" in splits(self.spec) and self.train.split != "valid"
            else None
        )


def _text(reading: Reading) -> None:
    """The draft that `corpora.adopt` takes in."""
    corpora.write(reading.folder, reading.train, reading.valid)


def _offer(reading: Reading) -> dict[str, Any]:
    """The columns of a table, for the pickers."""
    from s2s.data.files import offered

    return asdict(offered([Path(name) for name in reading.spec.split(",")]))


def _preview(reading: Reading) -> dict[str, Any]:
    from s2s.data.preview import Preview

    return Preview.of(reading.train).to_json()


def _lint(reading: Reading) -> dict[str, Any]:
    from s2s.data.lint import lint

    train = reading.train
    valid = reading.valid.pairs if reading.valid else ()
    report = lint(
        train.pairs,
        valid=valid,
        cleaning=reading.data.clean,
        is_plain=train.is_plain,
        tell=reading.progress.tell,
    )
    return report.to_json()


def _statistics(reading: Reading) -> dict[str, Any]:
    from s2s.data.split import prepared
    from s2s.data.statistics import Statistics

    pairs = prepared(reading.train, reading.valid, SEED, reading.data)
    return Statistics.of(pairs.train, pairs.valid).to_json()


def _pieces(reading: Reading) -> dict[str, Any]:
    from s2s.data.split import prepared
    from s2s.tokenizers import advice
    from s2s.tokenizers.bench import bench, scope

    train, valid, _ = prepared(reading.train, reading.valid, SEED, reading.data)
    src, tgt, held_src, held_tgt = (
        [getattr(pair, side) for pair in corpus.pairs]
        for corpus in (train, valid)
        for side in ("src", "tgt")
    )
    rows = []
    example = (held_src[0], held_tgt[0])
    if train.pairs is valid.pairs:  # too few to hold any out
        held_src = []
        held_tgt = []
    for row in bench(
        src, tgt, held_src, held_tgt, shared=True, example=example, limit=reading.data.max_length
    ):
        rows.append(row.to_json())
        reading.progress.tell(len(rows) / ROWS)
    return {
        "rows": rows,
        "scope": scope(len(train), len(held_src)),
        "advice": advice("word", src, tgt),
    }


def _export(reading: Reading) -> dict[str, Any]:
    """The pairs that would be trained on, as a file that `datasets` and pandas read."""
    from s2s.data.split import prepared

    train = prepared(reading.train, reading.valid, SEED, reading.data).train
    train.to_datasets().to_parquet(
        reading.folder / f"{PARTS['export'].name('export', reading.data)}.parquet"
    )
    return {"n_pairs": len(train)}


def _limits(data: DataConfig) -> list[float]:
    """With which the linter counts."""
    return [data.clean.max_words or MAX_WORDS, data.clean.max_ratio or MAX_RATIO]


class Part(NamedTuple):
    """One thing to be made: how, what people read meanwhile, and how long it takes beside the others."""

    make: Callable[[Reading], dict[str, Any] | None]
    doing: str
    weight: float
    needs: Callable[[DataConfig], Any] = lambda data: (
        ""
    )  # what of the settings it hangs on; names the result

    def name(self, key: str, data: DataConfig) -> str:
        """Of the result, without `.json`."""
        of = self.needs(data)
        return f"{key}-{digest(of)}" if of else key


PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "offer": Part(_offer, "Looking at the columns.", 0.5),
        "text": Part(_text, "Writing the pairs down.", 3.0),
        "preview": Part(_preview, "Counting.", 3.0),
        "lint": Part(_lint, "Looking for what is wrong with it.", 6.0, _limits),
        "pieces": Part(
            _pieces, "Cutting it with every tokenizer.", 8.0, lambda data: data.to_json()
        ),
        "export": Part(_export, "Writing the file.", 2.0, lambda data: data.to_json()),
        "statistics": Part(
            _statistics, "Measuring words and lengths.", 3.0, lambda data: data.to_json()
        ),
    }
)
SLOW = 20.0  # seconds after which two thirds of a reading from elsewhere are taken to be done
READ = 3.0  # the weight of reading itself


def main() -> None:
    """Do what standard input says."""
    order = json.loads(sys.stdin.buffer.read())
    caps = Caps.from_json(order["caps"])
    data = DataConfig.from_json(order["data"])
    folder = Path(order["folder"])
    state = Path(order["folder"]) / f"{order['state']}.json"
    os.nice(NICE)
    parts = {key: PARTS[key] for key in order["parts"]}
    progress = Progress(state, READ + sum(part.weight for part in parts.values()))
    signal.setitimer(
        signal.ITIMER_REAL, caps.seconds
    )  # ends the process, waiting or not; whoever asked says why
    with _slot(progress):
        resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))
        if (folder / "files").is_dir():
            os.chdir(folder / "files")  # so that errors know the files by their names
        error = _outcome(Reading(folder, order["spec"], data, progress), parts, order["token"])
    files.write_json(state, {"is_over": True, "error": error})


def _outcome(reading: Reading, parts: Mapping[str, Part], token: str) -> str:
    """An error's sentence; empty where all went well."""
    from s2s import hub

    try:
        with hub.using(token):
            _make(reading, parts)
    except UserError as error:
        return str(error)
    except MemoryError:
        return "The text needs more memory than a reading may take; bring a smaller part of it."
    except Exception as error:
        # Where, not what: an exception's message may hold a visitor's text.
        print(
            type(error).__name__,
            *traceback.format_tb(error.__traceback__),
            sep="\n",
            file=sys.stderr,
        )
        return f"Something went wrong that should not have ({type(error).__name__}); the details are in log/reader.log."
    return ""


def _make(reading: Reading, parts: Mapping[str, Part]) -> None:
    for key, part in parts.items():
        if key != "offer" and "train" not in vars(reading):
            reading.progress.stage("Reading the text.", READ)
            with _Watch(reading.progress):
                _ = reading.train
        reading.progress.stage(part.doing, part.weight)
        made = part.make(reading)
        if made is not None:
            name = part.name(key, reading.data)
            files.write_json(reading.folder / f"{name}.json", made)
            _forget_old(reading.folder, key)


def _forget_old(folder: Path, key: str) -> None:
    """Of the results of one part for different settings, the newest stay."""
    for suffix, most in ((".json", RESULTS), (".parquet", EXPORTS)):
        found = sorted(
            folder.glob(f"{key}-*{suffix}"), key=lambda path: path.stat().st_mtime, reverse=True
        )
        for old in found[most:]:
            old.unlink(missing_ok=True)


class _Watch(threading.Thread):
    """Tells how far the open files have been read; of what comes from elsewhere only that time goes by."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(name="watch", daemon=True)
        self.progress = progress
        self.over = threading.Event()

    def run(self) -> None:
        here = Path.cwd()
        own = psutil.Process()
        started = time.monotonic()
        while not self.over.wait(BEAT):
            read = [
                (file.position, os.path.getsize(file.path))
                for file in own.open_files()
                if Path(file.path).parent == here
            ]
            if not read:
                self.progress.tell(1 - math.exp((started - time.monotonic()) / SLOW))
            else:
                self.progress.tell(
                    sum(position for position, _ in read) / max(1, sum(size for _, size in read))
                )

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.join()


def _slot(progress: Progress) -> FileLock:
    """One of a few places; waits for one to become free."""
    folder = settings.home() / "incoming"
    folder.mkdir(parents=True, exist_ok=True)
    while True:
        for number in range(AT_ONCE):
            lock = FileLock(folder / f"reader-{number}.lock", timeout=0)
            try:
                lock.acquire()
            except Timeout:
                continue
            return lock
        progress.stage("Waiting for another reading to end.", 0.0)
        time.sleep(BEAT)


if __name__ == "__main__":
    main()
