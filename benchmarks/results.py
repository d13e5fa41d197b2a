"""What was measured, in `benchmarks/results/NAME.json`: by which command, of which code, when, where, with what.

Knows nothing of torch: tables.py and the tests read these files without it.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "benchmarks" / "results"
LIBRARIES = (
    "torch",
    "numpy",
    "tokenizers",
    "streamlit",
    "sacrebleu",
    "transformers",
    "joeynmt",
    "ctranslate2",
)
MEASURED = ("s2s", "pages", "streamlit_app.py", "requirements.txt", "benchmarks/*.py")
VECTORS = ("avx2", "avx512f", "amx_tile")  # instructions that decide how fast matrix products are
IDLE = 0.7  # load at the start, below which nothing else ran


@dataclass(frozen=True)
class Record:
    """One measurement; `results` is what the benchmark prints as its last line, raw rounds included."""

    benchmark: str
    command: str
    commit: str  # ends in `+` where files differed from it
    date: str  # of its end, in UTC
    machine: dict[str, Any]
    libraries: dict[str, str]
    results: Any
    note: str = ""  # where this was not written by the benchmark itself

    @property
    def place(self) -> str:
        """`Intel Xeon with AMX`, with its GPU where there is one, and whether other programs ran."""
        words = str(self.machine["cpu"]).replace("(R)", "").replace("(TM)", "").split()
        name = " ".join(words[:2])
        amx = " with AMX" if "amx_tile" in self.machine.get("vectors", ()) else ""
        gpu = f"{self.machine['gpu']}, " if self.machine.get("gpu") else ""
        return f"{gpu}{name}{amx}{'' if self.machine['load'] < IDLE else ', busy'}"

    @property
    def origin(self) -> str:
        """When, where and of which code, in one line."""
        return f"{self.date[:10]}, `{self.commit}`, {self.place}"


def write(name: str, record: Record) -> Path:
    """Save it under this name; the file of an earlier measurement is replaced."""
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.json"
    part = path.with_suffix(".part")
    part.write_text(
        json.dumps(asdict(record), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    part.replace(path)
    return path


def read(name: str) -> Record | None:
    """The newest measurement of this name; None if there is none."""
    path = FOLDER / f"{name}.json"
    return Record(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def names() -> list[str]:
    """All that were saved."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def commit() -> str:
    """The checked-out commit, with `+` where the measured files differ from it."""
    changes = ["status", "--porcelain", "--", *MEASURED]
    return _git("rev-parse", "--short=10", "HEAD") + "+" * bool(_git(*changes))


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"A record names its commit, and git did not tell: {done.stderr.strip()}")
    return done.stdout.strip()


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def libraries() -> dict[str, str]:
    """Python's version and those of the libraries that are installed."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def command(data: Path) -> str:
    """How this process was started, without the folder of the data."""
    words = " ".join(["python", *sys.orig_argv[1:]])
    return words.replace(str(data), "$S2S_TEST_DATA")


def processor() -> dict[str, Any]:
    """The processor's name, its number of cores, and its vector instructions."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    fields = {line.partition(":")[0].strip(): line.partition(":")[2].strip() for line in lines}
    flags = fields.get("flags", "").split()
    return {
        "cpu": fields.get("model name") or platform.processor(),
        "vectors": [name for name in VECTORS if name in flags],
        "cores": os.cpu_count(),
    }
