"""The command line: a thin skin over the functions that the pages call too."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from s2s.cli.progress import Progress, silence
from s2s.cli.reading import evaluate, score, translate
from s2s.config import TASK_KINDS, Recipe, UserError, choose, override, parse_assignments

DEFAULT_PRESET = "small"

if TYPE_CHECKING:  # torch takes seconds; --help and mistakes should not
    from s2s.train.distributed import Group


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0, or 2 with one sentence on stderr."""
    arguments = _parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")  # what is read is UTF-8 too, whatever the locale
    try:
        command: Callable[[argparse.Namespace], None] = arguments.command
        command(arguments)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, `head` say, has had enough
        silence()
    except Exception as error:
        _log_crash(error)
        return 2
    return 0


def presets(arguments: argparse.Namespace) -> None:
    """List the presets."""
    from s2s.config import PRESETS
    from s2s.sizing import count_parameters

    rows = [
        {
            "name": name,
            "parameters": count_parameters(
                row.recipe.model, row.src_vocab_size, row.tgt_vocab_size
            ),
            "src_vocab_size": row.src_vocab_size,
            "tgt_vocab_size": row.tgt_vocab_size,
            "summary": row.summary,
            "source": row.source,
        }
        for name, row in PRESETS.items()
    ]
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    for row in rows:
        print(f"{row['name']:17} {row['parameters']:>14,}  {row['summary']} ({row['source']})")


def data(arguments: argparse.Namespace) -> None:
    """Write what a task makes of a source's splits, as text files."""
    from s2s.data import apply_task, clean, load, splits, write_split

    recipe = override(Recipe(), _changes(arguments))
    for split in [arguments.split] if arguments.split else splits(arguments.source):
        corpus = load(arguments.source, split)
        corpus = apply_task(
            clean(corpus, recipe.data.clean) if split == "train" else corpus,
            recipe.data,
            recipe.train.seed,
        )
        write_split(corpus, arguments.out)
        print(f"{split}: {len(corpus):,} pairs")
        for note in corpus.notes:
            print(note)


def train(arguments: argparse.Namespace) -> None:
    """Train in this process, or together with others that torchrun has started."""
    if int(os.environ.get("WORLD_SIZE") or 1) == 1:
        _train(arguments)
        return
    from s2s.jobs.follower import follow
    from s2s.train.distributed import processes

    with processes() as group:
        if group.rank == 0:
            _train(arguments, group)
            return
        with _signals() as group.wanted:
            follow(
                Path(arguments.out),
                group,
                arguments.source,
                arguments.valid,
                is_resumed=arguments.resume,
            )


def _train(arguments: argparse.Namespace, group: Group | None = None) -> None:
    changes = _changes(arguments)
    out = Path(arguments.out)
    if arguments.resume:
        _resume(arguments, changes, out, group)
        return
    if not arguments.source:
        raise UserError(
            "`train` needs pairs to learn from; add `--source`, for example --source builtin:en-fr."
        )
    recipe = override(_recipe(arguments), changes)
    from s2s.jobs import training

    is_named = not (arguments.recipe or (arguments.init_from and not arguments.preset))
    preset = (arguments.preset or DEFAULT_PRESET) if is_named else ""
    asked = training.Asked(
        recipe,
        arguments.source,
        arguments.valid,
        preset,
        out.name,
        init_from=arguments.init_from or "",
    )
    with _flags():
        _show(training.start(asked, out), group)


@contextlib.contextmanager
def _flags() -> Iterator[None]:
    """What training says of a run, and the flags that help here."""
    from s2s.jobs import training

    try:
        yield
    except training.TakenError as error:
        raise UserError(
            f"{error} `--resume` goes on with a trained run; `--out` names another folder."
        ) from error
    except training.NothingLeftError as error:
        raise UserError(f"{error} `--set train.steps=N` asks for them.") from error


def _changes(arguments: argparse.Namespace) -> dict[str, Any]:
    """What `--set` and `--task` change in a recipe."""
    task = {"data.task": arguments.task} if arguments.task else {}
    return parse_assignments(arguments.set) | task


def _resume(
    arguments: argparse.Namespace, changes: dict[str, Any], out: Path, group: Group | None
) -> None:
    from s2s.jobs import training
    from s2s.model import saved_steps

    others = sorted(set(changes) - {"train.steps", "train.lr"})
    others += [
        f"--{name.replace('_', '-')}"
        for name in ("preset", "recipe", "init_from")
        if getattr(arguments, name)
    ]
    if others:
        said = (
            "`--resume` goes on with the run's own recipe; only train.steps and train.lr can change"
        )
        raise UserError(f"{said}, not {', '.join(others)}.")
    if not saved_steps(out / "checkpoints"):
        raise UserError(
            f"`{out}` has no checkpoint to go on from; give a folder that `train --out` wrote, or train without `--resume`."
        )
    more = training.More(
        changes.get("train.steps"), changes.get("train.lr"), arguments.source, arguments.valid
    )
    with _flags():
        _show(training.resume(out, more), group)


