"""A class presses Train, each in a workspace of their own: 30 within a minute, during a long run.

The dataset is `builtin:mini-en-fr`. The hosted server starts on an empty `S2S_HOME`, and trains a long run first
(`small` on `builtin:en-fr`).
Then each student (benchmarks/session.py, no browser) opens /train, names the run, presses the button at a random moment
and follows the run until it is done, refreshing as often as the page does. The preset is the one that the page
recommends for this dataset. Other visitors use the pages as in benchmarks/app.py. Seconds run from the click to the
first point of the curve, and to the end of the job. The first point is shown when a refresh has ended that started
after the first `train` line of the run's metrics.jsonl (the validation before training is no point); a run without one
counts as PATIENCE. A page's response time runs from sending to `script_finished`, without the requests that a page
makes by itself. Students, server and runs share the machine.

More than 60 students, or `--link`, are a lecture instead (benchmarks/lecture.py): all open one short link within a
minute, some of them in Chromium, and a fifth of them trains; what anybody missed is said.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import secrets
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from websockets import ConnectionClosed

from benchmarks.app import ACTIONS, POLL, TITLES, Visitors, await_training, visit
from benchmarks.report import last_line, options, table
from benchmarks.serving import Server, server
from benchmarks.session import Session
from s2s import hosted as workspaces
from s2s.config import PRESETS
from s2s.data import load_preview
from s2s.jobs import forecast, recommend
from s2s.links import share
from s2s.processes import queue
from s2s.runs import RunFolder, runs_folder

SOURCE = "builtin:mini-en-fr"
MINUTES = 10.0  # of training, for the recommended preset
WITHIN = 60.0  # seconds in which all click
PATIENCE = 600.0  # seconds after which nobody waits any longer
LECTURE = 60  # with more students it is one
# goals in seconds: p50, all, p95
FIRST_POINT = 5.0
LAST_DONE = 90.0
ANSWER = 0.4
LONG = {"train.steps": 50_000}  # the most that a hosted server allows


PRESS = "pressing Train"
# What README says, by row of the summary.
HEADLINE = {
    "first point": "first point, p50",
    "last done": "the last is done, after the first press",
    "page p50": "a page's answer, p50",
    "page p95": "a page's answer, p95",
}


class Class(Visitors):
    """What the students share, and the runs that have ended."""

    def __init__(self, live: str, preset: str) -> None:
        super().__init__(live)
        self.preset = preset
        self.ended: set[str] = set()
        self.owners: set[str] = set()  # the students' workspaces

    async def follow(self) -> None:
        """Check all runs once per second."""
        while True:
            rows = await asyncio.to_thread(jobs, self.owners)
            self.ended = {name for name, job in rows.items() if job.finished is not None}
            await asyncio.sleep(1.0)


class Pressed(NamedTuple):
    """One student's run; times in seconds since the epoch."""

    name: str
    at: float
    saw: float  # when the page showed the run
    refreshes: list[tuple[float, float]]  # start and end

    def first_point(self, written: float | None) -> float | None:
        """When the page showed a line logged at that time; None if never."""
        return (
            None
            if written is None
            else next((end for begin, end in self.refreshes if begin >= written), None)
        )


async def study(url: str, visitors: Class, name: str, moment: float) -> Pressed | None:
    """A student who clicks at `moment` (`time.monotonic()`) and watches until the run is done; None after an error."""
    session = Session(url)
    title = TITLES["train"]
    found = None
    try:
        await asyncio.sleep(max(0.0, moment - time.monotonic() - 5 * visitors.dice.random()))
        await session.connect()
        visitors.owners.add(workspace(session))
        address = {
            "set": share.pack(
                {
                    "source": SOURCE,
                    "preset": visitors.preset,
                    "train.seed": str(visitors.dice.randrange(1000)),
                }
            )
        }
        visitors.waited[title].append(await session.open("train", address))
        visitors.waited[title].append(await session.set("train name", name))
        await asyncio.sleep(max(0.0, moment - time.monotonic()))
        pressed = time.time()
        visitors.waited[PRESS].append(await session.set("train", True))
        found = Pressed(name, pressed, time.time(), [])
        await watch(session, visitors, found, moment + PATIENCE)
        await session.open("runs", {})
        seen = [label for label in session.options("run") if not label.startswith("demo-")]
        if len(seen) != 1 or not seen[0].startswith(name):
            visitors.wrong.append(f"{name} sees the runs {seen}")
        await session.socket.close()
    except (OSError, TimeoutError, ConnectionClosed, KeyError) as error:
        visitors.wrong.append(f"{name}: {type(error).__name__} {error}")
    visitors.wrong += session.exceptions + session.complaints
    return found


