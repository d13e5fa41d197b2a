"""Response times of Steps and Compare to changes that only rank or scale again, and to those that decode.

It starts its own server on an empty `S2S_HOME` and uses a session without a browser (benchmarks/session.py): seconds
run from sending a widget's new value to the end of the script. A row of PARTS is one action, repeated.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Callable, Coroutine, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from benchmarks.report import last_line, options, table
from benchmarks.serving import server
from benchmarks.session import Session
from s2s import share
from s2s.demo import RANDOM_SENTENCES

RUN = "demo-en-fr"
SOURCE = "the cat who chased the mouse was black"


class Part(NamedTuple):
    """One repeated action, which returns the seconds of each time, and the goal."""

    do: Callable[[Session, int], Coroutine[Any, Any, list[float]]]
    goal: float  # milliseconds, on an idle machine


async def rank_again(session: Session, n: int) -> list[float]:
    """Steps: the slider of the length penalty, which ranks the finished hypotheses without decoding."""
    packed = share.pack({"strategy": "beam", "num_beams": "5", "view": "tree"})
    await session.open("steps", {"run": RUN, "src": SOURCE, "set": packed})
    return [
        await session.set("steps rank_penalty", round(-2.0 + 0.1 * (7 * number % 60), 1))
        for number in range(n)
    ]


async def change_temperature(session: Session, n: int) -> list[float]:
    """Steps, next token: the temperature slider, which scales one distribution again."""
    await session.open(
        "steps", {"run": RUN, "src": SOURCE, "set": share.pack({"view": "next", "at": "2"})}
    )
    return [
        await session.set("steps filter_temperature", round(0.1 + 0.05 * (7 * number % 58), 2))
        for number in range(n)
    ]


async def change_top_p(session: Session, n: int) -> list[float]:
    """Steps, next token: top_p, which truncates one distribution elsewhere."""
    await session.open(
        "steps", {"run": RUN, "src": SOURCE, "set": share.pack({"view": "next", "at": "2"})}
    )
    return [
        await session.set("steps filter_top_p", round(0.01 * (7 * number % 100), 2))
        for number in range(n)
    ]


async def five_columns(session: Session, n: int) -> list[float]:
    """Compare: another sentence, which five strategies have not decoded before."""
    strategies = ("greedy", "beam", "diverse_beam", "sample", "mbr")
    columns = {f"c{number}": f"{RUN}!{name}!" for number, name in enumerate(strategies, 1)}
    sentences = (RANDOM_SENTENCES / "en-fr.txt").read_text().splitlines()
    await session.open("compare", {"run": RUN, "src": SOURCE, **columns})
    return [await session.set("src", sentence) for sentence in sentences[:n]]


PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "Steps: rank anew": Part(rank_again, 150),
        "Steps: next word, temperature": Part(change_temperature, 150),
        "Steps: next word, top_p": Part(change_top_p, 150),
        "Compare: five strategies": Part(five_columns, 1000),
    }
)


async def measured(url: str, n: int, parts: Mapping[str, Part]) -> list[dict[str, Any]]:
    """Every part in its own session; the first repetition warms up."""
    rows = []
    for name, part in parts.items():
        session = Session(url)
        await session.connect()
        _, *seconds = await part.do(session, n + 1)
        if session.exceptions:
            raise SystemExit("\n".join(session.exceptions))
        worst = sorted(seconds)[round(0.95 * (len(seconds) - 1))]
        rows.append(
            {
                "part": name,
                "n": n,
                "p50_ms": 1000 * statistics.median(seconds),
                "p95_ms": 1000 * worst,
                "goal_ms": part.goal,
            }
        )
    return rows


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--times", type=int, default=30, help="repetitions of each action")
    arguments = parser.parse_args()
    with server() as served:
        rows = asyncio.run(measured(served.url, arguments.times, PARTS))
    table(rows)
    last_line("lab", rows, arguments)


if __name__ == "__main__":
    main()
