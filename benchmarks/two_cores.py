"""How one training uses two cores best: threads that sleep or spin while they wait for each other, or two processes.

Each trains the preset `quick` on Multi30k en-de for half a minute with the command line, alone and beside a process
that keeps one core busy; the first updates do not count.
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

MINUTES = 0.5
WARM = 10  # updates
TORCHRUN = ["-m", "torch.distributed.run", "--nproc_per_node=2", "--master_port=29617"]


class Way(NamedTuple):
    """How a training is started."""

    name: str
    threads: int  # of each process
    environment: dict[str, str]
    python: list[str]  # what comes before `-m s2s train`


WAYS = (
    Way("one thread", 1, {}, []),
    Way("two threads that sleep (as `import s2s` sets it)", 2, {}, []),
    Way("two threads that spin (`GOMP_SPINCOUNT=300000`)", 2, {"GOMP_SPINCOUNT": "300000"}, []),
    Way("two processes with one thread each (`torchrun`)", 1, {}, TORCHRUN),
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
    command += ["--source", source, "--valid", valid, "--set", f"train.minutes={MINUTES}"]
    command += ["--set", f"train.threads={way.threads}", "--out", str(out)]
    command += ["--set", "model.d_model=128"]  # the same for all, however few updates are expected
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
