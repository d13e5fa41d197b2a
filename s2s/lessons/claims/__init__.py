"""Claims of papers, measured here: a file for each, with what was found and the views that prove it.

The statement and the views of a file are written by hand, what is `measured` by `python -m benchmarks.claims`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from s2s.config import Lazy, UserError
from s2s.lessons.claims import parallel
from s2s.lessons.claims.claim import Claim, Level, Measured, Picture, Proof, Series
from s2s.lessons.lesson_file import view_of

FOLDER = Path(__file__).parent


def read(id: str) -> Claim:
    """The claim in a file. Raises UserError where that cannot be read, or lacks something."""
    mend = "install s2s again"
    try:
        found = _fixed(json.loads((FOLDER / f"{id}.json").read_bytes()))
        proofs = tuple(Proof(row["label"], view_of(row["view"])) for row in found.pop("proofs"))
        measured = found.pop("measured")
        picture = measured.pop("picture")
        series = tuple(Series(**row) for row in picture.pop("series"))
        picture = Picture(**picture, series=series)
        return Claim(id=id, **found, proofs=proofs, measured=Measured(**measured, picture=picture))
    except KeyError as error:
        missing = error.args[0]
        raise UserError(f"The results of the claim {id} have no `{missing}`; {mend}.") from error
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise UserError(f"The results of the claim {id} cannot be read; {mend}.") from error


def _fixed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _fixed(each) for key, each in value.items()}
    return tuple(map(_fixed, value)) if isinstance(value, list) else value


# In this order. An id is in links: it stays.
CLAIMS: Mapping[str, Claim] = Lazy(
    lambda: (
        *("parallel", "forcing", "agreement", "kinds"),
        *("stacks", "norms", "smoothing", "beams"),
    ),
    read,
)
