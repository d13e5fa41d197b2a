"""The preset `quick` on Multi30k: BLEU on flickr2016 after a budget of minutes, for some seeds.

The data, their segmentation and BLEU are those of benchmarks.quality. Every run is `python -m s2s train`, on its own;
its log is in FOLDER, and a run that is complete there is not trained again. Needs the peers' packages.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.quality import SPLITS, scored, spec, write_texts
from benchmarks.report import last_line, options, table
from benchmarks.results import ROOT
from s2s import files
from s2s.config import PRESETS
from s2s.data import Preview, load, load_pairs_for_training
from s2s.jobs import MEASURED_FILE, read_measured, richness, traits_of
from s2s.runs import RunFolder
from s2s.sizing import count_parameters
from s2s.training import Trainer, prepare, settle

REFERENCE = "small"  # as in s2s/jobs/plan/time_budget.py
REFERENCE_SECONDS = 20.0
WARM = 3  # updates
GOALS = {8.0: 30.0, 20.0: 35.0, 75.0: 41.5}  # BLEU by minutes, on two cores
METRIC = "tokenized, lower case"
LATE = 0.1  # of the budget, plus a minute: a run that takes longer than this is stopped


def say(text: str) -> None:
    """A line with the time, at once, so that a log can be followed."""
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def train_logged(command: Sequence[str], run: Path, minutes: float) -> float:
    """Train with this command, its log beside the run; the seconds it took."""
    started = time.monotonic()
    with run.with_suffix(".log").open("w", encoding="utf-8") as log:
        subprocess.run(
            command,
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=True,
            timeout=60 * (minutes * (1 + LATE) + 1),
        )
    seconds = time.monotonic() - started
    say(f"{run.name}: {seconds / 60:.2f} minutes")
    return seconds


def trained(arguments: argparse.Namespace, texts: Path, minutes: float, seed: int) -> Path:
    """The run of a budget and a seed; trained now unless it is complete."""
    run: Path = arguments.out / f"quick-{arguments.target}-{minutes:g}-{seed}"
    took = run.with_suffix(".took.json")
    if took.exists():
        return run
    if run.exists():
        raise SystemExit(f"{run} is not complete; remove it, and start again.")
    source, valid = (spec(texts, split, arguments.target) for split in ("train", "valid"))
    command = [sys.executable, "-m", "s2s", "train", "--preset", "quick", "--source", source]
    command += ["--valid", valid, "--set", f"train.minutes={minutes:g}"]
    command += ["--set", f"train.seed={seed}", "--out", str(run)]
    for assignment in arguments.set:
        command += ["--set", assignment]
    say(f"{run.name}: {' '.join(command)}")
    load_before = os.getloadavg()[0]
    seconds = train_logged(command, run, minutes)
    files.write_json(took, {"seconds": seconds, "load": round(load_before, 2)})
    return run


def row_of(run: Path, texts: Path, target: str, minutes: float, seed: int) -> dict[str, Any]:
    """What one run took, chose and reached."""
    kept = run.with_suffix(".scored.json")
    if not kept.exists():
        say(f"{run.name}: translating flickr2016")
        files.write_json(kept, scored(run, None, texts, target))
    found = json.loads(kept.read_text(encoding="utf-8"))
    folder = RunFolder(run)
    recipe = folder.recipe()
    lines = folder.lines("metrics")
    validations = [line for line in lines if line["kind"] == "valid"]
    updates = [line for line in lines if line["kind"] == "train"]
    return {
        "minutes": minutes,
        "seed": seed,
        **json.loads(run.with_suffix(".took.json").read_text(encoding="utf-8")),
        "bleu": found["bleu"],
        "best_step": found["step"],
        "validation": {
            key: validations[-1].get(key) for key in ("loss", "token_accuracy", "bleu", "chrf")
        },
        "validation_bleus": [line["bleu"] for line in validations if "bleu" in line],
        "updates": len(updates),
        "tokens": sum(line["n_tokens"] for line in updates),
        "update_seconds": sum(line["seconds"] for line in updates),
        "last_rate": updates[-1]["lr"],
        "plan": folder.about()["plan"],
        "chosen": {
            "d_model": recipe.model.d_model,
            "n_layers": [recipe.model.encoder.n_layers, recipe.model.decoder.n_layers],
            "dropout": recipe.model.dropout,
            "vocab_size": folder.tokenizers()[1].vocab_size,
            "batch_tokens": recipe.train.batch_tokens,
            "lr": recipe.train.lr,
            "parameters": count_parameters(
                recipe.model, *(tokenizer.vocab_size for tokenizer in folder.tokenizers())
            ),
            "precision": recipe.train.precision,
            "threads": recipe.train.threads,
        },
        "command": folder.about()["command"].replace(str(texts.parent), "FOLDER"),
    }


def reference_tokens_per_second(texts: Path, target: str) -> float:
    """How fast this machine trains the preset small on these data, as the forecast counts tokens."""
    recipe = settle(PRESETS[REFERENCE].recipe)
    source, valid = (spec(texts, split, target) for split in ("train", "valid"))
    pairs = load_pairs_for_training(source, valid, 1, recipe.data)
    trainer = Trainer(recipe, prepare(recipe, pairs.train, pairs.valid), None)
    for _ in range(WARM):
        trainer.update()
    started = time.perf_counter()
    n_updates = 0
    while time.perf_counter() - started < REFERENCE_SECONDS:
        trainer.update()
        n_updates += 1
    return n_updates * recipe.train.batch_tokens / (time.perf_counter() - started)


def keep_measured(
    rows: Sequence[Mapping[str, Any]], preview: Preview, target: str, per_second: float
) -> None:
    """Put the runs where expected quality is predicted from: per seed one row, with a point per budget."""
    known = {row["name"]: row for row in read_measured(MEASURED_FILE)["runs"]}
    for seed in dict.fromkeys(row["seed"] for row in rows):
        runs = sorted(
            (row for row in rows if row["seed"] == seed), key=lambda row: float(row["minutes"])
        )
        language = {"de": "German", "fr": "French"}[target]
        name = f"multi30k-{target}/{preview.n_pairs}/quick/{seed}"
        known[name] = {
            "name": name,
            "text": f"multi30k-{target}/{preview.n_pairs}",
            "like": f"English-{language} captions of photographs",
            "preset": "quick",
            "n_pairs": preview.n_pairs,
            "richness": round(richness(preview), 2),
            "traits": asdict(traits_of(preview)),
            "parameters": runs[-1]["chosen"]["parameters"],
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "points": [_point(row, per_second) for row in runs],
        }
    files.write_json(MEASURED_FILE, {"runs": [known[name] for name in sorted(known)]})
    say(f"kept in {MEASURED_FILE.relative_to(ROOT)}")


def _point(row: Mapping[str, Any], per_second: float) -> dict[str, Any]:
    scores = {key: round(value, 4) for key, value in row["validation"].items() if value is not None}
    tokens = round(60 * row["minutes"] * per_second)
    return {"step": row["updates"], "minutes": row["minutes"], "tokens": tokens, **scores}


def summary(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Per budget: mean and range of BLEU over the seeds, and the goal."""
    found = []
    for minutes in dict.fromkeys(row["minutes"] for row in rows):
        scores = [row["bleu"][METRIC] for row in rows if row["minutes"] == minutes]
        took = [row["seconds"] / 60 for row in rows if row["minutes"] == minutes]
        found.append(
            {
                "minutes": minutes,
                "seeds": len(scores),
                "bleu": statistics.mean(scores),
                "lowest": min(scores),
                "highest": max(scores),
                "goal": GOALS.get(minutes),
                "longest, minutes": max(took),
            }
        )
    return found