def _recipe(arguments: argparse.Namespace) -> Recipe:
    if arguments.recipe:
        try:
            content = json.loads(Path(arguments.recipe).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UserError(
                f"`{arguments.recipe}` cannot be read ({error}); give a JSON file, such as a run's recipe.json."
            ) from error
        inner = content.get("recipe", content) if isinstance(content, dict) else content
        if not isinstance(inner, dict):
            raise UserError(
                f"`{arguments.recipe}` holds no recipe; give a JSON object, such as a run's recipe.json."
            )
        return Recipe.from_json(inner)
    if arguments.init_from and not arguments.preset:
        from s2s.jobs import origin

        return origin.origin(arguments.init_from).folder.recipe()
    from s2s.config import PRESETS

    return choose("preset", arguments.preset or DEFAULT_PRESET, PRESETS).recipe


def _show(started: Any, group: Group | None) -> None:
    """Train, printing a line at every validation."""
    from s2s.jobs import training
    from s2s.sizing import count_parameters

    if group:
        started = replace(started, group=group)
        group.tell(0.0)
    recipe = started.recipe
    pieces = started.data
    sizes = pieces.src_tokenizer.vocab_size, pieces.tgt_tokenizer.vocab_size
    for note in started.notes:
        print(note)
    print(
        f"{count_parameters(recipe.model, *sizes):,} parameters; vocabularies {sizes[0]:,} and {sizes[1]:,}; {len(pieces.train):,} pairs;"
        f" {recipe.train.steps:,} steps on {recipe.train.device}, {recipe.train.threads} threads"
        + (f" in {group.size} processes" if group else "")
    )
    line = Progress(recipe.train.steps)
    events = training.run(started)
    with _signals() as wanted:
        for event in events:
            line.show(event)
            if wanted or (group and group.is_stopping):
                events.close()
                raise UserError(
                    f"Stopped at step {event.step:,} and saved; go on with: train --resume --out {started.folder.path}"
                )
    print(f"The run is in {started.folder.path}")


@contextlib.contextmanager
def _signals() -> Iterator[list[int]]:
    """Ctrl-C and SIGTERM are noted, so that training stops between two updates and not within one."""
    wanted: list[int] = []
    before = {
        number: signal.signal(number, lambda number, frame: wanted.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield wanted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def worker(arguments: argparse.Namespace) -> None:
    """Do the queued jobs, one after another, until told to end."""
    from s2s.jobs.worker import serve

    print(serve(arguments.idle))


def _log_crash(error: Exception) -> None:
    """A mistake of ours: the details go to a file, one sentence to the terminal."""
    import traceback

    from s2s.settings import home

    log = home() / "log" / "cli.log"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8") as file:
            # Where, not what: an exception's message may hold a visitor's text.
            file.write(
                f"{type(error).__name__}\n{''.join(traceback.format_tb(error.__traceback__))}\n"
            )
        print(
            f"Something went wrong that should not have ({type(error).__name__}); the details are in {log}.",
            file=sys.stderr,
        )
    except OSError:
        print(
            f"Something went wrong that should not have ({type(error).__name__}).", file=sys.stderr
        )


class _Parser(argparse.ArgumentParser):
    """Mistakes in one sentence, without the usage block."""

    def error(self, message: str) -> Any:
        print(f"{message[:1].upper()}{message[1:]}; see `{self.prog} --help`.", file=sys.stderr)
        raise SystemExit(2)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m s2s",
        description="Train, decode and measure sequence-to-sequence transformers.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(command: Callable[[argparse.Namespace], None]) -> argparse.ArgumentParser:
        one = commands.add_parser(
            command.__name__, help=command.__doc__, description=command.__doc__
        )
        one.set_defaults(command=command)
        return one

    one = add(presets)
    one.add_argument("--json", action="store_true", help="a JSON list")
    one = add(data)
    one.add_argument(
        "source",
        metavar="SPEC",
        help="builtin:NAME, text:FILE, hub:OWNER/NAME, FILE.tsv, FILE.src,FILE.tgt ...",
    )
    one.add_argument("--split", help="one split; without it, all")
    _add_task(one)
    one.add_argument(
        "--out", required=True, metavar="DIR", help="where S.src, S.tgt and S.align go"
    )
    _add_train(add(train))
    one = add(translate)
    _add_run(one)
    one.add_argument(
        "--n-best", type=int, metavar="N", help="line TAB score TAB text, the N best of each line"
    )
    one.add_argument("--json", action="store_true", help="one JSON object a line")
    one = add(score)
    one.add_argument("run", metavar="RUN")
    one.add_argument("--src", required=True, metavar="FILE")
    one.add_argument("--tgt", required=True, metavar="FILE")
    one = add(evaluate)
    _add_run(one)
    one.add_argument("--src", required=True, metavar="FILE")
    one.add_argument("--ref", required=True, metavar="FILE")
    one = add(worker)
    one.add_argument(
        "--idle",
        type=float,
        metavar="SECONDS",
        help="leave after so long without work; without it, stay",
    )
    return parser


def _add_train(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--source", metavar="SPEC", help="pairs to learn from")
    parser.add_argument("--valid", metavar="SPEC", help="pairs to validate on")
    parser.add_argument(
        "--preset", help=f"a recipe by name (see `presets`); without it, {DEFAULT_PRESET}"
    )
    parser.add_argument("--recipe", metavar="FILE", help="a recipe as JSON, instead of a preset")
    parser.add_argument(
        "--init-from",
        metavar="RUN[@STEP]",
        help="start with the weights and the vocabulary of a run, and with its recipe",
    )
    _add_task(parser)
    parser.add_argument("--out", required=True, metavar="DIR", help="the run's folder")
    parser.add_argument(
        "--resume", action="store_true", help="go on from the newest checkpoint in DIR"
    )


def _add_task(parser: argparse.ArgumentParser) -> None:
    known = ", ".join(TASK_KINDS)
    parser.add_argument(
        "--task",
        help=f"what is to be learnt: {known}; without it, pairs are translated, plain text continued",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="K=V",
        help="change one setting, e.g. train.steps=500",
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run's folder or id, or a demo's name")
    parser.add_argument("--strategy", default="beam", help="how to decode")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="K=V",
        help="change one setting of the strategy, e.g. num_beams=5",
    )
    parser.add_argument(
        "--processes",
        type=int,
        metavar="N",
        help="so many at once; without it, one, or a core each where there is much",
    )
