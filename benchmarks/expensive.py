"""Visitors browse Attention and Compare for a minute, without and with one who asks for many expensive searches.

Each case has a hosted server of its own on an empty `S2S_HOME`, on which everyone has a workspace. Visitors are
sessions without browsers (benchmarks/session.py) that wait 2.5 to 7.5 s between two actions: another head, layer, kind,
strategy or sentence. The expensive visitor has six columns of Compare, 100 beams or samples each, none of which may end
before `--tokens` tokens, for the longest sentence that the page takes; as soon as one sentence is done, or after 10 s,
comes the next; with several tabs, which send the same cookie, at once. Seconds run from sending a request to
`script_finished`, of the others only; `ratio` is their p95 beside the quiet one. Cases alternate, since others may use
the machine; `load` says how busy it was, `other MB` is the proportional set size of the processes beside the server.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import secrets
import statistics
import time
from typing import Any

from websockets import ConnectionClosed

from benchmarks.app import THINK, Visitors, measured, press, sentences, think
from benchmarks.report import last_line, options, table
from benchmarks.serving import server
from benchmarks.session import Session

RUN = "demo-en-fr"
PAGES = ("attention", "compare")
STRATEGIES = ("mbr!num_samples", "beam!num_beams", "diverse_beam!num_beams")
PAUSE = 10.0  # seconds after which the expensive visitor types another sentence
TABS = 8  # of a hostile one, who does not wait
MOST_SLOWER = 2.0  # times the quiet p95
LONGEST = 790  # characters


async def browse(url: str, visitors: Visitors, page: str, end: float) -> None:
    """One of the twenty."""
    session = Session(url)
    waited = visitors.waited[page]
    try:
        await session.connect()
        await asyncio.sleep(visitors.dice.random() * THINK)
        waited.append(await session.open(page, {"run": RUN}))
        while time.monotonic() < end:
            await think(session, visitors, THINK * (0.5 + visitors.dice.random()))
            waited.append(await press(session, visitors))
        await session.socket.close()
    except (OSError, TimeoutError, ConnectionClosed, KeyError) as error:
        visitors.wrong.append(f"{page}: {type(error).__name__} {error}")
    visitors.wrong += session.exceptions + session.complaints


async def ask_much(url: str, tokens: int, end: float, tabs: int) -> None:
    """The expensive visitor, with one cookie in all tabs."""
    first = Session(url)
    await first.connect()
    await first.socket.close()
    pause = PAUSE if tabs == 1 else 0.0
    await asyncio.gather(
        *(ask_in_tab(first, tokens, end, begin=7 * tab, pause=pause) for tab in range(tabs))
    )


async def ask_in_tab(first: Session, tokens: int, end: float, *, begin: int, pause: float) -> None:
    """One whose page takes longer than the session's patience opens it again."""
    text = " ".join(sentences())
    lengths = f"max_new_tokens:{tokens},min_new_tokens:{tokens - 1}"
    columns = {
        f"c{number}": f"{RUN}!{name}:100,{lengths}"
        for number, name in zip(range(1, 7), itertools.cycle(STRATEGIES), strict=False)
    }
    for start in itertools.count(begin, 40):
        if time.monotonic() > end:
            return
        session = Session(f"http://{first.host}")
        session.cookies = first.cookies
        try:
            await session.connect()
            sentence = text[start : start + LONGEST].strip()
            await session.open("compare", {"run": RUN, "src": sentence, **columns})
            await think(session, Visitors(""), min(pause, end - time.monotonic()))
        except (OSError, TimeoutError, ConnectionClosed):
            continue
        finally:
            await session.socket.close()


async def visit(url: str, count: int, seconds: float, tokens: int, tabs: int) -> Visitors:
    """All of them; `tabs` 0: without the expensive one."""
    visitors = Visitors("")
    end = time.monotonic() + seconds
    expensive = asyncio.create_task(ask_much(url, tokens, end, tabs)) if tabs else None
    if expensive:
        await asyncio.sleep(5)  # it is at work when the others come
    twenty = (browse(url, visitors, PAGES[i % len(PAGES)], end) for i in range(count))
    await asyncio.gather(*twenty)
    if expensive:
        expensive.cancel()
    return visitors


def measure(count: int, seconds: float, tokens: int, tabs: int) -> dict[str, Any]:
    """One case on a server of its own."""
    with server(S2S_HOSTED="1", S2S_SECRET=secrets.token_hex(16)) as served:
        visitors = asyncio.run(visit(served.url, count, seconds, tokens, tabs))
        sizes = measured(served)
    waited = sorted(itertools.chain(*(visitors.waited[page] for page in PAGES)))
    for line in sorted(set(visitors.wrong)):
        print(f"  {line}")
    return {
        "tabs of the expensive visitor": tabs,
        "reruns": len(waited),
        "p50 s": statistics.median(waited),
        "p95 s": waited[min(len(waited) - 1, int(0.95 * len(waited)))],
        "max s": waited[-1],
        "errors": len(visitors.wrong),
        "server MB": sizes["server"],
        "other MB": sizes["sum"] - sizes["server"],
        "load": os.getloadavg()[0],
    }


def with_ratios(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each p95 beside that of the quiet case before it."""
    quiet = 0.0
    for row in rows:
        quiet = row["p95 s"] if row["tabs of the expensive visitor"] == 0 else quiet
        row["ratio"] = row["p95 s"] / quiet
    return rows


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--tokens", type=int, default=500, help="of every expensive target")
    parser.add_argument("--tabs", type=int, nargs="*", default=[1, TABS], help="cases")
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    rows = [
        measure(arguments.sessions, arguments.seconds, arguments.tokens, tabs)
        for _ in range(arguments.rounds)
        for tabs in (0, *arguments.tabs)
    ]
    table(with_ratios(rows))
    beside = [row["ratio"] for row in rows if row["tabs of the expensive visitor"]]
    found = {"rows": rows, "ratio": max(beside, default=1.0), "tokens": arguments.tokens}
    print(
        f"\nthe others' p95 is at most {found['ratio']:.2f} times the quiet one (goal <= {MOST_SLOWER:g})"
    )
    last_line("expensive", found, arguments)


if __name__ == "__main__":
    main()
