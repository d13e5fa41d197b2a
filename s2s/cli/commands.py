"""The commands that need no run: `presets`, `data` and `worker`."""

from __future__ import annotations

import argparse
import contextlib
import json

from s2s.cli.training import recipe_changes
from s2s.config import Recipe, UserError, override


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
    from s2s.data import apply_task, clean, load, splits, write_split

    recipe = override(Recipe(), recipe_changes(arguments))
    for split in [arguments.split] if arguments.split else splits(arguments.source):
        corpus = load(arguments.source, split)
        if split == "train":
            corpus = clean(corpus, recipe.data.clean)
        corpus = apply_task(corpus, recipe.data, recipe.train.seed)
        write_split(corpus, arguments.out)
        print(f"{split}: {len(corpus):,} pairs")
        for note in corpus.notes:
            print(note)


def worker(arguments: argparse.Namespace) -> None:
    """Run queued jobs, one after another, until stopped."""
    from s2s import workspaces
    from s2s.jobs import worker

    with contextlib.suppress(UserError):  # the database is away: the worker waits for it
        workspaces.delete_expired()
    print(worker.serve(arguments.idle))
