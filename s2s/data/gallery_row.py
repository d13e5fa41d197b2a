"""A row of the gallery."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.data.formats.columns import Column


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
