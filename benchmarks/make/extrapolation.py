"""`python -m s2s.demo extrapolation [WORD ...]`: train the runs of Positions and save how they do on longer lines.

It may be stopped and started again at any time: a run that is in the file is not trained again. With words, only runs
whose name contains one of them, such as `reverse`, `rotary` or `seed 1`. Half a minute of one thread each.
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
from s2s.demo.results import EXTRAPOLATION_FILE
from s2s.jobs import ExtrapolationSettings, RunRequest, extrapolation, training
from s2s.library.checkpoints import load
from s2s.sizing import count_parameters

SEEDS = (1, 2, 3)
TASKS = ("reverse", "copy")


def main(arguments: Sequence[str]) -> None:
    """Train what is asked for and not in the file yet, and write the file after each run."""
    rows = {row["name"]: row for row in known_rows()}
    for request, task in _requests():
        kind = request.recipe.model.positions.kind
        name = f"{task}, {kind}, seed {request.recipe.train.seed}"
        if name in rows or (arguments and not any(word in name for word in arguments)):
            continue
        rows[name] = {"name": name, "task": task, **train_and_test(request, task)}
        print(f"{name}: {rows[name]['cpu_seconds']:.0f} s, {rows[name]['digits']}", flush=True)
        files.write_json(
            EXTRAPOLATION_FILE, {**_settings(), "runs": [rows[name] for name in sorted(rows)]}
        )


def _requests() -> list[tuple[RunRequest, str]]:
    return [
        (request, task)
        for seed in SEEDS
        for task in TASKS
        for request in extrapolation.run_requests(ExtrapolationSettings(task, seed=seed))
    ]


def train_and_test(request: RunRequest, task: str) -> dict[str, Any]:
    """One run's row in the file, without its name."""
    with tempfile.TemporaryDirectory() as scratch:
        begin = time.process_time()
        started = training.start(request, Path(scratch) / "run")
        for _ in training.run(started):
            pass
        seconds = time.process_time() - begin
        result = extrapolation.measure(load(started.folder.path), task)
        src_size = started.data.src_tokenizer.vocab_size
        tgt_size = started.data.tgt_tokenizer.vocab_size
        return {
            **files.to_json(result),
            "parameters": count_parameters(started.recipe.model, src_size, tgt_size),
            "cpu_seconds": round(seconds, 1),
        }


def known_rows() -> list[dict[str, Any]]:
    """The runs in the file; none where there is no file."""
    return (
        list(json.loads(EXTRAPOLATION_FILE.read_bytes())["runs"])
        if EXTRAPOLATION_FILE.exists()
        else []
    )


def _settings() -> dict[str, Any]:
    return {
        "command": "python -m s2s.demo extrapolation",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, 1 thread",
        "steps": ExtrapolationSettings().steps,
        "trained": list(extrapolation.TRAINED),
        "each": extrapolation.EACH,
        "changes": dict(extrapolation.CHANGES),
    }
