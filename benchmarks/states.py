"""Response times of States for another layer, view, sentence or color, with only the run cached.

It starts its own server on an empty `S2S_HOME` and uses a session without a browser (benchmarks/session.py): seconds
run from sending a widget's new value to the end of the script.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from benchmarks.lab import Part, measured
from benchmarks.report import last_line, options, table
from benchmarks.serving import server
from benchmarks.session import Session
from s2s import share
from s2s.demo import RANDOM_SENTENCES

RUN = "demo-en-fr"
SOURCE = "the bank is by the river"
GOAL = 200  # milliseconds, on an idle machine
WARM = 3  # values that are not counted: each layer is shown once
SENTENCES = tuple((RANDOM_SENTENCES / "en-fr.txt").read_text().splitlines())


def switching(view: str, key: str, values: Sequence[str]) -> Part:
    """Choose these values of a widget in turn, in a view of States."""

    async def switch(session: Session, n: int) -> list[float]:
        await session.open("states", {"run": RUN, "src": SOURCE, "set": share.pack({"view": view})})
        return [await session.set(key, values[number % len(values)]) for number in range(n + WARM)][
            WARM:
        ]

    return Part(switch, GOAL)


LAYERS = ("0", "1", "2")
PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "map: layer": switching("map", "layer", LAYERS),
        "map: colour": switching("map", "states color", ("position", "sentence", "word")),
        "map: every layer": switching("map", "states layers", ("every layer", "this layer")),
        "map: sentence": switching("map", "src", SENTENCES),
        "same word: layer": switching("same", "layer", LAYERS),
        "neighbours: layer": switching("near", "layer", LAYERS),
        "lens: layer": switching("lens", "layer", LAYERS),
        "lens: sentence": switching("lens", "src", SENTENCES),
    }
)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--times", type=int, default=30, help="repetitions of each action")
    arguments = parser.parse_args()
    with server() as served:
        rows = asyncio.run(measured(served.url, arguments.times, PARTS))
    table(rows)
    last_line("states", rows, arguments)


if __name__ == "__main__":
    main()
