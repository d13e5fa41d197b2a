"""What `benchmarks.classroom` does with more than 60 students: all open one short link, a fifth of them trains.

The teacher makes a short link of Attention, with a title, by the server's own functions. Within a minute each student
opens `/s/LETTERS`, follows it, and has the page when the script has finished; a few do so in Chromium, whose page is
there when it is idle and every figure is drawn. A fifth then opens Train, presses the button (400 steps of `small` on
`builtin:mini-en-fr`, more than the processor can do in the minute) and watches until the run is done. `wrong` names all
that was missing: a page that shows another run, lacks the link's title, has an exception or an error box; a run whose
page named no wait in minutes while it was queued; a job that is gone, or that neither waits, runs nor is done in the
end. Everybody stays connected until then.
"""

from __future__ import annotations

import asyncio
import html
import random
import re
import time
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from websockets import ConnectionClosed

from benchmarks.app import POLL, TITLES
from benchmarks.classroom import PATIENCE, PRESS, SOURCE, Class, jobs, quantile, workspace
from benchmarks.serving import Server
from benchmarks.session import TIMEOUT, Session
from s2s.links import share

WITHIN = 60.0  # seconds in which all open the link
THREADS = 64  # that load documents at a time
SHARE = 5  # of so many students one trains
RUN = "demo-en-fr"
STEPS = "400"  # of a training
TITLE = "Which word does each one look at"
OPENED = "opening the link"  # until the page is there
LETTERS = "the short link's own answer"
IN_CHROMIUM = "opening it in Chromium"
MAKE = """
import sys
from s2s.config import asker
from s2s.links.short import Content, make, written
run, title = sys.argv[1:]
view = {"run": run, "src": "the cat who chased the mouse was black", "kind": "cross", "layer": "2"}
with asker.acting_as("teacher"):
    print(written(make(Content("attention", view, title)).letters))
"""
ADDRESS = re.compile(r'http-equiv="refresh" content="0; url=([^"]+)"')
WAIT = re.compile(r"starts (?:within a minute|in about (\d+) minutes?)")


class Queued(NamedTuple):
    """A student's run: what the page said of its wait, and when; times in seconds since the epoch."""

    name: str
    at: float  # of the click
    said: list[tuple[float, str]]  # while it was queued


async def attend(url: str, visitors: Class, letters: str, moment: float) -> Session | None:
    """A student who opens the link at `moment` (`time.monotonic()`); None where there is no page."""
    session = Session(url)
    try:
        await asyncio.sleep(max(0.0, moment - time.monotonic()))
        began = time.perf_counter()
        address = urlsplit(await asyncio.to_thread(_followed, f"{url}/s/{letters}"))
        visitors.waited[LETTERS].append(time.perf_counter() - began)
        await session.connect()
        await session.open(address.path.strip("/"), dict(parse_qsl(address.query)))
        visitors.waited[OPENED].append(time.perf_counter() - began)
    except (OSError, TimeoutError, ConnectionClosed) as error:
        visitors.wrong.append(f"no page: {type(error).__name__} {error}")
        return None
    visitors.owners.add(workspace(session))
    if not any(TITLE in text for text in session.said):
        visitors.wrong.append("a page without the link's title")
    if RUN not in (shown := session.shown("run") if "run" in session.widgets else "nothing"):
        visitors.wrong.append(f"a page that shows the run {shown}")
    return session


