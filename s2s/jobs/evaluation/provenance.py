"""What an evaluation was made with, and the commands that repeat it. Knows nothing of queues or screens."""

from __future__ import annotations

import hashlib
import json
import platform
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from s2s.library import guests
from s2s.model import weights_path
from s2s.runs import Evaluation, Run, RunFolder, Sentences, System, SystemModel
from s2s.scores import DEFAULT_TOKENIZER, SAMPLES, SEED, Scoring

# The files of the test set, as the commands name them.
SOURCES = "test.src"
REFERENCES = "test.ref"
RESCORE = "rescore.py"  # beside this file
DIGITS = 6  # after the decimal point, of sacrebleu's scores
DEFAULT = Scoring()
PACKAGES = ("torch", "tokenizers", "sacrebleu", "rouge-score", "numpy")
SUBSET = "evenly spread: sentences floor(i * n_all / n), counted from 0, for i from 0 to n - 1"
DRAWN = "drawn with seed {0}: sentences sorted(random.Random({0}).sample(range(n_all), n)) in Python, counted from 0"


def describe(
    evaluation: Evaluation,
    runs: Mapping[SystemModel, Run],
    *,
    earlier: Sequence[Mapping[str, Any]] = (),
    n_references: Collection[int],
    n_sources: int,
    threads: int,
) -> dict[str, Any]:
    """The content of provenance.json; `runs` holds the opened checkpoint of each system's `model`, `n_references` how
    many references sentences have: `{1}`, or `{1, 2, 5}` where they differ. `n_sources`: different ones. `earlier`:
    the systems as they were described before, for those whose run is gone.
    """
    test = evaluation.test
    counts = n_references if test.has_references else ()
    return {
        "test": {
            "name": test.name,
            "dataset": test.spec,
            "run": test.run,
            "split": test.split,
            "files": list(test.files),
            "n": test.n,
            "n_all": test.n_all,
            "n_sources": n_sources,
            "subset": _subset(test),
            "hash": test.hash,
            "is_grouped": test.is_grouped,
        },
        "scoring": asdict(evaluation.scoring),
        "systems": [
            _of_system(number, one, runs.get(one.model), evaluation.scoring, counts)
            if not one.run or one.model in runs
            else _of_lost(number, one, dict(earlier[number]) if earlier else {})
            for number, one in enumerate(evaluation.systems)
        ],
        "resampling": {"samples": SAMPLES, "seed": SEED},
        **environment(),
        "threads": threads,
    }


def environment() -> dict[str, Any]:
    """Versions and the kind of computer."""
    versions = {name: version(name) for name in PACKAGES}
    return {
        "versions": {"python": platform.python_version(), **versions},
        "machine": platform.machine(),
    }


class Checkpoint(Protocol):
    """What identifies a run's checkpoint, opened or not."""

    @property
    def folder(self) -> RunFolder: ...

    @property
    def step(self) -> int: ...


def of_run(run: Checkpoint) -> dict[str, Any]:
    """A run's checkpoint: name, step, and what identifies its weights and training pairs."""
    about = guests.about_run(run.folder)
    weights = weights_path(run.folder.checkpoints, run.step)
    return {
        "run": run.folder.id,
        "run_name": about.get("name", ""),
        "step": run.step,
        "weights_sha256": hashlib.sha256(weights.read_bytes()).hexdigest(),
        "train_hash": about.get("data", {}).get("train_hash", ""),
    }


def output_name(number: int, system: System) -> str:
    """The file of a system's translations: `output-0-greedy.txt`."""
    kept = "".join(one if one.isalnum() or one in "_=." else "-" for one in system.name)
    return f"output-{number}-{kept[:60]}.txt"


def reference_files(n: int) -> list[str]:
    """The files of the references: `test.ref`, `test.ref2`, ..."""
    return [REFERENCES, *(f"{REFERENCES}{number}" for number in range(2, n + 1))]


