"""How fast States answers another layer, view, word or colour, with nothing cached of the layer but the run.

A server of its own with an empty `S2S_HOME`, and a session without a browser (benchmarks/session.py): seconds run from sending
a widget's new value to the end of the script.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from benchmarks.lab import Part, measured
from benchmarks.report import last_line, table
from benchmarks.serving import ROOT, server
from benchmarks.session import Session
from s2s import share

RUN = "demo-en-fr"
SOURCE = "the bank is by the river"
GOAL = 200  # milliseconds, of a quiet machine
WARM = 3  # values that are not counted: each layer is looked at once
SENTENCES = tuple(
    (ROOT / "s2s" / "ui" / "kit" / "random_sentences" / "en-fr.txt").read_text().splitlines()
)


def turning(view: str, key: str, values: Sequence[str]) -> Part:
    """A view of States whose widget takes these values in turn."""

    async def turn(session: Session, n: int) -> list[float]:
        await session.open("states", {"run": RUN, "src": SOURCE, "set": share.pack({"view": view})})
        return [await session.set(key, values[each % len(values)]) for each in range(n + WARM)][
            WARM:
        ]

    return Part(turn, GOAL)


LAYERS = ("0", "1", "2")
PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "map: layer": turning("map", "layer", LAYERS),
        "map: colour": turning("map", "states own colour", ("position", "sentence", "word")),
        "map: every layer": turning("map", "states own layers", ("all", "one")),
        "map: sentence": turning("map", "src", SENTENCES),
        "same word: layer": turning("same", "layer", LAYERS),
        "neighbours: layer": turning("near", "layer", LAYERS),
        "lens: layer": turning("lens", "layer", LAYERS),
        "lens: sentence": turning("lens", "src", SENTENCES),
    }
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=30, help="how often each thing is done")
    arguments = parser.parse_args()
    with server() as served:
        rows = asyncio.run(measured(served.url, arguments.times, PARTS))
    table(rows)
    last_line("states", rows)


if __name__ == "__main__":
    main()
