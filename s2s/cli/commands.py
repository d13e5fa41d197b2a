"""The commands that neither train, decode nor export: `app`, `presets`, `data` and `worker`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from s2s.cli.training import recipe_changes
from s2s.config import Recipe, UserError, override, shortened

# What the dashboard needs beyond the command line: the extra `app`.
SCREENS = ("streamlit", "plotly")
# Elsewhere a program that replaces itself comes back to the prompt at once.
CAN_EXEC = os.name == "posix"


def app(arguments: argparse.Namespace) -> None:
    """Open the dashboard."""
    from s2s.jobs import engine
    from s2s.settings import dashboard

    engine.check_settings()
    missing = [name for name in SCREENS if find_spec(name) is None]
    if missing:
        raise UserError(
            f"The dashboard needs {' and '.join(missing)}, which this environment lacks; in the project's folder,"
            ' run: pip install ".[app]"'
        )
    # -P: nothing is imported from the folder in which the command was given.
    command = [
        sys.executable,
        "-P",
        "-m",
        "streamlit",
        "run",
        str(dashboard() / "streamlit_app.py"),
    ]
    command.append("--server.showEmailPrompt=false")
    if arguments.port:
        command.append(f"--server.port={arguments.port}")
    if CAN_EXEC:
        os.execv(sys.executable, command)  # so that signals reach the server
    sys.exit(subprocess.call(command))


def presets(arguments: argparse.Namespace) -> None:
    """List the presets."""
    from s2s.config import PRESETS
    from s2s.sizing import count_parameters

    rows = []
    for name, row in PRESETS.items():
        sizes = (row.src_vocab_size, row.tgt_vocab_size)
        rows.append(
            {
                "name": name,
                "parameters": count_parameters(row.recipe.model, *sizes),
                "src_vocab_size": row.src_vocab_size,
                "tgt_vocab_size": row.tgt_vocab_size,
                "summary": row.summary,
                "source": row.source,
            }
        )
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    for line in rows:
        print(f"{line['name']:17} {line['parameters']:>14,}  {line['summary']} ({line['source']})")


def data(arguments: argparse.Namespace) -> None:
    """Write the pairs of a source, after cleaning and for a task, as text files."""
    from s2s.data import load_prepared, splits, with_sample, write_split

    recipe = override(Recipe(), recipe_changes(arguments))
    source = with_sample(arguments.source, recipe.train.seed)
    wanted = [arguments.split] if arguments.split else splits(source)
    _check_not_its_source(source, wanted, Path(arguments.out))
    for split in wanted:
        corpus = load_prepared(source, split, recipe.train.seed, recipe.data)
        write_split(corpus, arguments.out)
        print(f"{split}: {len(corpus):,} pairs")
        for note in corpus.notes:
            print(note)


def _check_not_its_source(source: str, wanted: Iterable[str], out: Path) -> None:
    from s2s.data import parse_spec, two_files

    _, name, _ = parse_spec(source)
    read = {path.resolve() for path in two_files(name) or (Path(name),)}
    for split in wanted:
        for side in ("src", "tgt"):
            path = out / f"{split}.{side}"
            if path.resolve() in read:
                raise UserError(f"`{shortened(path)}` is read itself; give another `--out`.")


def worker(arguments: argparse.Namespace) -> None:
    """Run queued jobs, one after another, until stopped."""
    from s2s import settings
    from s2s.jobs import stop_reasons
    from s2s.library import sharing
    from s2s.processes import worker

    settings.worker_slots()
    if why := sharing.why_not_loaded():
        raise UserError(why)
    print(worker.serve(stop_reasons.died, arguments.idle, arguments.app))