def scoring_words(scoring: Scoring, n_references: int) -> list[str]:
    """The arguments of `evaluate` that say what to compare with, and how to count."""
    words = ["--src", SOURCES]
    for name in reference_files(n_references):
        words += ["--ref", name]
    if scoring.tokenize != DEFAULT.tokenize:
        words += ["--bleu-tokenize", scoring.tokenize]
    if scoring.chrf_words:
        words += ["--chrf-words", str(scoring.chrf_words)]
    if scoring.rouge_tokenize != DEFAULT.rouge_tokenize:
        words += ["--rouge-tokenize", scoring.rouge_tokenize]
    words += ["--stemmer"] if scoring.stemmer else []
    return [*words, "--lowercase"] if scoring.lowercase else words


def _subset(test: Sentences) -> str:
    if test.n >= test.n_all:
        return "all sentences"
    return DRAWN.format(test.seed) if test.seed else SUBSET


def _of_system(
    number: int,
    system: System,
    run: Run | None,
    scoring: Scoring,
    n_references: Collection[int],
) -> dict[str, Any]:
    output = output_name(number, system)
    if run is None:
        return {
            "name": system.name,
            "file": system.uploaded,
            "output": output,
            "command": output_command(output, scoring, n_references),
        }
    settings = run.configured(system.strategy, system.settings)[1].to_json()
    words = scoring_words(scoring, max(n_references)) if n_references else None
    return {
        "name": system.name,
        **of_run(run),
        "checkpoint": system.checkpoint or str(system.step),
        "strategy": system.strategy,
        "settings": settings,
        "output": output,
        "command": command(system, settings, words),
    }


def _of_lost(number: int, system: System, earlier: dict[str, Any]) -> dict[str, Any]:
    return earlier or {"name": system.name, "output": output_name(number, system), "command": ""}


def output_command(output: str, scoring: Scoring, n_references: Collection[int]) -> str:
    """The command that scores the translations of another system as here, without s2s: sacrebleu's own, or `rescore.py`
    where sentences have different numbers of references, which sacrebleu's command cannot be told.

    >>> output_command("output-0-theirs.txt", Scoring("13a"), {1})
    'sacrebleu test.ref -i output-0-theirs.txt -m bleu chrf ter -w 6'
    """
    references = reference_files(max(n_references, default=1))
    words = [*references, "-i", output, "-m", "bleu", "chrf", "ter", "-w", str(DIGITS)]
    if varies := len(set(n_references)) > 1:
        words = [output, *references]
    if scoring.tokenize not in (DEFAULT.tokenize, DEFAULT_TOKENIZER):
        words += ["--tokenize", scoring.tokenize]
    if scoring.chrf_words:
        words += ["--chrf-word-order", str(scoring.chrf_words)]
    if scoring.lowercase:
        words += ["--lowercase"] if varies else ["--lowercase", "--chrf-lowercase"]
    return f"{f'python {RESCORE}' if varies else 'sacrebleu'} {shlex.join(words)}"


def rescore_script() -> str:
    """The source of `rescore.py`."""
    return Path(__file__).with_name(RESCORE).read_text(encoding="utf-8")


def command(system: System, settings: Mapping[str, Any], scoring: Sequence[str] | None) -> str:
    """The command line that translates the test set as this system did, with every setting, and scores it; without
    `scoring` it only translates.

    >>> command(System("beam", "one", 30, "beam"), {"num_beams": 5}, scoring_words(Scoring(), 1))
    'python -m s2s evaluate one --checkpoint 30 --strategy beam --set num_beams=5 --src test.src --ref test.ref'
    """
    name = "translate" if scoring is None else "evaluate"
    words = [name, system.run, "--checkpoint", str(system.step), "--strategy", system.strategy]
    for side, language in (("src", system.src_lang), ("tgt", system.tgt_lang)):
        words += [f"--{side}-lang", language] if language else []
    for key, value in settings.items():
        words += ["--set", f"{key}={json.dumps(value, ensure_ascii=False)}"]
    files = f" < {SOURCES}" if scoring is None else ""
    return f"python -m s2s {shlex.join([*words, *(scoring or [])])}{files}"
