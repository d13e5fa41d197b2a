"""Response times of the Learn pages, at default and at large sizes.

It starts its own server on an empty `S2S_HOME` and uses a session without a browser (benchmarks/session.py): seconds
run from sending a widget's new value to the end of the script. A row of PARTS is one action, repeated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import MappingProxyType

from benchmarks.lab import Part, measured
from benchmarks.report import last_line, options, table
from benchmarks.serving import server
from benchmarks.session import Session
from s2s import share
from s2s.demo import RANDOM_SENTENCES
from s2s.lessons import EXERCISES, LESSONS

RUN = "demo-en-fr"
LARGE = MappingProxyType({"length": "2048", "d_model": "512"})
SENTENCES = (
    "the red house",
    "the cat sleeps",
    "the cat sits on the mat",
    "the bank is by the river",
    "I need to bank the money",
)


async def positions(session: Session, view: str, **values: str) -> None:
    """Open the page with this view."""
    await session.open("positions", {"run": RUN, "set": share.pack({"view": view, **values})})


async def matrix(session: Session, n: int) -> list[float]:
    """Positions: the matrix of sinusoids, another base each time."""
    await positions(session, "matrix", **LARGE)
    return [await session.set("positions base", 10_000.0 + number) for number in range(n)]


async def distance(session: Session, n: int) -> list[float]:
    """Positions: the similarity of all pairs of positions, another base each time."""
    await positions(session, "distance", **LARGE)
    return [await session.set("positions base", 10_000.0 + number) for number in range(n)]


async def rotation(session: Session, n: int) -> list[float]:
    """Positions: sinusoidal and rotary side by side, another offset each time."""
    await positions(session, "rotation", beside="rotary", **LARGE)
    return [await session.set("positions offset", 1 + number) for number in range(n)]


async def rotary(session: Session, n: int) -> list[float]:
    """Positions: q.k of rotary by distance, another base each time."""
    await positions(session, "distance", encoding="rotary", length="2048", d_head="64")
    return [await session.set("positions base", 10_000.0 + number) for number in range(n)]


async def swapped(session: Session, n: int) -> list[float]:
    """Positions: two words are swapped, in another sentence each time."""
    await positions(session, "model")
    return [await session.set("src", SENTENCES[number % len(SENTENCES)]) for number in range(n)]


async def longer(session: Session, n: int) -> list[float]:
    """Positions: models beyond their training lengths, the other task each time."""
    await positions(session, "longer")
    return [
        await session.set("positions task", ("copy", "reverse")[number % 2]) for number in range(n)
    ]


async def target_length(session: Session, n: int) -> list[float]:
    """Architecture: the slider of the target's length, the table and the bars below."""
    await session.open("architecture", {"run": RUN})
    return [await session.set("architecture tgt_len", float(2 + number)) for number in range(n)]


async def another_preset(session: Session, n: int) -> list[float]:
    """Architecture: another preset each time, compared with the run."""
    names = ("t5-11b", "small", "t5-large", "blocks", "transformer-base", "modern-small")
    await session.open("architecture", {"run": RUN, "set": share.pack({"against": "run"})})
    return [
        await session.set("architecture model", names[number % len(names)]) for number in range(n)
    ]


async def cost_curve(session: Session, n: int) -> list[float]:
    """Architecture: the training memory of the largest preset by another variable each time."""
    await session.open(
        "architecture",
        {"run": RUN, "set": share.pack({"model": "t5-11b", "view": "costs", "cost": "memory"})},
    )
    options = session.options("architecture vary")
    return [
        await session.set("architecture vary", options[(1 + number) % len(options)])
        for number in range(n)
    ]


async def masked(session: Session, n: int) -> list[float]:
    """Architecture: the masks of another sentence each time."""
    await session.open("architecture", {"run": RUN, "set": share.pack({"view": "masks"})})
    return [await session.set("src", SENTENCES[number % len(SENTENCES)]) for number in range(n)]


async def next_step(session: Session, n: int) -> list[float]:
    """Walkthrough: Next, through all steps; computed values are cached, as for every visitor."""
    await session.open(
        "walkthrough",
        {"run": RUN, "src": SENTENCES[2], "set": share.pack({"step": "pieces", "position": "2"})},
    )
    return [await session.set("walkthrough next", True) for _ in range(min(n, 29))]


