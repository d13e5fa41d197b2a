"""The preset `quick` beside others with the same minutes, on the first pairs of Multi30k: is its choice the best?

Data, segmentation, validation and BLEU on flickr2016 are those of benchmarks.quality. Every run is
`python -m s2s train`, one after the other; its log is in FOLDER, and a run that is complete there is not trained
again. Each `--also K=V` is one more run of `quick`, with that setting. Needs the peers' packages.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.minutes import METRIC, say, train_logged
from benchmarks.quality import scored, spec, write_texts
from benchmarks.report import last_line, options, table
from s2s import files
from s2s.runs import RunFolder
from s2s.sizing import count_parameters

TARGET = "de"
OTHERS = ("small", "modern-small", "transformer-tiny")


class Entry(NamedTuple):
    """A preset, what is changed in it, and its name in the table."""

    name: str
    preset: str
    settings: tuple[str, ...] = ()


def write_first(texts: Path, n_pairs: int) -> str:
    """The first training pairs in files of their own: their SPEC."""
    for language in ("en", TARGET):
        with (texts / f"train.{language}").open(encoding="utf-8") as lines:
            first = "".join(itertools.islice(lines, n_pairs))
        (texts / f"first-{n_pairs}.{language}").write_text(first, encoding="utf-8")
    return spec(texts, f"first-{n_pairs}", TARGET)


def measured(
    entry: Entry, arguments: argparse.Namespace, texts: Path, source: str
) -> dict[str, Any]:
    """One row; the run is trained and scored unless it was."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", f"{entry.name} {arguments.minutes:g}")
    run: Path = arguments.out / name
    kept = run.with_suffix(".scored.json")
    if not kept.exists():
        _train(entry, arguments.minutes, run, source, spec(texts, "valid", TARGET))
        say(f"{run.name}: translating flickr2016")
        files.write_json(kept, scored(run, None, texts, TARGET))
    found = json.loads(kept.read_text(encoding="utf-8"))
    folder = RunFolder(run)
    recipe = folder.recipe()
    updates = [line for line in folder.lines("metrics") if line["kind"] == "train"]
    best = min(line["loss"] for line in folder.lines("metrics") if line["kind"] == "valid")
    layers = recipe.model.encoder.n_layers, recipe.model.decoder.n_layers
    sizes = [tokenizer.vocab_size for tokenizer in folder.tokenizers()]
    return {
        "preset": f"`{entry.preset}`{entry.name.removeprefix(entry.preset)}",
        "flickr2016 BLEU, tokenized, lower case": f"{found['bleu'][METRIC]:.2f}",
        "lowest validation loss, nats per token": f"{best:.2f}",
        "updates": f"{len(updates):,}",
        "checkpoint": f"{found['step']:,}",
        "width": recipe.model.d_model,
        "layers": "+".join(map(str, layers)),
        "dropout": recipe.model.dropout,
        "parameters": f"{count_parameters(recipe.model, *sizes):,}",
    }


def _train(entry: Entry, minutes: float, run: Path, source: str, valid: str) -> None:
    if run.exists():
        raise SystemExit(f"{run} is not complete; remove it, and start again.")
    command = [sys.executable, "-m", "s2s", "train", "--preset", entry.preset]
    command += ["--source", source, "--valid", valid, "--out", str(run)]
    for setting in (f"train.minutes={minutes:g}", *entry.settings):
        command += ["--set", setting]
    say(f"{run.name}: {' '.join(command)}")
    train_logged(command, run, minutes)


def main() -> None:
    """Train what is missing, score it, and print the table."""
    parser = options(__doc__)
    parser.add_argument("minutes", type=float, help="of each run, such as 5")
    parser.add_argument("--pairs", type=int, default=5000, help="how many of the 29,000")
    parser.add_argument("--also", nargs="+", default=(), metavar="K=V", help="more runs of `quick`")
    parser.add_argument("--presets", nargs="+", default=OTHERS, help="beside `quick`")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    arguments = parser.parse_args()
    arguments.out = arguments.out.resolve()
    texts = arguments.out / "text"
    write_texts(texts, TARGET)
    source = write_first(texts, arguments.pairs)
    entries = [
        Entry("quick", "quick"),
        *(Entry(f"quick, {setting}", "quick", (setting,)) for setting in arguments.also),
        *(Entry(preset, preset) for preset in arguments.presets),
    ]
    rows = [measured(entry, arguments, texts, source) for entry in entries]
    table(rows)
    found = {"minutes": arguments.minutes, "pairs": arguments.pairs, "rows": rows}
    last_line("preset_minutes", found, arguments)


if __name__ == "__main__":
    main()
