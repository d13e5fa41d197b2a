"""The arguments of every command."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from s2s.cli.asking import ask, listed
from s2s.cli.commands import app, data, presets, worker
from s2s.cli.decoding import compare, evaluate, score, translate
from s2s.cli.exchange import export, import_, report
from s2s.cli.settings_list import settings
from s2s.cli.sweeping import sweep
from s2s.cli.training import DEFAULT_PRESET, train
from s2s.config import TASK_KINDS, shortened
from s2s.versions import NAME, version

RUN = "a run's folder or id, or the name of a demo; RUN@STEP is one of its checkpoints"


class _Parser(argparse.ArgumentParser):
    """Reports a mistake in one sentence, without the usage block; `listing` makes the end of its help."""

    listing: Callable[[], str] | None = None

    def format_help(self) -> str:
        if self.listing:
            self.epilog = self.listing()
        return super().format_help()

    def error(self, message: str) -> Any:
        # what was given, which argparse repeats in full
        message = re.sub(
            r"(?<=')[^']+(?=')|(?<=unrecognized arguments: ).+",
            lambda given: shortened(given[0]),
            message,
        )
        print(f"{message[:1].upper()}{message[1:]}; see `{self.prog} --help`.", file=sys.stderr)
        raise SystemExit(2)


def make_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="s2s" if Path(sys.argv[0]).stem == "s2s" else "python -m s2s",
        description="Train, decode and measure sequence-to-sequence transformers.",
    )
    parser.add_argument("--version", action="version", version=f"{NAME} {version()}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(command: Callable[[argparse.Namespace], None]) -> _Parser:
        name = command.__name__.rstrip("_")  # `import` is a word of Python's
        one = commands.add_parser(name, help=command.__doc__, description=command.__doc__)
        one.set_defaults(command=command)
        return one

    one = add(app)
    one.add_argument(
        "--port", type=int, metavar="N", help="the port of its address (default: 8501, or the next)"
    )
    one = add(presets)
    one.add_argument("--json", action="store_true", help="print a JSON list")
    _add_settings(add(settings))
    _add_data(add(data))
    one = add(train)
    _add_recipe(one)
    one.add_argument("--out", required=True, metavar="DIR", help="the run's folder")
    one.add_argument(
        "--resume", action="store_true", help="resume from the newest checkpoint in DIR"
    )
    _add_sweep(add(sweep))
    one = add(translate)
    _add_run(one)
    one.add_argument(
        "--n-best",
        type=int,
        metavar="N",
        help="print line TAB score TAB text for the N best translations of each line",
    )
    one.add_argument("--json", action="store_true", help="print one JSON object per line")
    _add_score(add(score))
    one = add(evaluate)
    _add_run(one)
    _add_test_set(one)
    one = add(compare)
    one.add_argument("baseline", metavar="A", help=RUN)
    one.add_argument("run", metavar="B", help="another, or another checkpoint: B minus A is tested")
    _add_decoding(one)
    _add_test_set(one)
    _add_import(add(import_))
    _add_export(add(export))
    _add_question(add(ask))
    one = add(report)
    _add_checkpoint(one)
    one.add_argument("--out", required=True, metavar="FILE", help="a new HTML file")
    _add_worker(add(worker))
    return parser


def _add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="one setting (train.steps), a group (train.optimizer) or a strategy (beam); default: all",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list")
    parser.add_argument("--markdown", action="store_true", help="print docs/settings.md")


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source",
        metavar="SPEC",
        help="builtin:NAME, text:FILE, hub:OWNER/NAME, disk:FOLDER, FILE.tsv, FILE.src,FILE.tgt ...",
    )
    parser.add_argument("--split", help="one split (default: all)")
    _add_task(parser)
    parser.add_argument(
        "--out",
        required=True,
        metavar="DIR",
        help="folder for SPLIT.src, SPLIT.tgt and, if known, SPLIT.align",
    )


def _add_worker(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--idle",
        type=float,
        metavar="SECONDS",
        help="exit after this long without jobs (default: never)",
    )
    parser.add_argument(
        "--app",
        type=int,
        metavar="PID",
        help="the process that starts the worker: when it ends, the worker hands its jobs back and ends too",
    )


def _add_score(parser: argparse.ArgumentParser) -> None:
    _add_checkpoint(parser)
    parser.add_argument("--src", required=True, metavar="FILE", help="sources, one per line")
    parser.add_argument(
        "--tgt", required=True, metavar="FILE", help="the targets to score, one per line"
    )
    _add_languages(parser)


def _add_recipe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--source", metavar="SPEC", help="training pairs: a SPEC as of `data`")
    parser.add_argument(
        "--valid",
        metavar="SPEC",
        help="validation pairs (default: those of the source, or a share of its pairs)",
    )
    parser.add_argument(
        "--preset", help=f"a recipe by name, see `presets` (default: {DEFAULT_PRESET})"
    )
    parser.add_argument("--recipe", metavar="FILE", help="a recipe as JSON, instead of a preset")
    parser.add_argument(
        "--init-from",
        metavar="RUN[@STEP]",
        help="initialize weights, vocabulary and recipe from a run",
    )
    _add_task(parser)


def _add_sweep(parser: argparse.ArgumentParser) -> None:
    _add_recipe(parser)
    parser.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="K=V,V",
        help="a setting with its values, e.g. train.lr=0.001,0.003; several times for a grid",
    )
    parser.add_argument(
        "--seeds", type=int, metavar="N", help="train each with N seeds, from train.seed on"
    )
    parser.add_argument(
        "--out",
        required=True,
        metavar="DIR",
        help="a folder with a folder per run; given again, it keeps what has been trained",
    )


def _add_test_set(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--src", metavar="FILE", help="sources, one per line; with --ref")
    parser.add_argument(
        "--ref",
        action="append",
        default=[],
        metavar="FILE",
        help="references; several files for several references of each source (loss and accuracy: of the first)",
    )
    parser.add_argument(
        "--table",
        metavar="FILE",
        help="instead of --src and --ref: a table of sources with their references, in columns (ref1, ref2, ...) or"
        " in rows that repeat the source",
    )
    parser.add_argument(
        "--bleu-tokenize",
        default="auto",
        metavar="NAME",
        help="a tokenizer of sacrebleu's, such as 13a, intl, char, zh, ja-mecab or flores200 (default: by the script of"
        " the references: zh for Chinese; char for Japanese, Korean, Thai, Lao, Khmer, Burmese and Tibetan; 13a"
        " otherwise)",
    )
    parser.add_argument(
        "--chrf-words",
        type=int,
        default=0,
        metavar="N",
        help="word n-grams of chrF; 2 is chrF++ (default: 0)",
    )
    parser.add_argument("--lowercase", action="store_true", help="ignore case in BLEU and chrF")
    parser.add_argument(
        "--rouge-tokenize",
        default="spaces",
        metavar="NAME",
        help="the words of ROUGE: spaces, or rouge_score, for English references (default: spaces)",
    )
    parser.add_argument(
        "--stemmer",
        action="store_true",
        help="compare stems in ROUGE (Porter's), with --rouge-tokenize rouge_score",
    )
    parser.add_argument(
        "--group",
        action="store_true",
        help="lines of the same source are one sentence with several references",
    )


def _add_question(parser: _Parser) -> None:
    parser.listing = listed
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "run",
        metavar="RUN",
        help=f"{RUN}; several with commas between; - for a question that is asked of none",
    )
    parser.add_argument("name", metavar="QUESTION", help="a question by name, such as same-word")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="K=V",
        help="what is asked about, a setting of it or what is shown of it, such as text=SENTENCE",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the answer as a JSON object")
    form.add_argument("--csv", action="store_true", help="print its numbers as CSV, every digit")


def _add_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name",
        metavar="NAME|FOLDER|FILE.zip",
        help="a model of the Hugging Face Hub, such as Helsinki-NLP/opus-mt-en-de (a private one: with HF_TOKEN); the"
        " folder of a checkpoint; or a run that `export --to run` wrote",
    )
    parser.add_argument(
        "--revision", default="", metavar="SHA", help="of a model of the Hub (default: the newest)"
    )
    _add_languages(parser)
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="the run's folder (default: one in S2S_HOME, where the dashboard lists it)",
    )


def _add_languages(parser: argparse.ArgumentParser) -> None:
    for option, name in (("--src-lang", "source"), ("--tgt-lang", "target")):
        parser.add_argument(
            option,
            default="",
            metavar="CODE",
            help=f"the {name} language of a multilingual model, for example en_XX",
        )


def _add_export(parser: argparse.ArgumentParser) -> None:
    _add_checkpoint(parser)
    parser.add_argument(
        "--to",
        required=True,
        metavar="TARGET",
        help="the library that loads it: transformers or ctranslate2; or run: the whole run as a zip, which `import`"
        " opens",
    )
    parser.add_argument("--out", required=True, metavar="DIR|FILE", help="a new folder, or zip")


def _add_task(parser: argparse.ArgumentParser) -> None:
    known = ", ".join(TASK_KINDS)
    parser.add_argument(
        "--task",
        help=f"what to learn: {known} (default: translate pairs, continue plain text)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="K=V",
        help="override one setting, e.g. train.steps=500",
    )


def _add_checkpoint(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN[@STEP]", help=RUN)
    parser.add_argument(
        "--checkpoint",
        default="",
        metavar="STEP|best|last",
        help="the checkpoint to open (default: best)",
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    _add_checkpoint(parser)
    _add_decoding(parser)


def _add_decoding(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--strategy", default="beam", help="decoding strategy (default: beam)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="K=V",
        help="override one setting of the strategy, e.g. num_beams=5",
    )
    parser.add_argument(
        "--processes",
        type=int,
        metavar="N",
        help="number of processes (default: one, or one per core for many lines)",
    )
    _add_languages(parser)
