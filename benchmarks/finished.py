"""What sentences that are finished cost while others of their batch go on: a trained run on real lengths, beside forced ones."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.peers import ours
from benchmarks.peers.decoding import TOKENS, Ids
from benchmarks.report import table
from s2s.data import load as load_text
from s2s.decode import SearchResult
from s2s.runs import Run
from s2s.runs import load as load_run

BATCH = 64
BEAMS = (5, 1)


class Way(NamedTuple):
    """How a run is asked to translate its batches."""

    num_beams: int
    settings: Mapping[str, Any]
    is_forced: bool  # to write as many tokens as it may

    def search(
        self, run: Run, batch: Sequence[Ids], passed: ours.Passed = lambda stepper: stepper
    ) -> list[SearchResult]:
        """One SearchResult a source."""
        return ours.search(
            run.model,
            batch,
            self.num_beams,
            self.settings,
            passed=ours.Endless if self.is_forced else passed,
        )


class Written(NamedTuple):
    """What came of a batch of real lengths."""

    found: list[SearchResult]
    rows: int  # through all steps
    steps: int


def compare(name: str, text: str, seconds: float, rounds: int) -> list[dict[str, Any]]:
    """A line a strategy and precision; sentences a CPU second, the medians of rounds that alternate."""
    run = load_run(name)
    order = _batches(run, [pair.src for pair in load_text(text).pairs])
    lines = []
    exact = dict[int, list[tuple[int, ...]]]()
    for num_beams, extra in itertools.product(BEAMS, _precisions()):
        real = Way(
            num_beams, {**extra, "max_new_tokens": run.recipe.data.max_length}, is_forced=False
        )
        written = [_write(run, batch, real) for batch in order]
        asked = {
            "real": [real for _ in order],
            "longest": [
                Way(num_beams, {**extra, "max_new_tokens": one.steps}, is_forced=True)
                for one in written
            ],
            "forced": [
                Way(num_beams, {**extra, "max_new_tokens": TOKENS}, is_forced=True) for _ in order
            ],
        }
        turns = [
            {kind: _rate(run, order, ways, seconds / len(asked)) for kind, ways in asked.items()}
            for _ in range(rounds)
        ]
        rates = {kind: statistics.median(turn[kind] for turn in turns) for kind in asked}
        targets = [found.best.ids for one in written for found in one.found]
        same = [
            one == other
            for one, other in zip(targets, exact.setdefault(num_beams, targets), strict=True)
        ]
        lines.append(
            {
                **_line(num_beams, extra, written, rates),
                "same as exact %": 100 * statistics.mean(same),
            }
        )
    print(
        f"\n`{run.folder.id}` on {sum(map(len, order))} sources of {text}, batches of {BATCH}: what finished rows cost"
    )
    table(lines)
    return lines


def _precisions() -> Sequence[Mapping[str, Any]]:
    return ({}, {"precision": "fast"}) if ours.knows("precision") else ({},)


def _batches(run: Run, texts: Sequence[str]) -> list[list[Ids]]:
    """Sorted by length, as `Run.translate` sorts them."""
    ids = sorted(
        ([*row, run.recipe.model.ids.eos] for row in run.src_tokenizer.encode_many(texts)), key=len
    )
    return [list(ids[first : first + BATCH]) for first in range(0, len(ids), BATCH)]


def _write(run: Run, batch: Sequence[Ids], way: Way) -> Written:
    counted: list[ours.Counted] = []

    def watched(stepper: Any) -> ours.Counted:
        counted.append(ours.Counted(stepper))
        return counted[-1]

    found = way.search(run, batch, watched)
    return Written(found, counted[0].rows, counted[0].steps)


def _rate(run: Run, order: Sequence[Sequence[Ids]], ways: Sequence[Way], seconds: float) -> float:
    """Sentences a CPU second, over whole passes."""
    started = time.process_time()
    done = 0
    while time.process_time() - started < seconds:
        for batch, way in zip(order, ways, strict=True):
            done += len(way.search(run, batch))
    return done / (time.process_time() - started)


def _line(
    num_beams: int, extra: Mapping[str, Any], written: Sequence[Written], rates: Mapping[str, float]
) -> dict[str, Any]:
    """`could be x`: how many times as few steps a mean sentence needs as the longest of its batch."""
    length = statistics.mean(len(found.best.ids) for one in written for found in one.found)
    steps = statistics.mean(one.steps for one in written for _ in one.found)
    full = sum(one.steps * len(one.found) * num_beams for one in written)
    return {
        "strategy": ", ".join(
            [f"beam {num_beams}" if num_beams > 1 else "greedy", *extra.values()]
        ),
        "mean tokens": length,
        "longest of a batch": steps,
        "sentences a CPU s": rates["real"],
        "all as long as the longest": rates["longest"],
        "real is x": rates["real"] / rates["longest"],
        "could be x": steps / length,
        "% of rows computed": 100 * sum(one.rows for one in written) / full,
        f"{TOKENS} forced": rates["forced"],
    }
