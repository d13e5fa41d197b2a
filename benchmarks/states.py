"""How fast States answers another layer, view, word or colour, with nothing cached of the layer but the run.

A server of its own with an empty `S2S_HOME`, and a session without a browser (benchmarks/session.py): seconds run from sending
a widget's new value to the end of the script. A row of PARTS is one thing that somebody does, done again and again.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from benchmarks.report import last_line, table
from benchmarks.serving import ROOT, server
from benchmarks.session import Session
from s2s import share

RUN, SOURCE = "demo-en-fr", "the bank is by the river"
GOAL = 200.0  # milliseconds, of a quiet machine


class Part(NamedTuple):
    """What `set` says when the page opens, the widget that is changed, and its values in turn."""

    said: Mapping[str, str]
    key: str
    values: Sequence[str]


SENTENCES = tuple((ROOT / "s2s" / "ui" / "surprises" / "en-fr.txt").read_text().splitlines())
PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "map: layer": Part({"view": "map"}, "layer", ("0", "1", "2")),
        "map: colour": Part({"view": "map"}, "states own colour", ("position", "sentence", "word")),
        "map: every layer": Part({"view": "map"}, "states own layers", ("all", "one")),
        "map: sentence": Part({"view": "map"}, "src", SENTENCES),
        "same word: layer": Part({"view": "same"}, "layer", ("0", "1", "2")),
        "neighbours: layer": Part({"view": "near"}, "layer", ("0", "1", "2")),
        "lens: layer": Part({"view": "lens"}, "layer", ("0", "1", "2")),
        "lens: sentence": Part({"view": "lens"}, "src", SENTENCES),
    }
)


async def measured(url: str, n: int) -> list[dict[str, Any]]:
    """Every part in a session of its own; the first values warm it up, and what they took is told as `first`."""
    rows = []
    for name, part in PARTS.items():
        session = Session(url)
        await session.connect()
        await session.open("states", {"run": RUN, "src": SOURCE, "set": share.pack(part.said)})
        warm = min(len(part.values), 3)
        seconds = [await session.set(part.key, part.values[each % len(part.values)]) for each in range(n + warm)]
        if session.exceptions:
            raise SystemExit("\n".join(session.exceptions))
        first, rest = max(seconds[:warm]), sorted(seconds[warm:])
        p50, p95 = statistics.median(rest), rest[round(0.95 * (len(rest) - 1))]
        rows.append({"part": name, "n": n, "first_ms": 1000 * first, "p50_ms": 1000 * p50, "p95_ms": 1000 * p95, "goal_ms": GOAL})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=30, help="how often each thing is done")
    arguments = parser.parse_args()
    with server() as served:
        rows = asyncio.run(measured(served.url, arguments.times))
    table(rows)
    last_line("states", rows)


if __name__ == "__main__":
    main()
