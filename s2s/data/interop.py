"""The tables of the `datasets` library: their text columns read, and two columns written. Knows nothing of Corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from s2s.config import UserError, shortened, unknown
from s2s.data.formats import columns

if TYPE_CHECKING:
    import datasets


class TextColumns(NamedTuple):
    """Two columns of a dataset, by name, with the texts of each row; "" where a row has none."""

    src: str
    tgt: str
    rows: list[tuple[str, str]]


def write_columns(rows: Iterable[tuple[str, str]], description: str) -> datasets.Dataset:
    """A dataset with the columns `src` and `tgt`."""
    import datasets

    rows = list(rows)
    sides = {"src": [src for src, _ in rows], "tgt": [tgt for _, tgt in rows]}
    features = datasets.Features({side: datasets.Value("string") for side in sides})
    info = datasets.DatasetInfo(description=description, features=features)
    return datasets.Dataset.from_dict(sides, info=info)


def read_columns(dataset: datasets.Dataset, src: str = "", tgt: str = "") -> TextColumns:
    """Two columns of a dataset, nested ones as `translation.en`; without names they are guessed.

    The only text column is read twice. Of a list of texts the first is used. Raises UserError for an unknown column,
    and for several splits or a stream instead of a dataset.
    """
    texts = text_columns(dataset, src, tgt)
    found = columns.from_features(dataset.features)
    likely = columns.choose_columns(found, src=src, tgt=tgt)
    if likely is None:
        raise UserError(
            "The source and target columns are ambiguous; give two of"
            f" {shortened(', '.join(texts)) or 'none'} as src and tgt."
        )
    sides = (_texts(dataset, name) for name in (likely.src, likely.tgt))
    return TextColumns(likely.src, likely.tgt, list(zip(*sides, strict=True)))


def text_columns(dataset: datasets.Dataset, *wanted: str) -> list[str]:
    """The names of the columns that hold texts. Raises UserError where a wanted one is not among them."""
    require_dataset(dataset)
    found = columns.from_features(dataset.features)
    texts = [column.name for column in found if column.kind != "other"]
    for name in filter(None, wanted):
        if name not in texts:
            raise unknown("text column", name, texts)
    return texts


def require_dataset(given: Any) -> None:
    """Raises UserError for several splits, or a stream, instead of a dataset."""
    import datasets

    if isinstance(given, datasets.DatasetDict | datasets.IterableDatasetDict):
        names = shortened(", ".join(map(str, given)))
        raise UserError(
            f"A dictionary of splits ({names}) was given; give one of them, such as dataset['train']."
        )
    if isinstance(given, datasets.IterableDataset):
        raise UserError(
            "A stream (IterableDataset) was given, whose length is unknown; give a datasets.Dataset, for example"
            " datasets.Dataset.from_list(list(stream.take(20_000)))."
        )


def _texts(dataset: datasets.Dataset, name: str) -> Sequence[str]:
    outer, _, inner = ("", "", "") if name in dataset.column_names else name.rpartition(".")
    values = [value and value.get(inner) for value in dataset[outer]] if inner else dataset[name]
    return [_first(value) for value in values]


def _first(value: Any) -> str:
    while isinstance(value, list):
        value = value[0] if value else ""
    return value if isinstance(value, str) else ""
