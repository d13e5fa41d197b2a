"""The command `ask`: a question of a page, in a terminal."""

from __future__ import annotations

import argparse
import sys

from s2s.config import split_assignments


def ask(arguments: argparse.Namespace) -> None:
    """Ask what a page of the dashboard shows: print the finding and the numbers of the answer."""
    from s2s import api
    from s2s.questions import printable
    from s2s.questions.views import named

    kind = named(arguments.name).question
    question = kind.read(arguments.run, split_assignments(arguments.set))
    asked = api.ask(question, progress=sys.stderr.isatty())
    if arguments.json:
        print(question.json(asked.answer))
    elif arguments.csv:
        print(asked.table.csv(), end="")
    else:
        table = asked.table.narrow()
        left = len(asked.table.columns) - len(table.columns)
        more = f"--csv has {left} more columns." if left else ""
        print(*filter(None, (printable(asked.finding), table.text(), more)), sep="\n\n")


def listed() -> str:
    """Every question with the first sentence of its docstring, and what `--set` takes."""
    from s2s.questions.views import BY_NAME

    width = max(map(len, BY_NAME))
    lines = ["questions, with what --set takes:"]
    for name, row in BY_NAME.items():
        kind = row.question
        sentence = " ".join((kind.__doc__ or "").split()).partition(". ")[0].rstrip(".")
        lines += [f"  {name:{width}}  {sentence}"]
        lines += [f"  {'':{width}}  {', '.join(kind.settable())}"] if kind.settable() else []
    return "\n".join(lines)
