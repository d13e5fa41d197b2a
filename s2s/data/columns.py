"""Which two columns of a table are source and target. Knows nothing of files and of the hub."""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """One column. `kind` is `text`, `texts` (a list of them) or `other`; a struct of languages is one column each, `translation.en`."""

    name: str
    kind: str