async def watch(session: Session, visitors: Class, pressed: Pressed, end: float) -> None:
    """Refresh as often as the page does, and once more when the run has ended."""
    is_over = False
    while not is_over and time.monotonic() < end:
        is_over = pressed.name in visitors.ended
        await asyncio.sleep(min(session.polls.values(), default=1.0))
        begin = time.time()
        for fragment in list(session.polls):
            visitors.waited[POLL].append(await session.poll(fragment))
        pressed.refreshes.append((begin, time.time()))


def jobs(owners: Iterable[str]) -> dict[str, queue.Job]:
    """The jobs of these workspaces, by the name of the run."""
    return {str(job.spec["name"]): job for owner in [*owners] for job in queue.jobs(owner)}


def workspace(session: Session) -> str:
    key = workspaces.key_of(dict(each.split("=", 1) for each in session.cookies.split("; ")))
    if key is None:
        raise SystemExit("The server gave no key to a workspace.")
    return key.digest


async def lesson(served: Server, visitors: Class, students: int, browsers: int) -> list[Pressed]:
    """Run the lesson; returns the students' runs."""
    dice = random.Random(1)
    start = time.monotonic() + 5
    moments = sorted(start + dice.uniform(0, WITHIN * students / 30) for _ in range(students))
    pages = list(ACTIONS)
    others = [
        asyncio.create_task(visit(served.url, visitors, pages[n % len(pages)], start + PATIENCE))
        for n in range(browsers)
    ]
    others.append(asyncio.create_task(visitors.follow()))
    working = (
        study(served.url, visitors, f"student {n + 1}", moment) for n, moment in enumerate(moments)
    )
    found = await asyncio.gather(*working)
    for task in others:
        task.cancel()
    return [one for one in found if one]


def outcome(pressed: Sequence[Pressed], owners: Iterable[str]) -> list[dict[str, Any]]:
    """One row per student."""
    rows = []
    known = jobs(owners)
    for one in pressed:
        job = known[one.name]
        lines = RunFolder(runs_folder() / job.run).lines("metrics")
        written = next((line["time"] for line in lines if line["kind"] == "train"), None)
        first_point = one.first_point(written)
        row = {
            "name": one.name,
            "state": job.state,
            "pressed at s": one.at - pressed[0].at,
            "answered s": one.saw - one.at,
        }
        times = {
            "waited in the queue s": job.started,
            "written s": written,
            "first point s": first_point,
            "done s": job.finished,
        }
        rows.append(
            row
            | {what: then and then - one.at for what, then in times.items()}
            | {"error": job.error}
        )
    return rows


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share of them lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def summary(
    rows: Sequence[dict[str, Any]], visitors: Visitors, students: int
) -> list[dict[str, Any]]:
    """The measurements with goals, and related ones."""
    first_points = [row["first point s"] for row in rows if row["first point s"] is not None]
    points = first_points + [PATIENCE] * (students - len(first_points))
    done = [row["pressed at s"] + row["done s"] for row in rows if row["state"] == "done"]
    pages = [seconds for title in (*TITLES.values(), PRESS) for seconds in visitors.waited[title]]
    lines = [
        ("first point, p50", quantile(points, 0.5), FIRST_POINT),
        ("first point, p95", quantile(points, 0.95), None),
    ]
    lines += [
        ("the last is done, after the first press", max(done, default=float("nan")), LAST_DONE)
    ]
    lines += [
        ("a page's answer, p95", quantile(pages, 0.95), ANSWER),
        ("a page's answer, p50", quantile(pages, 0.5), None),
    ]
    for name in (PRESS, POLL):
        lines += (
            [(f"{name}, p95", quantile(visitors.waited[name], 0.95), None)]
            if visitors.waited[name]
            else []
        )
    return [
        {"what": what, "seconds": seconds, "goal": f"< {goal:g}" if goal else ""}
        for what, seconds, goal in lines
    ]


