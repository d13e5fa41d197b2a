"""The tables of the `datasets` library: their text columns read, and two columns written. Knows nothing of Corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from s2s.config import UserError, shortened, unknown
from s2s.data.formats import columns
from s2s.data.formats.columns import Column
from s2s.data.formats.table import flat

if TYPE_CHECKING:
    import datasets


class TextColumns(NamedTuple):
    """Two columns of a dataset, by name, with the texts of each row; "" where a row has none.

    A list of translations, `[{"en": ..., "de": ...}, ...]`, is several rows. The texts of the columns in `more`, and of
    a list of references, follow source and target.
    """

    src: str
    tgt: str
    more: tuple[str, ...]
    rows: list[tuple[str, ...]]


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

    The only text column is read twice. Of a list of texts the first is used, and of references also the others. Raises
    UserError for an unknown column, and for several splits or a stream instead of a dataset.
    """
    texts = text_columns(dataset, src, tgt)
    found = columns.from_features(dataset.features)
    likely = columns.choose_columns(found, src=src, tgt=tgt)
    if likely is None:
        raise UserError(
            "The source and target columns are ambiguous; give two of"
            f" {shortened(', '.join(texts)) or 'none'} as src and tgt."
        )
    names = [column.name for column in found]
    two = names.index(likely.src), names.index(likely.tgt)
    read = [found[at] for at in (*two, *columns.further_references(found, *two))]
    more = tuple(column.name for column in read[2:])
    return TextColumns(likely.src, likely.tgt, more, list(_rows(dataset, read)))


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


def _rows(dataset: datasets.Dataset, read: Sequence[Column]) -> Iterator[tuple[str, ...]]:
    src, tgt = read[:2]
    is_parallel = columns.are_parallel(src, tgt)
    for one, other, *more in zip(*(_values(dataset, each.name) for each in read), strict=True):
        if is_parallel:
            yield from zip(map(_first, one or ()), map(_first, other or ()), strict=False)
            continue
        source = flat(one) or _first(one)  # a list of turns is one dialogue
        if src.name == tgt.name:
            yield source, source
            continue
        targets = zip([other, *more], read[1:], strict=True)
        yield source, *(text for value, column in targets for text in _texts(value, column))


def _texts(value: Any, column: Column) -> list[str]:
    """The references in a list of them; of anything else its first text."""
    listed = value if columns.is_listed(column) and isinstance(value, list) and value else [value]
    return [_first(each) for each in listed]


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
