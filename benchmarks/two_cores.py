"""How one training uses two cores best: threads that sleep or spin while they wait for each other, two processes, or as
many threads as are fastest now.

Each trains the model of the preset `quick` on Multi30k en-de with the command line, alone and beside a process that
keeps one core busy; the first updates do not count. The last way is that of a time budget, the others have a number
of updates instead.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.quality import spec, write_texts
from benchmarks.report import last_line, options, table
from benchmarks.results import ROOT
from s2s.train import is_fast_accurate

UPDATES = 120
MINUTES = 0.75
WARM = 20  # updates that do not count
TORCHRUN = ["-m", "torch.distributed.run", "--nproc_per_node=2", "--master_port=29617"]


class Way(NamedTuple):
    """How a training is started."""

    name: str
    threads: int  # of each process
    environment: dict[str, str]
    python: list[str]  # what comes before `-m s2s train`
    has_minutes: bool = False


WAYS = (
    Way("one thread", 1, {}, []),
    Way("two threads that sleep (as `import s2s` sets it)", 2, {}, []),
    Way("two threads that spin (`GOMP_SPINCOUNT=300000`)", 2, {"GOMP_SPINCOUNT": "300000"}, []),
    Way("two processes with one thread each (`torchrun`)", 1, {}, TORCHRUN),
    Way("as many as are fastest now (`train.minutes`)", 2, {}, [], has_minutes=True),
)


@contextmanager
def busy() -> Iterator[None]:
    """A process that keeps one core busy."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def speed(way: Way, texts: Path, out: Path) -> float:
    """Real tokens per second."""
    source, valid = (spec(texts, split, "de") for split in ("train", "valid"))
    command = [sys.executable, *way.python, "-m", "s2s", "train", "--preset", "quick"]
    command += ["--source", source, "--valid", valid, "--out", str(out)]
    settings = {
        "train.minutes": MINUTES if way.has_minutes else "null",
        "train.steps": UPDATES,
        "train.threads": way.threads,
        "train.precision": "fast" if is_fast_accurate() else "bf16",
        "model.d_model": 128,  # the same for all, however few updates are expected
    }
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    environment = {**os.environ, **way.environment}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    lines = map(json.loads, (out / "metrics.jsonl").read_text(encoding="utf-8").splitlines())
    updates = [line for line in lines if line["kind"] == "train"][WARM:]
    return sum(line["n_tokens"] for line in updates) / sum(line["seconds"] for line in updates)


def main() -> None:
    """Every way, alone and beside the busy process, in turn."""
    arguments = options(__doc__).parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder) / "text"
        write_texts(texts, "de")
        for number, way in enumerate(WAYS):
            alone = speed(way, texts, Path(folder) / f"alone-{number}")
            with busy():
                beside = speed(way, texts, Path(folder) / f"busy-{number}")
            rows.append(
                {
                    "one training, two cores": way.name,
                    "tokens per second, alone": round(alone),
                    "beside a process that keeps one core busy": round(beside),
                }
            )
    table(rows)
    last_line("two_cores", {"rows": rows}, arguments)


if __name__ == "__main__":
    main()
