"""Decoding speed compared with other libraries, each in its fastest setting, and with an upper bound for this machine.

Every target has exactly 20 tokens, from random weights of the shape of `transformer-tiny` with a vocabulary of 10,000;
sources are Multi30k's test sentences of 2016, ids in, ids out, the encoder included. Rates are sentences per CPU second
of a one-thread process. Each decoder has its own process and they take turns, so that other load on the machine affects
all of them; a ratio is the median of the rounds' ratios, and more reliable than the rates. Every peer is tried as it
comes and with the allocator's settings of ours; those that compute with torch also in oneDNN's fast mode where that is
float32, CTranslate2 also with its other libraries of matrix products. The headline is the smallest ratio of each
library. `same`: the share of sentences for which a decoder with our weights found our targets. `bound`: the rate if
there were only the matrix products, by torch's fastest library, with the rows of one step. `foreign`: the cores that
other processes used meanwhile. Another part: peak memory with many beams and tokens.
"""

from __future__ import annotations

import argparse
import operator
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import torch

from benchmarks import bound
from benchmarks.peers import MINE, ours, present
from benchmarks.peers.decoding import (
    DECODERS,
    OURS,
    TOKENS,
    Answer,
    Decoder,
    Ids,
    Turn,
    decoders,
    random_model,
)
from benchmarks.peers.race import Leg, children, metered
from benchmarks.report import last_line, options, table
from benchmarks.serving import DATA
from s2s.config import PRESETS, Recipe, override
from s2s.tokenizers import EOS, fit

RECIPE: Recipe = override(  # joint BPE of 10,000
    PRESETS["transformer-tiny"].recipe, {"train.device": "cpu"}
)
UNLIKE = "JoeyNMT"  # has its own weights
MEMORY_GOAL = 1.5  # GB
MEMORY_BATCH = 64
MEMORY_BEAMS = 16
MEMORY_TOKENS = 200
PARTS = ("memory", "speed")


@dataclass(frozen=True)
class Task:
    """One table: a beam size and batch size."""

    num_beams: int
    batch: int

    @property
    def name(self) -> str:
        """`beam 5, batch 64`."""
        return f"{f'beam {self.num_beams}' if self.num_beams > 1 else 'greedy'}, batch {self.batch}"


TASKS = (Task(5, 64), Task(1, 64), Task(5, 1), Task(1, 1))


class Round(NamedTuple):
    """Every decoder's turn at one task, and the bound at that time."""

    answers: dict[str, Answer]
    bound: float  # sentences per CPU second

    def rate(self, name: str) -> float:
        """Sentences per CPU second."""
        return self.answers[name].leg.rate(1)


def sentences() -> tuple[list[Ids], int]:
    """The ids of the sources, ending in `</s>`, and the vocabulary size."""
    folder = DATA / "multi30k"
    if not folder.is_dir():
        raise SystemExit(
            f"`{folder}` does not exist; set S2S_TEST_DATA to the folder that contains `multi30k`."
        )
    train = [
        (folder / f"train.{language}").read_text(encoding="utf-8").splitlines()
        for language in ("en", "de")
    ]
    tokenizer, _ = fit(RECIPE.tokenizer, *train)
    texts = (folder / "flickr2016.en").read_text(encoding="utf-8").splitlines()
    return [[*ids, EOS] for ids in tokenizer.encode_many(texts)], tokenizer.vocab_size


