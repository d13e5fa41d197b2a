"""`python -m benchmarks.claims [NAME ...]`: measure the claims of the page Lessons, or only these, and save each.

About 20 minutes of one thread on an otherwise idle machine. The numbers are saved in benchmarks/claims/results, with
command, code, time and machine; what they say is written into the claim's file, which ships (s2s/lessons/claims). With
`--saved`, nothing is measured: the saved numbers are reported again.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import torch

from benchmarks import results
from benchmarks.claims import (
    agreement,
    beams,
    forcing,
    kinds,
    norms,
    parallel,
    smoothing,
    stacks,
)
from s2s import files
from s2s.lessons.claims import FOLDER, Measured

RESULTS = Path(__file__).parent / "results"


class Row(NamedTuple):
    """How a claim is measured, and what is said of the numbers."""

    measure: Callable[[], dict[str, Any]]
    report: Callable[[Mapping[str, Any]], Measured]
    is_computed: bool = False  # from sizes alone, the same everywhere: not saved


CLAIMS: Mapping[str, Row] = MappingProxyType(
    {
        "agreement": Row(agreement.measure, agreement.report),
        "beams": Row(beams.measure, beams.report),
        "forcing": Row(forcing.measure, forcing.report),
        "kinds": Row(kinds.measure, kinds.report, is_computed=True),
        "norms": Row(norms.measure, norms.report),
        "parallel": Row(parallel.measure, parallel.report),
        "smoothing": Row(smoothing.measure, smoothing.report),
        "stacks": Row(stacks.measure, stacks.report, is_computed=True),
    }
)


def measure(name: str) -> None:
    """Measure a claim and save the numbers."""
    load = os.getloadavg()[0]
    commit = results.commit()
    measured = CLAIMS[name].measure()
    content = {
        "command": f"python -m benchmarks.claims {name}",
        "commit": commit,
        "date": results.now(),
        "machine": {**results.processor(), "threads": 1, "load": round(load, 2)},
        "libraries": {"torch": results.libraries()["torch"]},
        **measured,
    }
    files.write_json(RESULTS / f"{name}.json", content)


def saved(name: str) -> dict[str, Any]:
    if CLAIMS[name].is_computed:
        return CLAIMS[name].measure()
    return dict(json.loads((RESULTS / f"{name}.json").read_text()))


def report(name: str) -> dict[str, Any]:
    """What the saved numbers say, as the claim's file has it."""
    found = saved(name)
    measured = CLAIMS[name].report(found)
    series = [_given(one) for one in measured.picture.series]
    return {
        **_given(measured),
        "method": f"{origin(found)} {measured.method}".strip(),
        "picture": {**_given(measured.picture), "series": series},
    }


def origin(found: Mapping[str, Any]) -> str:
    """When and where, in one sentence, then the numbers' own note; nothing where they were computed."""
    if "machine" not in found:
        return ""
    cpu = str(found["machine"]["cpu"]).replace("(R)", "")
    torch = found["libraries"]["torch"]
    when = f"Measured on {found['date'][:10]} with one thread of an {cpu}, torch {torch}."
    return f"{when} {found.get('note', '')}".strip()


def _given(row: Any) -> dict[str, Any]:
    defaults = row._field_defaults
    return {name: value for name, value in row._asdict().items() if value != defaults.get(name)}


def as_file(claim: Mapping[str, Any]) -> str:
    """A claim as its file has it: JSON, with a line for each list of numbers or texts."""
    lines = json.dumps(claim, ensure_ascii=False, indent=1)
    return re.sub(r"(?<=\[)\n[^\[\]{}]*(?=\])", _on_one_line, lines) + "\n"


def _on_one_line(found: re.Match[str]) -> str:
    return re.sub(r"\n *", " ", found[0]).strip()


def main(arguments: Sequence[str]) -> None:
    """Measure what is asked for, and write what it says."""
    names = [name for name in arguments if name != "--saved"]
    if unknown := [name for name in names if name not in CLAIMS]:
        raise SystemExit(f"There is no claim `{unknown[0]}`; there are {', '.join(CLAIMS)}.")
    torch.set_num_threads(1)
    for name in names or CLAIMS:
        if "--saved" not in arguments and not CLAIMS[name].is_computed:
            measure(name)
        file = FOLDER / f"{name}.json"
        claim = {**json.loads(file.read_text()), "measured": report(name)}
        files.write_bytes(file, as_file(claim).encode())
        print(f"{name} is written", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
