"""The output of every benchmark: tables for people, then one JSON object as the last line; `--record` saves it, too."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from benchmarks import results as saved
from benchmarks.serving import DATA


def options(description: str | None) -> argparse.ArgumentParser:
    """A benchmark's command line: `--record` saves what it measured, with the machine's load before it began."""
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument(
        "--record",
        nargs="?",
        const="",
        metavar="NAME",
        help="save the results as benchmarks/results/NAME.json, by default under the benchmark's own name",
    )
    made.set_defaults(load=os.getloadavg()[0])
    return made


def machine(load: float) -> dict[str, Any]:
    """The machine on which the numbers were measured."""
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    return {**saved.processor(), "gpu": gpu, "load": round(load, 2)}


def table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the rows as a table; its columns are the keys of the first row."""
    names = list(rows[0])
    cells = [names, *[[_cell(row.get(name)) for name in names] for row in rows]]
    widths = [max(len(line[i]) for line in cells) for i in range(len(names))]
    for line in cells:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )


def _cell(value: Any) -> str:
    return f"{value:,.2f}" if isinstance(value, float) else "-" if value is None else str(value)


def last_line(name: str, results: Any, arguments: argparse.Namespace) -> None:
    """Print the JSON object; save it where the command line says so."""
    where = machine(arguments.load)
    if arguments.record is not None:
        record = saved.Record(
            benchmark=name,
            command=saved.command(DATA),
            commit=saved.commit(),
            date=saved.now(),
            machine=where,
            libraries=saved.libraries(),
            results=results,
        )
        path = saved.write(arguments.record or name, record)
        print(f"saved as {path.relative_to(saved.ROOT)}")
    print(json.dumps({"benchmark": name, "machine": where, "results": results}))
