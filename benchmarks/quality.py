"""Translation quality compared with published scores: `transformer-tiny` on Multi30k by the recipe of Wu et al. 2021.

Their data, from github.com/multi30k/dataset, are lowercased, with normalized punctuation, and tokenized
(task1-tokenize.sh); their BLEU is computed on such text. With the same `--out` a stopped run resumes; on a machine with
other work, start it with `nice`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from sacrebleu.metrics.bleu import BLEU
from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer

import s2s
from benchmarks.report import last_line, options, table
from benchmarks.serving import DATA
from s2s.cli.progress import ProgressLine
from s2s.config import PRESETS, Recipe, UserError, override, parse_assignments
from s2s.data import load_pairs_for_training
from s2s.jobs import training
from s2s.model import saved_steps
from s2s.runs import RunFolder
from s2s.training import Saved, Trainer, prepare

SPLITS = {"train": "train", "valid": "val", "test": "flickr2016"}  # ours, Multi30k's
# "Good for Misconceived Reasons", their README-baseline.md; en-fr, of their table 2, is not checked against the paper.
PUBLISHED = {"de": 41.02, "fr": 61.80}
MILESTONES = (30, 35)
WU = {
    "train.warmup_steps": 2000,
    "train.lr": 0.005,
    "train.schedule": "inverse_sqrt",
    "train.average_last": 10,
    "train.watch.patience": 0,
    "train.watch.scores": 500,
    "train.watch.samples": 2,
    "train.watch.attention": False,
}


def tokenized(lines: Sequence[str], language: str) -> list[str]:
    """The lines after Moses' lowercase.perl, normalize-punctuation.perl and tokenizer.perl."""
    normalizer = MosesPunctNormalizer(language)
    tokenizer = MosesTokenizer(language)
    return [
        tokenizer.tokenize(normalizer.normalize(line.lower()), return_str=True) for line in lines
    ]


def lines_of(path: Path) -> list[str]:
    """The lines of a UTF-8 file."""
    return path.read_text(encoding="utf-8").splitlines()


def write_texts(folder: Path, target: str) -> None:
    """Write each split in both languages, as training reads it."""
    folder.mkdir(parents=True, exist_ok=True)
    for (ours, theirs), language in itertools.product(SPLITS.items(), ("en", target)):
        path = folder / f"{ours}.{language}"
        if not path.exists():
            lines = tokenized(lines_of(DATA / "multi30k" / f"{theirs}.{language}"), language)
            part = path.with_name(f".{path.name}")
            part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            part.rename(path)


def spec(folder: Path, split: str, target: str) -> str:
    """The SPEC of two aligned files."""
    return f"{folder / split}.en,{folder / split}.{target}"


def recipe_of(arguments: argparse.Namespace, texts: Path) -> Recipe:
    """Their recipe, with a validation and a checkpoint per epoch."""
    changes = {
        **WU,
        "train.steps": arguments.updates,
        "train.batch_tokens": 2 * arguments.tokens if arguments.full else arguments.tokens,
    }
    recipe = override(
        PRESETS["transformer-tiny"].recipe, changes | parse_assignments(arguments.set)
    )
    pairs = load_pairs_for_training(
        spec(texts, "train", arguments.target),
        spec(texts, "valid", arguments.target),
        1,
        recipe.data,
    )
    epoch = len(Trainer(recipe, prepare(recipe, pairs.train, pairs.valid), None).order)
    return override(
        recipe,
        {"train.watch.validate_every": epoch, "train.watch.save_every": epoch}
        | parse_assignments(arguments.set),
    )


def started(arguments: argparse.Namespace, run: Path, texts: Path) -> training.PreparedRun | None:
    """The run, new or resumed from its newest checkpoint; None if it has reached its last step."""
    if saved_steps(RunFolder(run).checkpoints):
        try:
            return training.resume(run, training.Continuation(steps=arguments.updates))
        except training.RunFinishedError:
            return None
    source, valid = (spec(texts, split, arguments.target) for split in ("train", "valid"))
    return training.start(
        training.RunRequest(
            recipe_of(arguments, texts), source, valid, "transformer-tiny", run.name
        ),
        run,
    )


def train(ready: training.PreparedRun, spent: Path) -> bool:
    """Train; whether the run is complete. Ctrl-C and SIGTERM stop it, and the next start resumes it."""
    signals: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: signals.append(number))
    before = json.loads(spent.read_text()) if spent.exists() else {"cpu_hours": 0.0, "hours": 0.0}
    since = time.monotonic()
    line = ProgressLine(ready.recipe.train.steps)
    events = training.run(ready)
    for event in events:
        line.show(event)
        if signals:
            events.close()
        if signals or isinstance(event, Saved):
            used = resource.getrusage(resource.RUSAGE_SELF)
            hours = {
                "cpu_hours": (used.ru_utime + used.ru_stime) / 3600,
                "hours": (time.monotonic() - since) / 3600,
            }
            spent.write_text(json.dumps({key: before[key] + hours[key] for key in hours}))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    return not signals


def minutes_to(lines: Sequence[Mapping[str, Any]], bleu: float) -> dict[str, float] | None:
    """Minutes until validation reached this BLEU, of updates alone and in total; None if it never did."""
    updates = 0.0
    clock = 0.0
    last = None
    for line in lines:
        if line["kind"] == "train":
            updates += line["seconds"]
            clock += line["seconds"] if line.get("first") or last is None else line["time"] - last
            last = line["time"]
        elif line["kind"] == "valid" and line.get("bleu", 0.0) >= bleu:
            return {"updates": updates / 60, "all": clock / 60, "step": line["step"]}
    return None


