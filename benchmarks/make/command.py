"""`python -m s2s.demo all`: make everything again that ships and that this project makes; hours of one thread.

`python -m s2s.demo stale` makes only what was made of something else than today's code would make it of; after
`corpora`, ask again for what was made of them. With names of artifacts (benchmarks/make/artifacts.py), only these: five
to twenty minutes for a demo run, seconds for `corpora` and `previews`. `measured`, `extrapolation` and `faults` with
words train what is missing in their files, and can be interrupted.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.make import artifacts, extrapolation, faults, measured
from s2s.config import UserError


def main(arguments: Sequence[str]) -> None:
    with_words = {"measured": measured, "extrapolation": extrapolation, "faults": faults}
    for name, module in with_words.items():
        if arguments[:1] == [name]:
            module.main(arguments[1:])
            return
    if not arguments:
        raise SystemExit(__doc__)
    chosen = list(artifacts.ARTIFACTS) if "all" in arguments else list(arguments)
    try:
        for name in artifacts.stale() if chosen == ["stale"] else chosen:
            artifacts.make(name)
            print(f"{name} is made")
    except UserError as error:
        raise SystemExit(str(error)) from error
