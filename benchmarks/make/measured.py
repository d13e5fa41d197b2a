"""`python -m s2s.demo measured [WORD ...] [seconds=240]`: train a grid of small runs, from which quality is predicted.

It may be stopped and started again at any time: a run that is in the file is not trained again. With words, only
cells whose name contains one of them, such as `en-fr/300` or `small`. Multi30k is read from `S2S_TEST_DATA`; only its
results are saved.
"""

from __future__ import annotations

import os
import platform
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from s2s import files
from s2s.config import PRESETS, Recipe, asker, override
from s2s.data import Preview, load
from s2s.jobs import (
    MEASURED_FILE,
    PreparedRun,
    RunRequest,
    fit_to_minutes,
    read_measured,
    richness,
    training,
    traits_of,
)
from s2s.sizing import count_parameters

SECONDS = 240.0  # per run, about, on one thread
SCORED = 100  # validation pairs translated each time: twice as many as in a visitor's run, for less noise
VALIDATIONS = 10
OURS = ("mini-t5", "small", "transformer-tiny")
WATCH = {
    "train.threads": 1,
    "train.device": "cpu",
    "train.watch.scores": SCORED,
    "train.watch.samples": 0,
    "train.watch.attention": False,
}
KEPT = ("step", "loss", "token_accuracy", "bleu", "chrf")


@dataclass(frozen=True)
class Cell:
    """One run to train: which dataset, how many pairs of it, which preset."""

    text: str
    like: str
    source: str
    valid: str | None
    preset: str

    @property
    def name(self) -> str:
        """Its name in the file and on the command line."""
        return f"{self.text}/{self.preset}"


def cells() -> list[Cell]:
    """All of them; those of Multi30k where it is present."""
    grammar = "short English-French sentences of a grammar"
    found = [
        Cell(
            f"en-fr/{rows}",
            grammar,
            f"builtin:en-fr#rows={rows}",
            "builtin:en-fr#split=valid",
            preset,
        )
        for rows in (300, 1000, 3000, 10_000)
        for preset in OURS
    ]
    folder = Path(os.environ.get("S2S_TEST_DATA") or "") / "multi30k"
    if (folder / "train.en").is_file():
        train, valid = (f"{folder / part}.en,{folder / part}.de" for part in ("train", "val"))
        captions = "English-German captions of photographs"
        found += [
            Cell(f"multi30k/{rows}", captions, f"{train}#rows={rows}", valid, preset)
            for rows in (1000, 5000, 29_000)
            for preset in OURS
        ]
    return found


def main(arguments: Sequence[str]) -> None:
    """Train what is asked for and not in the file yet, and write the file after each run."""
    seconds = next(
        (float(one.partition("=")[2]) for one in arguments if one.startswith("seconds=")), SECONDS
    )
    words = [one for one in arguments if "=" not in one]
    known = {row["name"]: row for row in read_measured(MEASURED_FILE)["runs"]}
    for cell in cells():
        if cell.name in known or (words and not any(word in cell.name for word in words)):
            continue
        print(f"{cell.name} …", flush=True)
        known[cell.name] = measure(cell, seconds)
        files.write_json(MEASURED_FILE, {"runs": [known[one] for one in sorted(known)]})
        last = known[cell.name]["points"][-1]
        print(f"{cell.name}: {last['minutes']:.1f} min, BLEU {last.get('bleu', 0):.1f}", flush=True)


def measure(cell: Cell, seconds: float) -> dict[str, Any]:
    """Train one; returns its row of the file."""
    preview = Preview.of(load(cell.source))
    recipe = planned(cell.preset, preview, seconds)
    with tempfile.TemporaryDirectory() as scratch:
        started = training.start(
            RunRequest(recipe, cell.source, cell.valid, cell.preset, cell.name, asker.LOCAL),
            Path(scratch) / "run",
        )
        started_at = time.time()
        for _ in training.run(started):
            pass
        return {
            "name": cell.name,
            "text": cell.text,
            "like": cell.like,
            "preset": cell.preset,
            "n_pairs": len(started.data.train),
            "richness": round(richness(preview), 2),
            "traits": asdict(traits_of(preview)),
            "parameters": _parameters(started),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, 1 thread",
            "steps": recipe.train.steps,
            "batch_tokens": recipe.train.batch_tokens,
            "scored": SCORED,
            "points": [
                _point(line, started_at, _slots(started))
                for line in started.folder.lines("metrics")
                if line["kind"] == "valid"
            ],
        }


def planned(preset: str, preview: Preview, seconds: float) -> Recipe:
    """The preset's recipe, with as many steps as fit."""
    steps = fit_to_minutes(PRESETS[preset].recipe, preview, seconds / 60)
    every = max(1, steps["train.steps"] // VALIDATIONS)
    watch = {"train.watch.validate_every": every, "train.watch.save_every": steps["train.steps"]}
    return override(PRESETS[preset].recipe, steps | WATCH | watch)


def _parameters(started: PreparedRun) -> int:
    data = started.data
    return count_parameters(
        started.recipe.model, data.src_tokenizer.vocab_size, data.tgt_tokenizer.vocab_size
    )


def _slots(started: PreparedRun) -> int:
    train = started.data.train
    n_tokens = sum(
        max(len(src), len(tgt) - 1) for src, tgt in zip(train.src, train.tgt, strict=True)
    )
    return min(started.recipe.train.batch_tokens, n_tokens)


def _point(line: Mapping[str, Any], started_at: float, slots: int) -> dict[str, Any]:
    kept = {key: line[key] if key == "step" else round(line[key], 4) for key in KEPT if key in line}
    return kept | {
        "minutes": round((line["time"] - started_at) / 60, 3),
        "tokens": line["step"] * slots,
    }
