"""A class presses Train: 30 people on `builtin:mini-en-fr` within a minute, beside a long run, while others look around.

A server of its own on an empty `S2S_HOME`; first a long run (`small` on `builtin:en-fr`) comes to its first step. Then each of the
class (benchmarks/session.py, no browser) opens /train, gives the run a name and presses the button at a moment of its own, and
its page looks at the run, as often as it asks for, until that is done. The preset is the one that the page recommends for that text. Others
go through the pages as in benchmarks/app.py. Seconds run from the press to the first point on the curve, and to the end of the
job. The first point is there when a look has ended that began after the first `train` line of the run's metrics.jsonl (the
validation before training is no point of it); who never has one counts as if it had come when the lesson's patience ends. A page's
answer runs from sending to `script_finished`, what a page asks for by itself apart. Class, server and trainings share the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from websockets import ConnectionClosed

from benchmarks.app import ACTIONS, POLL, TITLES, Visitors, await_training, visit
from benchmarks.report import last_line, table
from benchmarks.serving import Server, server
from benchmarks.session import Session
from s2s import share
from s2s.config import PRESETS
from s2s.data import load_preview
from s2s.jobs import forecast, queue, recommend
from s2s.runs import RunFolder, runs_folder
from s2s.settings import OWNER

TEXT = "builtin:mini-en-fr"
MINUTES = 10.0  # that somebody has who asks for the preset that fits
WITHIN = 60.0  # seconds in which all press
PATIENCE = 600.0  # seconds until all are done, or nobody waits any more
# goals in seconds: p50, all, p95
FIRST_POINT = 6.0
LAST_DONE = 180.0
ANSWER = 0.4
LONG = {"train.steps": 100_000}


PRESS = "pressing Train"


class Class(Visitors):
    """What its members share, and which of their runs have ended."""

    def __init__(self, live: str, preset: str) -> None:
        super().__init__(live)
        self.preset = preset
        self.over: set[str] = set()

    async def follow(self) -> None:
        """One look a second for all of them."""
        while True:
            rows = await asyncio.to_thread(jobs)
            self.over = {name for name, job in rows.items() if job.finished is not None}
            await asyncio.sleep(1.0)


class Pressed(NamedTuple):
    """One of the class: seconds since the epoch."""

    name: str
    at: float
    saw: float  # its page showed the run
    looks: list[tuple[float, float]]  # what the page asked for by itself: begin and end

    def first_point(self, written: float | None) -> float | None:
        """When the page showed a line of that time; None for never."""
        return (
            None
            if written is None
            else next((end for begin, end in self.looks if begin >= written), None)
        )


async def study(url: str, visitors: Class, name: str, moment: float) -> Pressed | None:
    """One of the class, who presses at that moment (`time.monotonic()`) and watches until the run is done; None: it couldn't."""
    session = Session(url)
    title = TITLES["train"]
    found = None
    try:
        await asyncio.sleep(max(0.0, moment - time.monotonic() - 5 * visitors.dice.random()))
        await session.connect()
        address = {
            "set": share.pack(
                {
                    "source": TEXT,
                    "preset": visitors.preset,
                    "train.seed": str(visitors.dice.randrange(1000)),
                }
            )
        }
        visitors.waited[title].append(await session.open("train", address))
        visitors.waited[title].append(await session.set("run name", name))
        await asyncio.sleep(max(0.0, moment - time.monotonic()))
        pressed = time.time()
        visitors.waited[PRESS].append(await session.set("train", True))
        found = Pressed(name, pressed, time.time(), [])
        await watch(session, visitors, found, moment + PATIENCE)
        await session.socket.close()
    except (OSError, TimeoutError, ConnectionClosed, KeyError) as error:
        visitors.wrong.append(f"{name}: {type(error).__name__} {error}")
    visitors.wrong += session.exceptions + session.complaints
    return found


async def watch(session: Session, visitors: Class, pressed: Pressed, end: float) -> None:
    """A look as often as the page asks for, and one when the run is over."""
    is_over = False
    while not is_over and time.monotonic() < end:
        is_over = pressed.name in visitors.over
        await asyncio.sleep(min(session.polls.values(), default=1.0))
        begin = time.time()
        for fragment in list(session.polls):
            visitors.waited[POLL].append(await session.poll(fragment))
        pressed.looks.append((begin, time.time()))


def jobs() -> dict[str, queue.Job]:
    """By the name of the run."""
    return {str(job.spec["name"]): job for job in queue.jobs(OWNER)}


