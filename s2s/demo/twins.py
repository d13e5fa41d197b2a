"""`python -m s2s.demo twins [WORD ...]`: train the twins of the Positions page and keep what each makes of longer lines.

It may be stopped and started again at any time: a twin that is in the file is not trained again. With words, only
those whose name has one of them, such as `reverse`, `rotary` or `seed 1`. Half a minute of one thread each.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from s2s import files
from s2s.jobs import training, twins
from s2s.jobs.training import Asked
from s2s.jobs.twins import Reached, Twins
from s2s.runs import load
from s2s.sizing import count_parameters

FILE = Path(__file__).parent / "twins.json"
SEEDS = (1, 2, 3)
TASKS = ("reverse", "copy")


def main(arguments: Sequence[str]) -> None:
    """Train what is asked for and not in the file yet, and write the file after each."""
    rows = {row["name"]: row for row in shipped_rows()}
    for seed in SEEDS:
        for task in TASKS:
            for order in twins.orders(Twins(task, seed=seed)):
                name = f"{task}, {order.recipe.model.positions.kind}, seed {seed}"
                if name in rows or (arguments and not any(word in name for word in arguments)):
                    continue
                rows[name] = {"name": name, "task": task, **made(order, task)}
                print(
                    f"{name}: {rows[name]['cpu_seconds']:.0f} s, {rows[name]['digits']}", flush=True
                )
                files.write_json(FILE, {**_settings(), "runs": [rows[one] for one in sorted(rows)]})


def made(order: Asked, task: str) -> dict[str, Any]:
    """Train one and test it."""
    with tempfile.TemporaryDirectory() as scratch:
        begun = time.process_time()
        started = training.start(order, Path(scratch) / "twin")
        for _ in training.run(started):
            pass
        seconds = time.process_time() - begun
        data = started.data
        reached = twins.measure(load(started.folder.path), task)
        parameters = count_parameters(
            started.recipe.model, data.src_tokenizer.vocab_size, data.tgt_tokenizer.vocab_size
        )
        return {
            **twins.written(reached),
            "parameters": parameters,
            "cpu_seconds": round(seconds, 1),
        }


def shipped_rows() -> list[dict[str, Any]]:
    """What is in the file; nothing where there is none."""
    return list(json.loads(FILE.read_bytes())["runs"]) if FILE.exists() else []


def shipped(task: str) -> list[Reached]:
    """Of every seed that was trained, for the settings that one finds on the page."""
    return [twins.read(row) for row in shipped_rows() if row["task"] == task]


def _settings() -> dict[str, Any]:
    return {
        "command": "python -m s2s.demo twins",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, 1 thread",
        "steps": Twins().steps,
        "trained": list(twins.TRAINED),
        "each": twins.EACH,
        "changes": dict(twins.CHANGES),
    }
