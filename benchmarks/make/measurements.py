"""What the page Heads shows of a demo run before anyone measures: results of its experiments that ship."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.make import trained
from s2s import files
from s2s.analysis import heads
from s2s.config import asker, override
from s2s.demo import ALIGNED, DEMOS
from s2s.jobs import EXPERIMENTS, head_samples, test_sets, training
from s2s.library.checkpoints import load
from s2s.runs import Measurement, Run, Sentences, measurements

N = 500  # sentences, as the page offers
# The view Roles opens with the held-out pairs; `agreement` has a verb far from each subject.
SPLITS = MappingProxyType(
    {
        "demo-en-de": ("test",),
        "demo-en-fr": (test_sets.HELD_OUT, "agreement"),
        "demo-en-es": (test_sets.HELD_OUT, "agreement"),
        "demo-tasks": (test_sets.HELD_OUT,),
    }
)
ALIGNMENT = "alignment"  # of demos whose dataset has gold links
TRAINED_AGAIN = "demo-en-fr"
SAVE_EVERY = 100  # steps
NOTE = (
    "A demo ships with its last checkpoint only. These are the checkpoints of its recipe trained again, which is not"
    " bit-identical: some heads took on other roles than in the demo."
)


def make(name: str) -> None:
    """Roles of a demo, over each of its splits, and what else the page opens with; seconds."""
    run = load(name)
    for split in SPLITS[name]:
        _ship(name, "roles", split, run)
    if DEMOS[name] in ALIGNED:
        _ship(name, ALIGNMENT, SPLITS[name][0], run)


def make_importance(name: str) -> None:
    """Importance of a demo's heads over its held-out pairs: half a minute of one thread."""
    _ship(name, "importance", SPLITS[name][0], load(name))


def make_history() -> None:
    """Train a demo's recipe again, keep its checkpoints, and measure each: ten minutes of one thread."""
    changes = {"train.watch.save_every": SAVE_EVERY, "train.watch.keep": 1000}
    recipe = override(trained.recipe_of(TRAINED_AGAIN), changes)
    with tempfile.TemporaryDirectory() as scratch:
        request = training.RunRequest(
            recipe, DEMOS[TRAINED_AGAIN], preset="small", name=TRAINED_AGAIN, owner=asker.LOCAL
        )
        for event in training.run(training.start(request, Path(scratch) / TRAINED_AGAIN)):
            print(f"step {event.step} of {recipe.train.steps}", end="\r", flush=True)
        ship_history(TRAINED_AGAIN, load(Path(scratch) / TRAINED_AGAIN), NOTE)


def ship_history(name: str, run: Run, note: str) -> None:
    """Measure every checkpoint of a run as if it were the demo's."""
    _ship(name, "roles-history", SPLITS[name][0], run, note=note)


def _ship(name: str, experiment: str, split: str, run: Run, **more: Any) -> None:
    sentences = Sentences("", split=split, run=name, n=N)
    row = EXPERIMENTS[experiment]
    steps = row.measure(run, head_samples.read(sentences), row.settings())
    content = {"format": measurements.FORMAT, **heads.finish(steps), **more}
    asked = Measurement(name, load(name).step, experiment, sentences)
    folder = trained.RUNS / name / measurements.SHIPPED
    files.write_text(folder / f"{asked.id}.json", json.dumps(content) + "\n")
