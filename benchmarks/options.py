"""The arguments of every command, as docs/command-line.md lists them; `python -m benchmarks.tables` writes them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from s2s.cli.parser import make_parser


def commands() -> dict[str, argparse.ArgumentParser]:
    actions = make_parser()._actions
    (found,) = (one for one in actions if isinstance(one, argparse._SubParsersAction))
    return dict(found.choices)


def arguments(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    """Each argument as it is written, such as `--out DIR`, and its help."""
    for one in parser._actions:
        if one.dest != "help":
            value = "" if one.nargs == 0 else str(one.metavar or one.dest.upper())
            yield " ".join(filter(None, [*one.option_strings, value])), str(one.help)


def options() -> Iterator[str]:
    """A row per argument; commands that take it in the same sense share the row."""
    users: dict[tuple[str, str], list[str]] = {}
    for name, parser in commands().items():
        for row in arguments(parser):
            users.setdefault(row, []).append(f"`{name}`")
    yield "| argument | of | meaning |"
    yield "|---|---|---|"
    for (written, meaning), names in users.items():
        cells = (f"`{written}`", ", ".join(names), meaning)
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
