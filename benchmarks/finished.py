"""The cost of finished sentences while others in their batch continue: a trained run, with real and with forced
lengths.
"""

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
from s2s.library.checkpoints import load as load_run
from s2s.runs import Run

BATCH = 64
BEAMS = (5, 1)


class SearchRequest(NamedTuple):
    """Beam size and settings of a search."""

    num_beams: int
    settings: Mapping[str, Any]
    is_forced: bool  # to generate as many tokens as allowed

    def search(
        self, run: Run, batch: Sequence[Ids], wrap: ours.Wrap = lambda stepper: stepper
    ) -> list[SearchResult]:
        """One SearchResult per source."""
        return ours.search(
            run.model,
            batch,
            self.num_beams,
            self.settings,
            wrap=ours.Endless if self.is_forced else wrap,
        )


class DecodedBatch(NamedTuple):
    """The results of a batch with real lengths."""

    found: list[SearchResult]
    rows: int  # summed over all steps
    steps: int


def compare(name: str, text: str, seconds: float, rounds: int) -> list[dict[str, Any]]:
    """One row per strategy and precision: sentences per CPU second, medians of alternating rounds."""
    run = load_run(name)
    order = _batches(run, [pair.src for pair in load_text(text).pairs])
    lines = []
    exact = dict[int, list[tuple[int, ...]]]()
    for num_beams, extra in itertools.product(BEAMS, _precisions()):
        real = SearchRequest(
            num_beams, {**extra, "max_new_tokens": run.recipe.data.max_length}, is_forced=False
        )
        decoded = [_write(run, batch, real) for batch in order]
        requests = {
            "real": [real for _ in order],
            "longest": [
                SearchRequest(num_beams, {**extra, "max_new_tokens": one.steps}, is_forced=True)
                for one in decoded
            ],
            "forced": [
                SearchRequest(num_beams, {**extra, "max_new_tokens": TOKENS}, is_forced=True)
                for _ in order
            ],
        }
        turns = [
            {
                kind: _rate(run, order, requests, seconds / len(requests))
                for kind, requests in requests.items()
            }
            for _ in range(rounds)
        ]
        rates = {kind: statistics.median(turn[kind] for turn in turns) for kind in requests}
        targets = [found.best.ids for one in decoded for found in one.found]
        same = [
            one == other
            for one, other in zip(targets, exact.setdefault(num_beams, targets), strict=True)
        ]
        lines.append(
            {
                **_line(num_beams, extra, decoded, rates),
                "same as exact %": 100 * statistics.mean(same),
            }
        )
    print(
        f"\n`{run.folder.id}` on {sum(map(len, order))} sources of {text}, batches of {BATCH}:"
        " the cost of finished rows"
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


def _write(run: Run, batch: Sequence[Ids], request: SearchRequest) -> DecodedBatch:
    counted: list[ours.Counted] = []

    def counting(stepper: Any) -> ours.Counted:
        counted.append(ours.Counted(stepper))
        return counted[-1]

    found = request.search(run, batch, counting)
    return DecodedBatch(found, counted[0].rows, counted[0].steps)


def _rate(
    run: Run, order: Sequence[Sequence[Ids]], requests: Sequence[SearchRequest], seconds: float
) -> float:
    """Sentences per CPU second, over whole passes."""
    started = time.process_time()
    done = 0
    while time.process_time() - started < seconds:
        for batch, request in zip(order, requests, strict=True):
            done += len(request.search(run, batch))
    return done / (time.process_time() - started)


def _line(
    num_beams: int,
    extra: Mapping[str, Any],
    decoded: Sequence[DecodedBatch],
    rates: Mapping[str, float],
) -> dict[str, Any]:
    """`could be x`: steps of a batch's longest sentence, divided by those of an average sentence."""
    length = statistics.mean(len(found.best.ids) for one in decoded for found in one.found)
    steps = statistics.mean(one.steps for one in decoded for _ in one.found)
    full = sum(one.steps * len(one.found) * num_beams for one in decoded)
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
        "% of rows computed": 100 * sum(one.rows for one in decoded) / full,
        f"{TOKENS} forced": rates["forced"],
    }