async def another_head(session: Session, n: int) -> list[float]:
    """Walkthrough: the masked scores of another head each time, five figures."""
    await session.open(
        "walkthrough",
        {"run": RUN, "src": SENTENCES[2], "set": share.pack({"step": "mask", "position": "2"})},
    )
    return [await session.set("head", str(1 + number % 4)) for number in range(n)]


async def another_sentence(session: Session, n: int) -> list[float]:
    """Walkthrough: queries, keys and values of another sentence each time, translated and traced."""
    await session.open(
        "walkthrough",
        {"run": RUN, "src": SENTENCES[2], "set": share.pack({"step": "queries", "position": "2"})},
    )
    sentences = (RANDOM_SENTENCES / "en-fr.txt").read_text().splitlines()
    return [await session.set("src", sentence) for sentence in sentences[:n]]


def every_step() -> list[tuple[str, dict[str, str]]]:
    """The view of each step of the shipped lessons and exercises, with the panel beside it."""
    return [
        (step.view.page, {"run": RUN, **step.view.values, share.LESSON: f"{row.id}.{number}"})
        for row in (*LESSONS.values(), *EXERCISES.values())
        for number, step in enumerate(row.steps, 1)
    ]


async def lesson_steps(session: Session, n: int) -> list[float]:
    """Lessons: each step is opened by its link, with its page."""
    await session.open("lessons", {})
    return [await session.open(page, values) for page, values in every_step()[:n]]


async def lesson_again(session: Session, n: int) -> list[float]:
    """Lessons: the page of each step runs again, as after any change of a widget."""
    seconds = []
    for page, values in every_step()[:n]:
        await session.open(page, values)
        seconds.append(await session.rerun())
    return seconds


async def lesson_cards(session: Session, n: int) -> list[float]:
    """Lessons: the cards."""
    await session.open("lessons", {})
    return [await session.rerun() for _ in range(n)]


async def gradients(session: Session, n: int) -> list[float]:
    """Walkthrough: the gradient by layer of another sentence each time, with and without the residual."""
    await session.open(
        "walkthrough",
        {
            "run": RUN,
            "src": SENTENCES[2],
            "set": share.pack({"step": "gradients", "position": "2"}),
        },
    )
    sentences = (RANDOM_SENTENCES / "en-fr.txt").read_text().splitlines()
    return [await session.set("src", sentence) for sentence in sentences[-n:]]


PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "Positions: matrix, 2048 x 512": Part(matrix, 300),
        "Positions: likeness, 2048 x 512": Part(distance, 300),
        "Positions: rotation, two encodings": Part(rotation, 300),
        "Positions: q.k of rotary, 2048 x 64": Part(rotary, 300),
        "Positions: two words swapped": Part(swapped, 300),
        "Positions: longer than trained": Part(longer, 300),
        "Architecture: length of the batch": Part(target_length, 300),
        "Architecture: another machine": Part(another_preset, 300),
        "Architecture: growth of the largest": Part(cost_curve, 300),
        "Architecture: masks": Part(masked, 300),
        "Walkthrough: next step": Part(next_step, 300),
        "Walkthrough: another head": Part(another_head, 300),
        "Walkthrough: another sentence": Part(another_sentence, 300),
        "Walkthrough: gradients of another sentence": Part(gradients, 300),
        "Lessons: a step with its page, opened": Part(lesson_steps, 300),
        "Lessons: a step with its page, again": Part(lesson_again, 300),
        "Lessons: cards": Part(lesson_cards, 300),
    }
)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--times", type=int, default=20, help="repetitions of each action")
    parser.add_argument(
        "--only", default="", help="only parts whose names start with this, for example Positions"
    )
    arguments = parser.parse_args()
    parts = {name: part for name, part in PARTS.items() if name.startswith(arguments.only)}
    with server() as served:
        rows = asyncio.run(measured(served.url, arguments.times, parts))
    table(rows)
    last_line("learn", rows, arguments)


if __name__ == "__main__":
    main()
