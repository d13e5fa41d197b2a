"""The output of every benchmark: tables for people, then one JSON object as the last line."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch


def machine() -> dict[str, Any]:
    """The machine on which the numbers were measured."""
    cpu = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        "",
    )
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    return {
        "cpu": cpu or platform.processor(),
        "cores": os.cpu_count(),
        "gpu": gpu,
        "torch": torch.__version__,
        "load": os.getloadavg()[0],
    }


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


def last_line(name: str, results: Any) -> None:
    """Print the JSON object."""
    print(json.dumps({"benchmark": name, "machine": machine(), "results": results}))
