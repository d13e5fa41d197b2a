"""Well-known datasets on the Hub: content, size and license. Sends no requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from s2s.config import shipped_rows
from s2s.data.formats.columns import Column

WARNINGS = MappingProxyType(
    {
        "scripted": "Was a script when last checked: only the Hub's parquet copy, if there is one, can be read.",
        "large": "Large: use a sample.",
    }
)


@dataclass(frozen=True)
class GalleryRow:
    """A dataset when it was last checked. `columns` are its text columns, lists of texts with `[]`.

    `rows` is the number of rows of `split`, `size` the download size of the configuration; `license` is the owner's
    statement, or that it is unknown, not stated or not checked.
    """

    id: str
    config: str
    summary: str
    columns: str
    src: str
    tgt: str
    rows: str
    size: str
    license: str
    split: str = "train"
    warning: str = ""

    @property
    def shape(self) -> tuple[Column, ...]:
        """The columns as a reader reports them."""
        return tuple(
            Column(name.removesuffix("[]"), "texts" if name.endswith("[]") else "text")
            for name in self.columns.split()
        )


def _row(id: str, warnings: Sequence[str] = (), **row: Any) -> GalleryRow:
    return GalleryRow(id, warning=" ".join(WARNINGS[name] for name in warnings), **row)


GALLERY: Mapping[str, GalleryRow] = shipped_rows(__file__, "gallery.toml", _row)