Scorer = tuple[
    str, BLEU, Callable[[str], str], list[str]
]  # name, metric, postprocessing of a translation, references


def scorers(texts: Path, target: str) -> Iterator[Scorer]:
    """The paper's BLEU, and sacrebleu's on raw text, where lowercased translations lose unless case is ignored."""
    detokenizer = MosesDetokenizer(target)
    raw = lines_of(DATA / "multi30k" / f"{SPLITS['test']}.{target}")
    yield (
        "tokenized, lower case",
        BLEU(tokenize="none", force=True),
        str,
        lines_of(texts / f"test.{target}"),
    )
    for name, metric in (("raw", BLEU()), ("raw, any case", BLEU(lowercase=True))):
        yield name, metric, lambda text: str(detokenizer.detokenize(text.split())), raw


def scored(run: Path, step: int | None, texts: Path, target: str) -> dict[str, Any]:
    """BLEU of one checkpoint on flickr2016, with beam size 5."""
    model = s2s.load(run, step)
    since = time.perf_counter()
    torch.set_num_threads(model.recipe.train.threads)
    found = [one.text for one in model.translate(lines_of(texts / "test.en"), "beam", num_beams=5)]
    row: dict[str, Any] = {
        "step": model.step,
        "seconds": time.perf_counter() - since,
        "bleu": {},
        "signature": {},
    }
    for name, metric, postprocess, references in scorers(texts, target):
        score = metric.corpus_score([postprocess(text) for text in found], [references])
        row["bleu"][name] = score.score
        row["signature"][name] = str(metric.get_signature())
        row.setdefault("details", str(score))
    return row


def results(arguments: argparse.Namespace, run: Path, texts: Path) -> dict[str, Any]:
    """The run's scores, times and costs."""
    folder = RunFolder(run)
    target = arguments.target
    lines = folder.lines("metrics")
    recipe = folder.recipe()
    alone = saved_steps(folder.checkpoints)[:-1]
    tokens, seconds = (
        sum(line[key] for line in lines if line["kind"] == "train")
        for key in ("n_tokens", "seconds")
    )
    systems = {
        f"published, Transformer-Tiny{' (unconfirmed)' * (target != 'de')}": {
            "bleu": {"tokenized, lower case": PUBLISHED[target]}
        }
    }
    systems["ours, mean of the last checkpoints"] = scored(run, None, texts, target)
    if alone:
        systems[f"ours, step {alone[-1]:,} alone"] = scored(run, alone[-1], texts, target)
    validations = [line for line in lines if line["kind"] == "valid"]
    return {
        "pair": f"en-{target}",
        "systems": systems,
        "validation": validations[-1],
        "best_single_validation_bleu": max(
            (line["bleu"] for line in validations[:-1] if "bleu" in line), default=None
        ),
        "minutes_to_validation_bleu": {bleu: minutes_to(lines, bleu) for bleu in MILESTONES},
        "updates": folder.status()["step"],
        "epoch": recipe.train.watch.save_every,
        "scored": recipe.train.watch.scores,
        "tokens": tokens,
        "tokens_per_second": tokens / seconds,
        "threads": recipe.train.threads,
        **json.loads((arguments.out / f"{run.name}.spent.json").read_text()),
        "command": folder.about()["command"],
    }


def show(found: Mapping[str, Any]) -> None:
    """Print the table, the signatures, and the minutes to each BLEU."""
    ours = [row for row in found["systems"].values() if "signature" in row]
    names = list(ours[0]["bleu"])
    table(
        [
            {"flickr2016, BLEU": name, **{key: row["bleu"].get(key) for key in names}}
            for name, row in found["systems"].items()
        ]
    )
    print(ours[0]["details"])
    for name in names:
        print(f"{name}: {ours[0]['signature'][name]}")
    for bleu, minutes in found["minutes_to_validation_bleu"].items():
        reached = (
            f"{minutes['all']:.1f} minutes ({minutes['updates']:.1f} of updates alone)"
            if minutes
            else "never"
        )
        print(f"validation BLEU {bleu} (greedy, {found['scored']} pairs): {reached}")
    print(
        f"{found['updates']:,} updates, {found['hours']:.2f} hours, {found['cpu_hours']:.2f} CPU hours,"
        f" {found['threads']} threads"
    )


def main() -> None:
    """Train or resume, then score."""
    parser = options(__doc__)
    parser.add_argument(
        "target", choices=["de", "fr"], help="the target language; the source is English"
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="where the tokenized data and the run are written; best outside the working tree",
    )
    parser.add_argument("--updates", type=int, default=8000)
    parser.add_argument(
        "--tokens", type=int, default=4096, help="per batch: rows times the longest side"
    )
    parser.add_argument(
        "--full", action="store_true", help="twice as many tokens, as on the paper's two GPUs"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="K=V", help="change one setting of the recipe"
    )
    arguments = parser.parse_args()
    texts = arguments.out / "text"
    run = arguments.out / f"en-{arguments.target}{'-full' * arguments.full}"
    try:
        write_texts(texts, arguments.target)
        ready = started(arguments, run, texts)
        if ready and not train(ready, arguments.out / f"{run.name}.spent.json"):
            raise SystemExit("Stopped and saved; the same command resumes.")
    except UserError as error:
        raise SystemExit(str(error)) from error
    found = results(arguments, run, texts)
    show(found)
    last_line("quality", found, arguments)


if __name__ == "__main__":
    main()
