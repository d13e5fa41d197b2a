"""Quality of the shipped demos on sources that they were not trained on: percent exact match of greedy search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import s2s
from benchmarks.report import last_line, options, table
from s2s.data import GENERATED_TASKS, Pair, load
from s2s.demo import ALIGNED, DEMOS
from s2s.scores import METRICS

ALL_TASKS = "demo-tasks"
SINGLE = [name for name in DEMOS if DEMOS[name] in ALIGNED and name != ALL_TASKS]


SPLITS = ("random", "unseen")


def percent_exact(run: s2s.Run, pairs: Sequence[Pair]) -> float:
    """Percent of the pairs whose target greedy search writes, 0 to 100."""
    texts = [one.text for one in run.translate([pair.src for pair in pairs], "greedy")]
    return METRICS["exact_match"].compute(texts, [pair.tgt for pair in pairs]).value


def by_task() -> dict[str, dict[str, float]]:
    """The demo of several tasks, each on its own."""
    run = s2s.load(ALL_TASKS)
    pairs = {split: load("builtin:tasks", split).pairs for split in SPLITS}
    return {
        name: {
            split: percent_exact(
                run, [pair for pair in pairs[split] if pair.src.startswith(task.prefix)]
            )
            for split in SPLITS
        }
        for name, task in GENERATED_TASKS.items()
    }


def main() -> None:
    arguments = options(__doc__).parse_args()
    results: dict[str, Any] = {
        name: {
            split: percent_exact(s2s.load(name), load(DEMOS[name], split).pairs) for split in SPLITS
        }
        for name in SINGLE
    }
    results[ALL_TASKS] = by_task()
    singles = [(name, results[name]) for name in SINGLE]
    parts = [(f"{ALL_TASKS}: {name}", row) for name, row in results[ALL_TASKS].items()]
    table([{"demo": name, **row} for name, row in (*singles, *parts)])
    last_line("demos", results, arguments)


if __name__ == "__main__":
    main()