def attended(served: Server, visitors: Class, arguments: argparse.Namespace) -> None:
    """Run one lecture."""
    from benchmarks import lecture  # which needs this module

    asked = asyncio.run(lecture.lecture(served, visitors, arguments.students, arguments.browsers))
    rows = lecture.outcome(asked, visitors)
    if rows:
        table(rows)
        print()
    found = lecture.summary(rows, visitors)
    table(found["summary"])
    print("\n".join(sorted(set(visitors.wrong))) or "nothing is missing")
    numbers = {"students": arguments.students, "browsers": arguments.browsers, **found}
    last_line(
        "classroom",
        {**numbers, "rows": rows, "wrong": visitors.wrong, "load": os.getloadavg()[0]},
        arguments,
    )


def main() -> None:
    """Run one lesson."""
    parser = options(__doc__)
    parser.add_argument(
        "--students",
        type=int,
        default=30,
        help="fewer students click within proportionally less time",
    )
    parser.add_argument("--preset", default="", help="instead of the one that the page recommends")
    parser.add_argument(
        "--browsers",
        type=int,
        default=5,
        help="number of other visitors; in a lecture, of the students who use Chromium",
    )
    parser.add_argument("--link", action="store_true", help="a lecture also with few students")
    arguments = parser.parse_args()
    is_lecture = arguments.link or arguments.students > LECTURE
    chosen = (
        arguments.preset or "small" * is_lecture or recommend(load_preview(SOURCE), MINUTES).preset
    )
    cost = forecast(PRESETS[chosen].recipe, load_preview(SOURCE))
    hosted = {"S2S_HOSTED": "1", "S2S_SECRET": secrets.token_hex(16)}
    with server(**hosted) as served:
        os.environ.update(hosted | {"S2S_HOME": str(served.home)})
        live = served.submit("builtin:en-fr", "small", LONG)
        await_training(served, live)
        visitors = Class(live, chosen)
        if is_lecture:
            attended(served, visitors, arguments)
            return
        pressed = asyncio.run(lesson(served, visitors, arguments.students, arguments.browsers))
        if not pressed:
            raise SystemExit("\n".join(["No student could start a run:", *visitors.wrong]))
        rows = outcome(pressed, visitors.owners)
        lines = RunFolder(runs_folder() / live).lines("metrics")
        between = [
            line for line in lines if line["kind"] == "train" and line["time"] >= pressed[0].at
        ]
    table(rows)
    print()
    table(found := summary(rows, visitors, arguments.students))
    done = sum(row["state"] == "done" for row in rows)
    blind = arguments.students - sum(row["first point s"] is not None for row in rows)
    print(
        f"\n{chosen} on {SOURCE}, forecast {cost.seconds:.0f} s: {done} of {arguments.students} done,"
        f" {blind} without a first point."
    )
    print(f"The long run took {len(between)} steps meanwhile.")
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
        "headline": {
            name: next(line["seconds"] for line in found if line["what"] == what)
            for name, what in HEADLINE.items()
        },
        "blind": blind,
        "summary": found,
    }
    last_line(
        "classroom",
        {**numbers, "rows": rows, "wrong": visitors.wrong, "load": os.getloadavg()[0]},
        arguments,
    )


if __name__ == "__main__":
    main()