def headline(means: Sequence[Mapping[str, Any]]) -> str:
    """The rows of `summary` in words; the range of one seed is none."""
    words = []
    for row in means:
        over_seeds = " ({lowest:.1f} to {highest:.1f})" if row["seeds"] > 1 else ""
        words.append(f"BLEU {{bleu:.1f}}{over_seeds} in {{minutes:g}} minutes".format(**row))
    return "; ".join(words)


def show(rows: Sequence[Mapping[str, Any]]) -> None:
    """The runs, then their means."""
    table(
        [
            {
                "minutes": f"{row['minutes']:g}",
                "seed": row["seed"],
                "flickr2016 BLEU": row["bleu"][METRIC],
                "took, minutes": row["seconds"] / 60,
                "updates": row["updates"],
                "tokens/s": row["tokens"] / max(1e-9, row["update_seconds"]),
                "last rate": f"{row['last_rate']:.1e}",
                "d_model": row["chosen"]["d_model"],
                "layers": "+".join(map(str, row["chosen"]["n_layers"])),
                "load before": row["load"],
            }
            for row in rows
        ]
    )
    print()
    table([{**row, "minutes": f"{row['minutes']:g}"} for row in summary(rows)])


def main() -> None:
    """Train what is missing, then score."""
    parser = options(__doc__)
    parser.add_argument("minutes", type=float, nargs="+", help="the budgets, such as 8 20")
    parser.add_argument("--seeds", type=int, default=3, help="runs per budget: seeds 1, 2, ...")
    parser.add_argument("--target", choices=["de", "fr"], default="de", help="from English")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="where the data, runs and logs are written; outside the working tree",
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="K=V", help="change one setting of the recipe"
    )
    parser.add_argument(
        "--measured",
        action="store_true",
        help="also keep the runs where the dashboard predicts quality from, in s2s/demo/measured.json",
    )
    arguments = parser.parse_args()
    arguments.out = arguments.out.resolve()
    texts = arguments.out / "text"
    write_texts(texts, arguments.target)
    preview = Preview.of(load(spec(texts, "train", arguments.target)))
    rows = []
    for minutes in arguments.minutes:
        for seed in range(1, arguments.seeds + 1):
            run = trained(arguments, texts, minutes, seed)
            rows.append(row_of(run, texts, arguments.target, minutes, seed))
            say(f"{run.name}: BLEU {rows[-1]['bleu'][METRIC]:.2f}")
    show(rows)
    if arguments.measured:
        speed = reference_tokens_per_second(texts, arguments.target)
        keep_measured(rows, preview, arguments.target, speed)
    found = {
        "pair": f"en-{arguments.target}",
        "test": SPLITS["test"],
        "n_pairs": preview.n_pairs,
        "richness": round(richness(preview), 2),
        "summary": summary(rows),
        "headline": headline(summary(rows)),
        "runs": rows,
    }
    last_line("minutes", found, arguments)


if __name__ == "__main__":
    main()