async def lesson(served: Server, visitors: Class, students: int, browsers: int) -> list[Pressed]:
    """All of it; the long run is not in it."""
    dice = random.Random(1)
    begun = time.monotonic() + 5
    moments = sorted(begun + dice.uniform(0, WITHIN * students / 30) for _ in range(students))
    pages = list(ACTIONS)
    looking = [
        asyncio.create_task(visit(served.url, visitors, pages[n % len(pages)], begun + PATIENCE))
        for n in range(browsers)
    ]
    looking.append(asyncio.create_task(visitors.follow()))
    working = (
        study(served.url, visitors, f"student {n + 1}", moment) for n, moment in enumerate(moments)
    )
    found = await asyncio.gather(*working)
    for task in looking:
        task.cancel()
    return [one for one in found if one]


def outcome(pressed: Sequence[Pressed]) -> list[dict[str, Any]]:
    """A row a student."""
    rows = []
    known = jobs()
    for one in pressed:
        job = known[one.name]
        lines = RunFolder(runs_folder() / job.run).lines("metrics")
        written = next((line["time"] for line in lines if line["kind"] == "train"), None)
        seen = one.first_point(written)
        row = {
            "name": one.name,
            "state": job.state,
            "pressed at s": one.at - pressed[0].at,
            "answered s": one.saw - one.at,
        }
        times = {
            "waited in the queue s": job.started,
            "written s": written,
            "first point s": seen,
            "done s": job.finished,
        }
        rows.append(
            row
            | {what: then and then - one.at for what, then in times.items()}
            | {"error": job.error}
        )
    return rows


def share_of(values: Sequence[float], share: float) -> float:
    """The value below which that share of them lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def summary(
    rows: Sequence[dict[str, Any]], visitors: Visitors, students: int
) -> list[dict[str, Any]]:
    """The numbers that have goals, and those beside them."""
    seen = [row["first point s"] for row in rows if row["first point s"] is not None]
    points = seen + [PATIENCE] * (students - len(seen))
    done = [row["pressed at s"] + row["done s"] for row in rows if row["state"] == "done"]
    pages = [seconds for title in (*TITLES.values(), PRESS) for seconds in visitors.waited[title]]
    lines = [
        ("first point, p50", share_of(points, 0.5), FIRST_POINT),
        ("first point, p95", share_of(points, 0.95), None),
    ]
    lines += [
        ("the last is done, after the first press", max(done, default=float("nan")), LAST_DONE)
    ]
    lines += [
        ("a page's answer, p95", share_of(pages, 0.95), ANSWER),
        ("a page's answer, p50", share_of(pages, 0.5), None),
    ]
    for name in (PRESS, POLL):
        lines += (
            [(f"{name}, p95", share_of(visitors.waited[name], 0.95), None)]
            if visitors.waited[name]
            else []
        )
    return [
        {"what": what, "seconds": seconds, "goal": f"< {goal:g}" if goal else ""}
        for what, seconds, goal in lines
    ]


def main() -> None:
    """One lesson."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--students", type=int, default=30, help="fewer press within as much less time"
    )
    parser.add_argument("--preset", default="", help="another one than the page recommends")
    parser.add_argument("--browsers", type=int, default=5, help="others who look around")
    arguments = parser.parse_args()
    chosen = arguments.preset or recommend(load_preview(TEXT), MINUTES).preset
    cost = forecast(PRESETS[chosen].recipe, load_preview(TEXT))
    with server() as served:
        os.environ["S2S_HOME"] = str(served.home)
        live = served.submit("builtin:en-fr", "small", LONG)
        await_training(served, live)
        visitors = Class(live, chosen)
        pressed = asyncio.run(lesson(served, visitors, arguments.students, arguments.browsers))
        if not pressed:
            raise SystemExit("\n".join(["Nobody could press Train:", *visitors.wrong]))
        rows = outcome(pressed)
        begun = RunFolder(runs_folder() / live).lines("metrics")
        between = [
            line for line in begun if line["kind"] == "train" and line["time"] >= pressed[0].at
        ]
    table(rows)
    print()
    table(found := summary(rows, visitors, arguments.students))
    done = sum(row["state"] == "done" for row in rows)
    blind = arguments.students - sum(row["first point s"] is not None for row in rows)
    print(
        f"\n{chosen} on {TEXT}, forecast {cost.seconds:.0f} s: {done} of {arguments.students} done, {blind} without a first point."
    )
    print(f"The long run made {len(between)} steps meanwhile.")
    print(
        "\n".join(
            f"  {re.sub(r'[0-9a-z]{16}', 'ID', line)}" for line in sorted(set(visitors.wrong))
        )
    )
    numbers = {
        "preset": chosen,
        "forecast": cost.seconds,
        "students": arguments.students,
        "done": done,
        "blind": blind,
        "summary": found,
    }
    last_line(
        "classroom", {**numbers, "rows": rows, "wrong": visitors.wrong, "load": os.getloadavg()[0]}
    )


if __name__ == "__main__":
    main()