def _followed(address: str) -> str:
    request = urllib.request.Request(address, headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        found = ADDRESS.search(answer.read().decode())
    if found is None:
        raise OSError("the short link leads nowhere")
    return html.unescape(found[1])


async def train(session: Session, visitors: Class, name: str) -> Queued | None:
    """Queue a training and watch it until it is done."""
    title = TITLES["train"]
    packed = share.pack({"source": SOURCE, "preset": visitors.preset, "train.steps": STEPS})
    try:
        visitors.waited[title].append(await session.open("train", {"set": packed}))
        visitors.waited[title].append(await session.set("train name", name))
        asked = Queued(name, time.time(), [])
        visitors.waited[PRESS].append(await session.set("train", True))
        until = time.monotonic() + PATIENCE
        is_over = False
        while not is_over and time.monotonic() < until:
            is_over = name in visitors.ended
            _note(session, asked)
            await asyncio.sleep(min(session.polls.values(), default=1.0))
            for fragment in list(session.polls):
                visitors.waited[POLL].append(await session.poll(fragment))
                _note(session, asked)
    except (OSError, TimeoutError, ConnectionClosed, KeyError) as error:
        visitors.wrong.append(f"{name}: {type(error).__name__} {error}")
        return None
    return asked


def _note(session: Session, asked: Queued) -> None:
    waits = [text for text in session.said if text.startswith(("Queued: ", "Waiting: "))]
    asked.said.extend((time.time(), text) for text in waits)


def in_chromium(url: str, visitors: Class, letters: str, moments: Sequence[float]) -> None:
    """Open the link at these moments, each in a browser context of its own that stays open until the last."""
    from benchmarks.browser import chromium, new_page, wait_idle

    with chromium() as browser:
        for moment in moments:
            time.sleep(max(0.0, moment - time.monotonic()))
            page = new_page(browser)
            began = time.perf_counter()
            try:
                page.goto(f"{url}/s/{letters}")
                page.get_by_text(TITLE).first.wait_for()
                wait_idle(page)
            except Exception as error:
                visitors.wrong.append(f"Chromium: {type(error).__name__}")
                continue
            visitors.waited[IN_CHROMIUM].append(time.perf_counter() - began)
            if page.locator('[data-testid="stException"]').count():
                visitors.wrong.append("Chromium: a page with an exception")
            if RUN not in page.url:
                visitors.wrong.append("Chromium: a page of another run")


async def lecture(served: Server, visitors: Class, students: int, browsers: int) -> list[Queued]:
    """All open the link; returns the runs of those who train."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
    letters = served.python(MAKE, RUN, TITLE)
    dice = random.Random(1)
    start = time.monotonic() + 5
    moments = [start + dice.uniform(0, WITHIN) for _ in range(students)]
    follow = asyncio.create_task(visitors.follow())
    drawn = asyncio.create_task(
        asyncio.to_thread(in_chromium, served.url, visitors, letters, sorted(moments[:browsers]))
    )

    async def one(number: int, moment: float) -> tuple[Session | None, Queued | None]:
        session = await attend(served.url, visitors, letters, moment)
        trains = session is not None and number < students // SHARE
        asked = (
            await train(session, visitors, f"student {number + 1}") if session and trains else None
        )
        return session, asked

    found = await asyncio.gather(*map(one, range(students), moments[browsers:]))
    await drawn
    follow.cancel()
    for session, _ in found:
        if session:
            visitors.wrong += session.exceptions + session.complaints
            await session.socket.close()
    visitors.wrong += lost([asked for _, asked in found if asked], visitors, students // SHARE)
    return [asked for _, asked in found if asked]


def lost(asked: Sequence[Queued], visitors: Class, wanted: int) -> list[str]:
    """What is missing of the runs that were queued, and of what their pages said."""
    wrong = [f"only {len(asked)} of {wanted} runs were queued"] if len(asked) < wanted else []
    known = jobs(visitors.owners)
    for one in asked:
        job = known.get(one.name)
        if job is None:
            wrong.append(f"{one.name}: its job is gone")
        elif job.state not in ("queued", "running", "done"):
            wrong.append(f"{one.name}: {job.state}, {job.error}")
        wrong += [f"{one.name}: {text}" for _, text in one.said if not WAIT.search(text)]
    return wrong


def outcome(asked: Sequence[Queued], visitors: Class) -> list[dict[str, Any]]:
    """One row per run; the longest wait that its page said, in minutes, 0 for less than one."""
    known = jobs(visitors.owners)
    began = min(one.at for one in asked)
    rows = []
    for one in asked:
        job = known[one.name]
        said = [int(found[1] or 0) for _, text in one.said if (found := WAIT.search(text))]
        rows.append(
            {
                "name": one.name,
                "state": job.state,
                "pressed at s": one.at - began,
                "waited in the queue s": job.waited,
                "said min": max(said, default=None),
                "done s": job.finished and job.finished - one.at,
            }
        )
    return rows


def summary(rows: Sequence[dict[str, Any]], visitors: Class) -> dict[str, Any]:
    """The measurements, as a table's rows and as what docs/results.md says."""
    lines = [
        {
            "what": what,
            "n": len(visitors.waited[what]),
            "p50 s": quantile(visitors.waited[what], 0.5),
            "p95 s": quantile(visitors.waited[what], 0.95),
            "max s": max(visitors.waited[what]),
        }
        for what in (LETTERS, OPENED, IN_CHROMIUM, TITLES["train"], PRESS, POLL)
        if visitors.waited[what]
    ]
    ends = [row["pressed at s"] + row["done s"] for row in rows if row["done s"]]
    waits = [row["waited in the queue s"] for row in rows if row["waited in the queue s"]]
    known = {line["what"]: line for line in lines}
    return {
        "summary": lines,
        "opened": len(visitors.waited[OPENED]) + len(visitors.waited[IN_CHROMIUM]),
        "trainings": len(rows),
        "done": sum(row["state"] == "done" for row in rows),
        "headline": {
            "p50": known[OPENED]["p50 s"],
            "p95": known[OPENED]["p95 s"],
            "chromium": known.get(IN_CHROMIUM, {}).get("max s"),
            "longest wait": max(waits, default=0.0),
            "last done": max(ends, default=float("nan")),
        },
        "said min": sorted({row["said min"] for row in rows if row["said min"] is not None}),
    }
