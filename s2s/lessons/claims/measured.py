"""What benchmarks/claims measured, from the files that ship with the program."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from s2s.config import UserError
from s2s.lessons.claims.claim import Results

RESULTS = Path(__file__).parent / "results"
ORIGIN = ("command", "commit", "date", "machine", "libraries")  # of every file


@cache
def saved(name: str, *keys: str) -> Results:
    """The results of a claim. Raises UserError where the file lacks one of `keys`, or of ORIGIN."""
    mend = "install s2s again"
    try:
        found = json.loads((RESULTS / f"{name}.json").read_bytes())
    except (OSError, ValueError) as error:
        raise UserError(f"The results of the claim {name} cannot be read; {mend}.") from error
    if missing := [key for key in (*ORIGIN, *keys) if key not in found]:
        raise UserError(f"The results of the claim {name} have no `{missing[0]}`; {mend}.")
    results: Results = found
    return results


def origin(results: Results) -> str:
    """When and where, in one sentence; then the results' own note, where they have one."""
    cpu = str(results["machine"]["cpu"]).replace("(R)", "")
    note = f" {results['note']}" if "note" in results else ""
    torch = results["libraries"]["torch"]
    return f"Measured on {results['date'][:10]} with one thread of an {cpu}, torch {torch}.{note}"
