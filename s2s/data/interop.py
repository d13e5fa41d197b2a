"""The tables of the `datasets` library: their text columns read, and two columns written. Knows nothing of Corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from s2s.config import UserError, shortened, unknown
from s2s.data.formats import columns
from s2s.data.formats.columns import Column

if TYPE_CHECKING:
    import datasets


class TextColumns(NamedTuple):
    """Two columns of a dataset, by name, with the texts of each row; "" where a row has none.

    A list of translations, `[{"en": ..., "de": ...}, ...]`, is several rows.
    """

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
    rows = list(_rows(dataset, found, likely.src, likely.tgt))
    return TextColumns(likely.src, likely.tgt, rows)


def text_columns(dataset: datasets.Dataset, *wanted: str) -> list[str]:
    """The names of the columns that hold texts. Raises UserError where a wanted one is not among them."""
    require_dataset(dataset)
    found = columns.from_features(dataset.features)
    texts = [column.name for column in found if column.kind != "other"]
    for name in filter(None, wanted):
        if name not in texts:
            raise unknown("text column", name, texts)
    if not texts:
        there = ", ".join(f"`{column.name}` ({column.type})" for column in found)
        raise UserError(
            f"The dataset has no text column, only {shortened(there) or 'empty rows'}; choose another."
        )
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


def _rows(
    dataset: datasets.Dataset, found: Sequence[Column], src: str, tgt: str
) -> Iterator[tuple[str, str]]:
    by_name = {column.name: column for column in found}
    is_listed = columns.are_parallel(by_name[src], by_name[tgt])
    for one, other in zip(_values(dataset, src), _values(dataset, tgt), strict=True):
        if is_listed:
            yield from zip(map(_first, one or ()), map(_first, other or ()), strict=False)
        else:
            yield _first(one), _first(other)


def _values(dataset: datasets.Dataset, name: str) -> Sequence[Any]:
    outer, _, inner = ("", "", "") if name in dataset.column_names else name.rpartition(".")
    return [_field(value, inner) for value in dataset[outer]] if inner else dataset[name]


def _field(value: Any, name: str) -> Any:
    """A field of a struct, or of each struct in a list."""
    if isinstance(value, list):
        return [_field(each, name) for each in value]
    return value and value.get(name)


def _first(value: Any) -> str:
    while isinstance(value, list):
        value = value[0] if value else ""
    return value if isinstance(value, str) else ""
