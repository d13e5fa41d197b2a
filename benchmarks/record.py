"""`python -m benchmarks.record quick`: measure the headlines of docs/results.md, save it, and make the tables again.

`quick` takes about a quarter of an hour on an otherwise idle machine, in the environment that `python -m
benchmarks.install` makes; `all` adds what takes longer. With names of records, only these. A measurement that fails is
told at the end, and its earlier record stays.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from types import MappingProxyType

from benchmarks import tables
from benchmarks.peers import PEERS
from benchmarks.peers.decoding import DECODERS
from benchmarks.results import IDLE, ROOT

PATIENCE = 180.0  # seconds; a busy machine is measured all the same, and the record says so
# By record: a script and its options.
QUICK: Mapping[str, str] = MappingProxyType(
    {
        "train": "train --models transformer-tiny --rounds 3 --tokens 6000 --curve-steps 0",
        "decode": "decode --parts speed --rounds 3 --seconds 0.6",
        "memorize": "builtin --parts memory",
        "demos": "demos",
        "everyday": "everyday",
        "press": "press --rounds 3",
        "upload": "upload --runs 2",
        "app": "app --seconds 30 --only training-on-builtin",
        "hosted": "hosted --only crowd --seconds 60",
    }
)
ALL: Mapping[str, str] = MappingProxyType(
    {
        **QUICK,
        "classroom": "classroom",
        "classroom-200": "classroom --students 200",
        "crash": "crash",
        "pretrained": "pretrained",
        "builtin-en-fr": "builtin --parts en-fr",
        "queue": "queue",
        "queue_simulation": "queue_simulation",
        "transfer": "transfer",
    }
)
SETS: Mapping[str, Mapping[str, str]] = MappingProxyType({"quick": QUICK, "all": ALL})


def settle() -> None:
    """Wait until what ran before no longer counts as load."""
    until = time.monotonic() + PATIENCE
    while os.getloadavg()[0] >= IDLE and time.monotonic() < until:
        time.sleep(1)


def measured(name: str) -> bool:
    """Run one benchmark, its output shown; whether it was saved."""
    settle()
    command = [sys.executable, "-m", *f"benchmarks.{ALL[name]} --record {name}".split()]
    print(f"\n== {' '.join(command[1:])}", flush=True)
    started = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, check=False)
    print(f"== {name}: {time.monotonic() - started:.0f} s", flush=True)
    return done.returncode == 0


def missing_peers() -> list[str]:
    """Packages of the libraries that ours is compared with, where they are not installed."""
    entrants = (*PEERS.values(), *DECODERS.values())
    return sorted({name for entrant in entrants for name in entrant.missing()})


def main() -> None:
    """Measure, then write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", choices=[*SETS, *ALL], metavar="NAME")
    asked = parser.parse_args().names
    names = list(dict.fromkeys(one for name in asked for one in SETS.get(name, (name,))))
    if {"train", "decode"} & {*names} and (missing := missing_peers()):
        raise SystemExit(
            f"These packages of the peers are not installed: {', '.join(missing)}."
            " `python -m benchmarks.install FOLDER` makes an environment that has them."
        )
    failed = [name for name in names if not measured(name)]
    for path, text in tables.stale().items():
        path.write_text(text, encoding="utf-8")
    if failed:
        raise SystemExit(f"Not measured: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
