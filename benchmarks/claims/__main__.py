"""`python -m benchmarks.claims [NAME ...]`: measure the claims of the page Lessons, or only these, and save each.

About 20 minutes of one thread on an otherwise idle machine. What is saved ships with the program
(s2s/lessons/claims/results) and says by which command, of which code, when and where it was measured.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import torch

from benchmarks import results
from benchmarks.claims import agreement, beams, forcing, norms, parallel, smoothing
from s2s import files
from s2s.lessons.claims import RESULTS

MEASURES: Mapping[str, Callable[[], dict[str, Any]]] = MappingProxyType(
    {
        "agreement": agreement.measure,
        "beams": beams.measure,
        "forcing": forcing.measure,
        "norms": norms.measure,
        "parallel": parallel.measure,
        "smoothing": smoothing.measure,
    }
)


def main(arguments: Sequence[str]) -> None:
    """Measure what is asked for."""
    if unknown := [name for name in arguments if name not in MEASURES]:
        raise SystemExit(f"There is no claim `{unknown[0]}`; there are {', '.join(MEASURES)}.")
    torch.set_num_threads(1)
    for name in arguments or MEASURES:
        load = os.getloadavg()[0]
        commit = results.commit()
        measured = MEASURES[name]()
        content = {
            "command": f"python -m benchmarks.claims {name}",
            "commit": commit,
            "date": results.now(),
            "machine": {**results.processor(), "threads": 1, "load": round(load, 2)},
            "libraries": {"torch": results.libraries()["torch"]},
            **measured,
        }
        files.write_json(RESULTS / f"{name}.json", content)
        print(f"{name} is measured", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
