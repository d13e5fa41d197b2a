"""Quality of the shipped demos on sources that they were not trained on: percent exact match of greedy search."""

from __future__ import annotations

from typing import Any

import s2s
from benchmarks import tasks
from benchmarks.report import last_line, options, table
from s2s.data import GENERATED_TASKS, load
from s2s.demo import ALIGNED, DEMOS

ALL_TASKS = "demo-tasks"
SINGLE = [name for name in DEMOS if DEMOS[name] in ALIGNED and name != ALL_TASKS]


def percent_exact(name: str) -> dict[str, float]:
    """One demo of a single task, on the splits of its dataset."""
    run = s2s.load(name)
    return {
        split: tasks.scored(run, load(DEMOS[name], split).pairs)["exact_match"]
        for split in tasks.SPLITS
    }


def by_task() -> dict[str, dict[str, float]]:
    """The demo of several tasks, each on its own."""
    run = s2s.load(ALL_TASKS)
    rows = {name: tasks.row(name, "all", run, None) for name in GENERATED_TASKS}
    return {
        name: {split: row[f"{split} exact_match"] for split in tasks.SPLITS}
        for name, row in rows.items()
    }


def main() -> None:
    """All demos."""
    arguments = options(__doc__).parse_args()
    results: dict[str, Any] = {name: percent_exact(name) for name in SINGLE}
    results[ALL_TASKS] = by_task()
    singles = [(name, results[name]) for name in SINGLE]
    parts = [(f"{ALL_TASKS}: {name}", row) for name, row in results[ALL_TASKS].items()]
    table([{"demo": name, **row} for name, row in (*singles, *parts)])
    last_line("demos", results, arguments)


if __name__ == "__main__":
    main()
