"""Conversion between Corpus and `datasets.Dataset`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from s2s.config import UserError, shortened, unknown
from s2s.data.corpus import Corpus, one_line
from s2s.data.formats import columns
from s2s.data.pair import Pair

if TYPE_CHECKING:
    import datasets


def to_datasets(corpus: Corpus) -> datasets.Dataset:
    """A dataset with the columns `src` and `tgt`; spec, split and notes are in its description."""
    import datasets

    sides = {"src": [pair.src for pair in corpus.pairs], "tgt": [pair.tgt for pair in corpus.pairs]}
    features = datasets.Features({side: datasets.Value("string") for side in sides})
    description = "\n".join([f"{corpus.spec}, split {corpus.split}", *corpus.notes])
    return datasets.Dataset.from_dict(
        sides, info=datasets.DatasetInfo(description=description, features=features)
    )


def from_datasets(dataset: datasets.Dataset, src: str = "", tgt: str = "") -> Corpus:
    """Two columns of a dataset, nested ones as `translation.en`; without names they are guessed.

    The same column twice, or the only text column, is plain text. Of a list of texts the first is used; rows without
    text on both sides are dropped. Raises UserError for an unknown column, if there is no pair, and for several
    splits or a stream instead of a dataset.
    """
    _check_is_dataset(dataset)
    found = columns.from_features(dataset.features)
    texts = [column.name for column in found if column.kind != "other"]
    for name in filter(None, (src, tgt)):
        if name not in texts:
            raise unknown("text column", name, texts)
    likely = columns.choose_columns(found, src=src, tgt=tgt)
    if likely is None:
        raise UserError(
            "The source and target columns are ambiguous; give two of"
            f" {shortened(', '.join(texts)) or 'none'} as src and tgt."
        )
    src = likely.src
    tgt = likely.tgt
    sides = zip(*(_texts(dataset, name) for name in (src, tgt)), strict=True)
    pairs = tuple(
        Pair(one_line(one), one_line(other))
        for one, other in sides
        if one.strip() and other.strip()
    )
    if not pairs:
        raise UserError(
            f"No row has text in both `{shortened(src, 90)}` and `{shortened(tgt, 90)}`; choose other columns."
        )
    n_lost = len(dataset) - len(pairs)
    lost = (
        (f"{n_lost:,} {'row' if n_lost == 1 else 'rows'} without text in both columns dropped.",)
        if n_lost
        else ()
    )
    return Corpus(
        "datasets",
        str(dataset.split or "train"),
        pairs,
        (f"`{src}` is the source, `{tgt}` the target.", *lost),
        src == tgt,
    )


def _check_is_dataset(given: Any) -> None:
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


def _texts(dataset: datasets.Dataset, name: str) -> list[str]:
    outer, _, inner = ("", "", "") if name in dataset.column_names else name.rpartition(".")
    values = [value and value.get(inner) for value in dataset[outer]] if inner else dataset[name]
    return [_first(value) for value in values]


def _first(value: Any) -> str:
    while isinstance(value, list):
        value = value[0] if value else ""
    return value if isinstance(value, str) else ""
