"""`python -m s2s.demo faults [WORD ...]`: train a run per fault, look at a demo with the others, and save the results.

It may be stopped and started again at any time: what is in the file is not measured again. With words, only faults
whose name contains one of them, such as `positions`; `none` is the healthy run. Half a minute of one thread each.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from s2s import files
from s2s.config import NO_FAULT, TRAINING_FAULTS
from s2s.data import load as load_corpus
from s2s.demo.results import FAULTS_FILE, Measured
from s2s.faults import FAULTS
from s2s.files import stored
from s2s.jobs import fault_experiment, training
from s2s.library.checkpoints import load
from s2s.runs import with_fault

DEMO = "demo-en-fr"  # looked at with the faults that act at inference only
DEMO_SOURCE = "builtin:en-fr"
DEMO_SPLIT = "random"
DEMO_LIMIT = 40  # tokens of a translation
SEED = 1  # of dropout that is left on
EVERY = 4  # steps of the training loss that make one point of its curve
LAST = 20  # steps whose mean is the final training loss


def main(arguments: Sequence[str]) -> None:
    """Measure what is asked for and not in the file yet, and write the file after each."""
    rows = dict(known_rows())
    for name in _names():
        if name in rows or (arguments and not any(word in name for word in arguments)):
            continue
        kind, _, fault = name.partition(" ")
        found = train_and_measure(fault) if kind == "trained" else look(fault)
        rows[name] = files.to_json(found)
        print(f"{name}: exact match {found.outcome.exact_match:.0%}", flush=True)
        kept = {name: rows[name] for name in _names() if name in rows}
        files.write_json(FAULTS_FILE, {**_settings(), "results": kept})


def _names() -> list[str]:
    """`trained none`, `trained no-scale`, ..., `demo none`, ...: in the order of the page."""
    inference = [name for name in FAULTS if name not in TRAINING_FAULTS]
    trained = [f"trained {fault}" for fault in (NO_FAULT, *TRAINING_FAULTS)]
    return trained + [f"demo {fault}" for fault in (NO_FAULT, *inference)]


def train_and_measure(fault: str) -> Measured:
    """Train a run with the fault, and open it as everybody would."""
    with tempfile.TemporaryDirectory() as scratch:
        begin = time.process_time()
        started = training.start(fault_experiment.request(fault), Path(scratch) / "run")
        for _ in training.run(started):
            pass
        seconds = time.process_time() - begin
        lines = started.folder.lines("metrics")
        run = load(started.folder.path, started.recipe.train.steps)
        outcome = fault_experiment.measure(run, fault_experiment.held_out_pairs())
    train = [line for line in lines if line["kind"] == "train"]
    valid = [line for line in lines if line["kind"] == "valid"]
    losses = np.array([line["loss"] for line in train])
    means = losses[: len(losses) // EVERY * EVERY].reshape(-1, EVERY).mean(1)
    return Measured(
        fault,
        outcome,
        steps=tuple(range(EVERY, EVERY * len(means) + 1, EVERY)),
        loss=tuple(means.round(4).tolist()),
        valid_steps=tuple(line["step"] for line in valid),
        valid_loss=tuple(round(line["loss"], 4) for line in valid),
        final_loss=round(float(losses[-LAST:].mean()), 4),
        cpu_seconds=round(seconds, 1),
    )


def look(fault: str) -> Measured:
    """The demo, which is healthy, with a fault that acts at inference."""
    pairs = load_corpus(DEMO_SOURCE, DEMO_SPLIT).pairs[: fault_experiment.N_TEST]
    with torch.random.fork_rng([]), with_fault(load(DEMO), fault) as run:
        torch.manual_seed(SEED)
        return Measured(fault, fault_experiment.measure(run, pairs, DEMO_LIMIT))


def _settings() -> dict[str, Any]:
    return {
        "command": "python -m s2s.demo faults",
        "date": stored.now(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, 1 thread",
        "source": fault_experiment.SOURCE,
        "changes": dict(fault_experiment.CHANGES),
        "n_test": fault_experiment.N_TEST,
        "n_alone": fault_experiment.N_ALONE,
    }


def known_rows() -> Mapping[str, dict[str, Any]]:
    """What the file has; nothing where there is no file."""
    if not FAULTS_FILE.exists():
        return MappingProxyType({})
    found: dict[str, dict[str, Any]] = json.loads(FAULTS_FILE.read_bytes())["results"]
    return found
