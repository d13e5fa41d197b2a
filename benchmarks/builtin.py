"""Quality and training time on the built-in datasets, trained with the command line as a user does."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import s2s
from benchmarks.report import last_line, options, table
from s2s.data import Pair, load, load_pairs_for_training

SPLITS = ("random", "unseen", "deep", "agreement", "banks")


def command(*arguments: object, stdin: str = "") -> str:
    """The stdout of `python -m s2s` with these arguments. Raises SystemExit with its stderr if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "s2s", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def memorized(preset: str, source: str, folder: Path, *settings: str) -> dict[str, Any]:
    """Train on a small dataset, then count the training pairs that are reproduced exactly."""
    started = time.perf_counter()
    command(
        "train",
        "--source",
        source,
        "--preset",
        preset,
        "--out",
        folder,
        *[part for text in settings for part in ("--set", text)],
    )
    seconds = time.perf_counter() - started
    run = s2s.load(folder)
    recipe = run.recipe
    pairs = load_pairs_for_training(source, None, recipe.train.seed, recipe.data).train.pairs
    texts = [one.text for one in run.translate([pair.src for pair in pairs], "greedy")]
    right = sum(text == pair.tgt for text, pair in zip(texts, pairs, strict=True))
    return {"right": right, "of": len(pairs), "seconds": seconds}


def first_steps(folder: Path, seeds: int) -> dict[str, Any]:
    """Both phrases for each seed, and the output for an unseen combination of them."""
    runs = [
        memorized(
            "first-steps", "builtin:first-steps", folder / f"first-{seed}", f"train.seed={seed}"
        )
        for seed in range(seeds)
    ]
    mixes = [
        command("translate", folder / f"first-{seed}", stdin="go love you\n").strip()
        for seed in range(min(5, seeds))
    ]
    perfect = sum(run["right"] == run["of"] for run in runs)
    return {
        "seeds": seeds,
        "perfect": perfect,
        "slowest_seconds": max(run["seconds"] for run in runs),
        "go love you": mixes,
    }


def agrees(pair: Pair, text: str) -> bool:
    """Whether the words after the relative clause that agree with the main subject are right.

    They are compared by their distance from the end, so that an error inside the clause does not count.
    """
    assert pair.gold is not None
    ties = [relation for relation in pair.gold.relations if relation.side == "tgt"]
    subject = min(tie.head for tie in ties if tie.kind == "determiner-noun")
    verb = max(tie.head for tie in ties if tie.kind == "subject-verb" and tie.dependent == subject)
    beyond = [
        verb,
        *(
            tie.dependent
            for tie in ties
            if tie.kind == "adjective-noun" and tie.head == subject and tie.dependent > verb
        ),
    ]
    gold = pair.tgt.split()
    found = text.split()
    return all(
        len(found) >= len(gold) - position and found[position - len(gold)] == gold[position]
        for position in beyond
    )


def generated(name: str, preset: str, seed: int, folder: Path) -> dict[str, Any]:
    """Train on a generated dataset; percent exact match on each split."""
    started = time.perf_counter()
    command(
        "train",
        "--source",
        f"builtin:{name}",
        "--preset",
        preset,
        "--set",
        f"train.seed={seed}",
        "--out",
        folder,
    )
    found: dict[str, Any] = {
        "corpus": name,
        "preset": preset,
        "seed": seed,
        "seconds": time.perf_counter() - started,
    }
    run = s2s.load(folder)
    for split in SPLITS:
        pairs = load(f"builtin:{name}", split).pairs
        texts = [one.text for one in run.translate([pair.src for pair in pairs], "beam")]
        found[split] = 100 * statistics.mean(
            text == pair.tgt for text, pair in zip(texts, pairs, strict=True)
        )
        if split == "agreement":
            found["agrees"] = 100 * statistics.mean(
                agrees(pair, text) for pair, text in zip(pairs, texts, strict=True)
            )
    return found


def ranges(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Mean and range over seeds of every measured column."""
    names = ("seconds", *SPLITS, "agrees")
    values = {name: [row[name] for row in rows] for name in names}
    return {
        name: {"mean": statistics.mean(found), "low": min(found), "high": max(found)}
        for name, found in values.items()
    }


PASSAGE = (
    "the river rises in the hills above the old mill and runs for nine miles through fields of barley before it "
    "meets the sea. in spring the water is cold and quick and the children of the village sail boats of bark from "
    "the stone bridge to the weir. nobody remembers who built the bridge. some say a miller who could not swim "
    "paid for it after his third wet crossing, others that it was here before the mill and the mill was here "
    "before the road. on summer evenings the swallows hunt so low that their wings touch the surface and leave a "
    "line of small rings behind them. an old man comes every friday with a folding chair and a book, and reads "
    "aloud to his dog until the light is gone. when the autumn rain begins the fields drain into the ditches and "
    "the ditches into the river, and for a week or two it is brown and loud and twice as wide. then the frost "
    "comes, the reeds stand stiff and white along both banks, and the only thing that moves is the heron that "
    "waits under the last arch for a fish that does not look up."
)


def main() -> None:
    """Run all parts, or the given ones."""
    parser = options(__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--parts",
        nargs="+",
        default=["memory", "en-fr", "en-es"],
        choices=["memory", "en-fr", "en-es"],
    )
    parser.add_argument("--preset", default="small")
    arguments = parser.parse_args()
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if "memory" in arguments.parts:
            text = folder / "passage.txt"
            text.write_text(PASSAGE[:1000])
            results["first-steps"] = first_steps(folder, 20)
            results["mini-t5"] = memorized("mini-t5", "builtin:mini-en-fr", folder / "mini")
            results["char-halves"] = memorized("char-halves", f"text:{text}", folder / "halves")
            print(
                json.dumps(
                    {name: results[name] for name in ("first-steps", "mini-t5", "char-halves")},
                    indent=1,
                    ensure_ascii=False,
                )
            )
        for name in ("en-fr", "en-es"):
            if name in arguments.parts:
                rows = [
                    generated(name, arguments.preset, seed, folder / f"{name}-{seed}")
                    for seed in range(1, arguments.seeds + 1)
                ]
                table(rows)
                results[name] = {"runs": rows, "over_seeds": ranges(rows)}
    last_line("builtin", results, arguments)


if __name__ == "__main__":
    main()
