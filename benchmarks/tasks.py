"""Quality on the generated tasks, each with its own model and all with one, trained as a user does."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import s2s
from benchmarks.builtin import command
from benchmarks.report import last_line, options, table
from s2s.data import GENERATED_TASKS, PAIRS_PER_TASK, Pair, load
from s2s.scores import METRICS

SPLITS = ("random", "unseen")
# The same training pairs as those of the task in `builtin:tasks`; those of `reverse` are written to a file.
ALONE = {
    "translate": f"builtin:en-fr#rows={PAIRS_PER_TASK['train']}",
    "summarize": "builtin:summaries",
    "respond": "builtin:dialogue",
    "reverse": "",
}


def trained(source: str, folder: Path, arguments: argparse.Namespace, steps: int) -> float:
    """Seconds of `python -m s2s train`."""
    settings = [
        part for text in (f"train.steps={steps}", *arguments.set) for part in ("--set", text)
    ]
    started = time.perf_counter()
    command("train", "--source", source, "--preset", arguments.preset, *settings, "--out", folder)
    return time.perf_counter() - started


def of_task(name: str, split: str) -> list[Pair]:
    """The pairs of one task, with its prefix."""
    return [
        pair
        for pair in load("builtin:tasks", split).pairs
        if pair.src.startswith(GENERATED_TASKS[name].prefix)
    ]


def bare(name: str, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs without the prefix."""
    return [Pair(pair.src.removeprefix(GENERATED_TASKS[name].prefix), pair.tgt) for pair in pairs]


def scored(run: s2s.Run, pairs: Sequence[Pair]) -> dict[str, float]:
    """Scores of greedy search, 0 to 100."""
    texts = [one.text for one in run.translate([pair.src for pair in pairs], "greedy")]
    references = [pair.tgt for pair in pairs]
    return {
        name: METRICS[name].compute(texts, references).value for name in ("exact_match", "rouge_l")
    }


def row(name: str, model: str, run: s2s.Run, seconds: float | None) -> dict[str, Any]:
    """One task by one model, on the splits of `builtin:tasks`."""
    found: dict[str, Any] = {"task": name, "model": model, "seconds": seconds}
    for split in SPLITS:
        pairs = of_task(name, split)
        scores = scored(run, pairs if model == "all" else bare(name, pairs))
        found |= {f"{split} {metric}": value for metric, value in scores.items()}
    return found


def alone(name: str, folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Train a model on one task only, without a prefix."""
    source = ALONE[name]
    if not source:
        source = str(folder / f"{name}.tsv")
        Path(source).write_text(
            "".join(f"{pair.src}\t{pair.tgt}\n" for pair in bare(name, of_task(name, "train")))
        )
    seconds = trained(source, folder / name, arguments, arguments.steps)
    return row(name, "alone", s2s.load(folder / name), seconds)


def together(folder: Path, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """One model of all tasks, trained for as many steps as the others together, or an existing run."""
    path = arguments.run or folder / "all"
    seconds = None
    if not arguments.run:
        seconds = trained("builtin:tasks", path, arguments, arguments.steps * len(GENERATED_TASKS))
    run = s2s.load(path)
    return [row(name, "all", run, seconds) for name in GENERATED_TASKS]


def main() -> None:
    """Each task alone, then all in one model."""
    parser = options(__doc__)
    parser.add_argument(
        "--parts", nargs="+", default=[*GENERATED_TASKS, "all"], choices=[*GENERATED_TASKS, "all"]
    )
    parser.add_argument("--preset", default="small")
    parser.add_argument(
        "--steps", type=int, default=2000, help="training steps of a model of one task"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="K=V", help="change one setting of the recipe"
    )
    parser.add_argument(
        "--run", default="", help="a trained model of all tasks, such as demo-tasks"
    )
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        rows += [
            alone(name, Path(scratch), arguments)
            for name in GENERATED_TASKS
            if name in arguments.parts
        ]
        if "all" in arguments.parts:
            rows += together(Path(scratch), arguments)
    table(rows)
    last_line(
        "tasks",
        {"preset": arguments.preset, "steps": arguments.steps, "set": arguments.set, "rows": rows},
        arguments,
    )


if __name__ == "__main__":
    main()