def work(task: Task, sources: Sequence[Ids], vocab_size: int) -> tuple[bound.Work, bound.Work]:
    """The work of encoding and of decoding a sentence. The first step has a single beam; no prefix is recomputed."""
    src, squared = (statistics.mean(len(ids) ** power for ids in sources) for power in (1, 2))
    generated = 1 + task.num_beams * (TOKENS - 1)
    scores = 1 + task.num_beams * (TOKENS * (TOKENS + 1) // 2 - 1)
    encoding = bound.Lengths(src, 0, squared, 0, 0)
    decoding = bound.Lengths(0, generated, 0, scores, src * generated)
    return bound.work(RECIPE, vocab_size, encoding), bound.work(RECIPE, vocab_size, decoding)


def bounded(task: Task, sources: Sequence[Ids], vocab_size: int) -> float:
    """Sentences per CPU second if there were only matrix products."""
    encoding, decoding = work(task, sources, vocab_size)
    encoder_rows = round(task.batch * statistics.mean(map(len, sources)))
    return 1 / (
        bound.forward_seconds(encoding, encoder_rows)
        + bound.forward_seconds(decoding, task.batch * task.num_beams)
    )


def one_round(
    lined_up: Sequence[Decoder], task: Task, turn: Turn, bound_now: Callable[[], float]
) -> Round:
    """Every decoder from the same batch on, each round starting with another; prints progress to stderr."""
    started = time.perf_counter()
    first = turn.first % len(lined_up)
    answers = {
        decoder.name: decoder.turn(turn) for decoder in (*lined_up[first:], *lined_up[:first])
    }
    found = Round(answers, bound_now())
    print(
        f"{task.name}: a round in {time.perf_counter() - started:.0f} s",
        file=sys.stderr,
        flush=True,
    )
    return found


def line(decoder: Decoder, task: Task, rounds: Sequence[Round], first: Round) -> dict[str, Any]:
    """The row of one decoder; its targets are compared in the first round, which warms up."""
    name = decoder.name
    legs = [found.answers[name].leg for found in rounds]
    rates = [found.rate(name) for found in rounds]
    theirs = first.answers[name].targets
    mine = first.answers[OURS].targets
    is_comparable = decoder.entrant != UNLIKE and task.batch > 1
    return {
        "decoder": name,
        "library": DECODERS[decoder.entrant].library,
        "rate": statistics.median(rates),
        "from": min(rates),
        "to": max(rates),
        "ours is x": statistics.median(found.rate(OURS) / found.rate(name) for found in rounds),
        "% of bound": statistics.median(100 * found.rate(name) / found.bound for found in rounds),
        "same %": 100 * statistics.mean(map(operator.eq, theirs, mine)) if is_comparable else None,
        "foreign": statistics.mean(leg.foreign for leg in legs),
        "peak MB": round(max(leg.peak for leg in legs)),
    }


def mark_fastest(lines: Sequence[dict[str, Any]], lined_up: Sequence[Decoder]) -> None:
    """Say of each line whether it is its library's fastest in float32."""
    least: dict[str, float] = {}
    for row, decoder in zip(lines, lined_up, strict=True):
        if DECODERS[decoder.entrant].counts:
            library = row["library"]
            least[library] = min(row["ours is x"], least.get(library, row["ours is x"]))
    for row, decoder in zip(lines, lined_up, strict=True):
        is_least = row["ours is x"] == least[row["library"]]
        row["fastest"] = is_least and DECODERS[decoder.entrant].counts


def headline(found: Sequence[Mapping[str, Any]]) -> dict[str, list[float]]:
    """What README says: our rate in each task, and the smallest ratio to each library."""
    fastest = [{row["library"]: row for row in task["lines"] if row["fastest"]} for task in found]
    ratios = {
        library: [rows[library]["ours is x"] for rows in fastest]
        for library in fastest[0]
        if library != MINE
    }
    return {"rate": [rows[MINE]["rate"] for rows in fastest], **ratios}


def race(
    sources: list[Ids], vocab_size: int, arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """Run all tasks; prints each table when it is complete."""
    found = []
    with decoders(present(DECODERS), RECIPE, vocab_size, sources) as lined_up:
        for task in (task for task in TASKS if task.name in arguments.tasks):
            seconds = [0.0, *[arguments.seconds] * arguments.rounds]  # the first warms up
            turns = [
                Turn(task.num_beams, task.batch, number, least)
                for number, least in enumerate(seconds)
            ]
            first, *rounds = (
                one_round(lined_up, task, turn, partial(bounded, task, sources, vocab_size))
                for turn in turns
            )
            found.append(outcome(task, lined_up, first, rounds))
            flops = sum(part.total for part in work(task, sources, vocab_size)) / 1e6
            show(found[-1] | {"MFLOP a sentence": flops})
    return found


def outcome(
    task: Task, lined_up: Sequence[Decoder], first: Round, rounds: Sequence[Round]
) -> dict[str, Any]:
    """One task's table, the bound and the raw rounds."""
    lines = [line(decoder, task, rounds, first) for decoder in lined_up]
    mark_fastest(lines, lined_up)
    return {
        "task": task.name,
        "bound": statistics.median(one.bound for one in rounds),
        "foreign": statistics.mean(row["foreign"] for row in lines),
        "lines": lines,
        "rounds": [
            {name: answer.leg._asdict() for name, answer in one.answers.items()} for one in rounds
        ],
    }


def show(found: Mapping[str, Any]) -> None:
    """One task's table and its bound."""
    print(f"\n{found['task']}, {TOKENS} tokens")
    table(found["lines"])
    limit = found["bound"]
    flops = found["MFLOP a sentence"]
    print(
        f"bound: {limit:,.0f} sentences/s, from {flops:.0f} MFLOP per sentence at {limit * flops / 1e3:,.0f} GF/s",
        flush=True,
    )


def memory(sources: Sequence[Ids], vocab_size: int) -> dict[str, float]:
    """Peak memory of a process that decodes the longest sources with many beams and many tokens."""
    with children(
        _hold, {"memory": (sorted(sources, key=len)[-MEMORY_BATCH:], vocab_size)}
    ) as wires:
        try:
            leg = Leg(*wires["memory"].recv())
        except EOFError:
            raise SystemExit(
                "The process whose memory is measured ended; see its output above."
            ) from None
    what = f"{MEMORY_BATCH} sources x beam {MEMORY_BEAMS} x {MEMORY_TOKENS} tokens"
    print(
        f"\npeak memory of {what}: {leg.peak / 1e3:.2f} GB (goal: below {MEMORY_GOAL}), in {leg.cpu:,.0f} CPU s",
        flush=True,
    )
    return {"peak_gb": leg.peak / 1e3, "goal_gb": MEMORY_GOAL, "cpu_s": leg.cpu}


def _hold(wire: Connection, sources: Sequence[Ids], vocab_size: int) -> None:
    torch.set_num_threads(1)
    model = random_model(RECIPE, vocab_size)
    limit = {"max_new_tokens": MEMORY_TOKENS}
    wire.send(
        tuple(
            metered(
                lambda: len(ours.search(model, sources, MEMORY_BEAMS, limit, wrap=ours.Endless))
            )
        )
    )


def main() -> None:
    """Run the chosen parts."""
    parser = options(__doc__)
    parser.add_argument(
        "--tasks",
        nargs="*",
        choices=[task.name for task in TASKS],
        default=[task.name for task in TASKS],
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--seconds",
        type=float,
        default=2.0,
        help="minimum CPU seconds per decoder and round",
    )
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    sources, vocab_size = sentences()
    parts: Mapping[str, Callable[[], Any]] = {
        "memory": lambda: memory(sources, vocab_size),
        "speed": lambda: race(sources, vocab_size, arguments),
    }
    results = {name: measure() for name, measure in parts.items() if name in arguments.parts}
    first = {"headline": headline(results["speed"])} if "speed" in results else {}
    last_line("decode", {**first, **results}, arguments)


if __name__ == "__main__":
    main()
