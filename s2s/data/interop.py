"""The tables of the `datasets` library: made, their text columns read, two columns written. Knows nothing of Corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from s2s.config import UserError, is_usable, require_usable, shortened, unknown, unusable
from s2s.data.formats import cells, chats, columns, lists
from s2s.data.formats.added import Added, joined
from s2s.data.formats.columns import Column
from s2s.data.formats.encodings import not_utf8
from s2s.data.formats.objects import inner_columns
from s2s.data.formats.table import HEAD, are_integers, cell, check_names, flat

if TYPE_CHECKING:
    import datasets
    import pandas as pd
    import pyarrow as pa


# What `datasets` calls a dataset that it has read from files, or got from a program.
FORMATS = frozenset("arrow csv generator json pandas parquet sql text".split())


class TextColumns(NamedTuple):
    """Two columns of a dataset, by name, with the texts of each row; "" where a row has none.

    A list of translations, `[{"en": ..., "de": ...}, ...]`, is several rows. The texts of the columns in `more`, and of
    a list of references, follow source and target.
    """

    src: str
    tgt: str
    more: tuple[str, ...]
    rows: list[tuple[str, ...]]
    notes: tuple[str, ...] = ()  # on columns of lists


def write_columns(rows: Iterable[tuple[str, str]], description: str) -> datasets.Dataset:
    """A dataset with the columns `src` and `tgt`."""
    import datasets

    rows = list(rows)
    sides = {"src": [src for src, _ in rows], "tgt": [tgt for _, tgt in rows]}
    features = datasets.Features({side: datasets.Value("string") for side in sides})
    info = datasets.DatasetInfo(description=description, features=features)
    with _naming("The Corpus", sides):
        return datasets.Dataset.from_dict(sides, info=info)


def from_pandas(frame: pd.DataFrame) -> datasets.Dataset:
    """The columns of a DataFrame, without its index. Raises UserError for one that is no table of texts."""
    import datasets

    check_names(map(str, frame.columns), "the DataFrame")
    with _naming("The DataFrame", {str(name): column for name, column in frame.items()}):
        return datasets.Dataset.from_pandas(frame, preserve_index=False)


def from_columns(given: Mapping[str, Any], what: str) -> datasets.Dataset:
    """Columns of equal length, by name. Raises UserError, which begins with `what`, for anything else."""
    import datasets

    check_names(map(str, given), what[:1].lower() + what[1:])
    columns = {}
    for name, values in given.items():
        if not isinstance(values, Iterable) or isinstance(values, str | bytes | Mapping):
            raise UserError(
                f"{what} has {shortened(repr(values))} as `{shortened(name, 60)}`; give a list of texts for each."
            )
        columns[str(name)] = list(values)
    if len({len(values) for values in columns.values()}) > 1:
        lengths = ", ".join(f"`{name}` {len(values):,}" for name, values in columns.items())
        raise UserError(
            f"{what} has columns of different lengths ({shortened(lengths)}); make them equal."
        )
    with _naming(what, columns):
        return datasets.Dataset.from_dict(columns)


def from_arrow(given: Any) -> datasets.Dataset:
    """A pyarrow Table, or what exports itself as one, such as a polars DataFrame.

    Raises UserError for two columns of one name.
    """
    import datasets
    import pyarrow as pa

    what = f"the {type(given).__name__}"
    with _naming(what[:1].upper() + what[1:], {}):
        table = pa.table(given)
        check_names(table.column_names, what)
        fields = [field.with_type(_without_view(field.type)) for field in table.schema]
        return datasets.Dataset(table.cast(pa.schema(fields)))


def _without_view(of: pa.DataType) -> pa.DataType:
    """The type that `datasets` reads: polars has views of strings."""
    import pyarrow as pa

    if pa.types.is_string_view(of):
        return pa.large_string()
    if pa.types.is_large_list(of):
        return pa.large_list(_without_view(of.value_type))
    return of


def published_name(dataset: datasets.Dataset) -> str:
    """`opus_books (en-fr, train)`; empty for a dataset that was made in a program or read from files."""
    info = dataset.info
    name = info.dataset_name or info.builder_name or ""
    if name in FORMATS:
        return ""
    config = "" if info.config_name in (None, "default") else str(info.config_name)
    part = str(dataset.split or "")
    more = ", ".join(each for each in (config, part) if each)
    return f"{name} ({more})" if name and more else name


@contextmanager
def _naming(what: str, columns: Mapping[str, Iterable[Any]]) -> Iterator[None]:
    """Turns an error of Arrow into a UserError, which names the row of a text that cannot be stored."""
    import pyarrow as pa

    try:
        yield
    except UserError:
        raise
    except UnicodeEncodeError as error:
        for name, values in columns.items():
            for number, value in enumerate(values, 1):
                for text in _texts_within(value):
                    require_usable(text, f"Row {number:,} of `{shortened(name, 60)}`")
        raise UserError(
            f"{what} cannot be read ({shortened(error)}); give columns of strings."
        ) from error
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UserError(
            f"{what} cannot be read ({shortened(error)}); give two columns of strings."
        ) from error


def _texts_within(value: Any) -> Iterator[str]:
    """The texts of a cell: itself, or those in a list or dictionary."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*_texts_within(key), *_texts_within(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts_within(inner)


@contextmanager
def naming_undecodable(dataset: datasets.Dataset) -> Iterator[None]:
    """Turns the error for a text that is not UTF-8, which Arrow does not check, into a UserError with its row."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise not_utf8(error, f"Row {_first_undecodable(dataset) + 1:,} of the data") from error


def _first_undecodable(dataset: datasets.Dataset) -> int:
    for at in range(len(dataset)):
        try:
            dataset[at]
        except UnicodeDecodeError:
            return at
    raise ValueError("every text is UTF-8")


def read_columns(
    dataset: datasets.Dataset, src: str = "", tgt: str = "", way: str = "auto"
) -> TextColumns:
    """Two columns of a dataset, nested ones as `translation.en`; without names they are guessed. `way`: of lists.

    The only text column is read twice. A list of texts is joined, but of references the first is the target, and the
    others follow. Raises UserError for an unknown column, and for several splits or a stream instead of a dataset.
    """
    require_dataset(dataset)
    dataset = _unfolded(dataset)
    texts = text_columns(dataset, src, tgt)
    found = Added(columns.from_features(dataset.features)).columns
    likely = columns.choose_columns(_judged(dataset, found), src=src, tgt=tgt)
    if likely is None:
        raise UserError(
            "The source and target columns are ambiguous; give two of"
            f" {shortened(', '.join(texts)) or 'none'} as src and tgt."
        )
    names = [column.name for column in found]
    two = names.index(likely.src), names.index(likely.tgt)
    read = [found[at] for at in (*two, *columns.further_references(found, *two))]
    more = tuple(column.name for column in read[2:])
    with naming_undecodable(dataset):
        rows = list(_rows(dataset, read, ways := lists.ways(read[:2], way)))
    for number, row in enumerate(rows, 1):
        for text in row:
            if not is_usable(text):
                raise unusable(text, f"Row {number:,} of the data")
    notes = lists.note(read[:2], ways, choose="")
    return TextColumns(likely.src, likely.tgt, more, rows, tuple(dict.fromkeys(notes)))


def _unfolded(dataset: datasets.Dataset) -> datasets.Dataset:
    """The dataset with lists and chats in place of texts that are their JSON."""
    first = dataset.select(range(min(HEAD, len(dataset))))
    texts = [each.name for each in columns.from_features(dataset.features) if each.kind == "text"]
    with naming_undecodable(first):
        folded = [
            name
            for name in texts
            if name in dataset.column_names and inner_columns(name, first[name])
        ]
    if not folded:
        return dataset
    values = {
        name: [*map(lists.parsed, dataset[name])] if name in folded else dataset[name][:]
        for name in dataset.column_names
    }
    return from_columns(values, "The data")


def _judged(dataset: datasets.Dataset, found: Sequence[Column]) -> Sequence[Column]:
    """The columns, of which those that hold ids, dates or the like are no texts, unless names tell which are read."""
    if any(one.score >= cells.NAMED for one in columns.guess(found)):
        return found
    first = dataset.select(range(min(HEAD, len(dataset))))
    with naming_undecodable(first):
        texts = [
            _values(first, one.name) if one.kind == "text" else [None] * len(first) for one in found
        ]
    held = cells.no_texts(found, list(zip(*texts, strict=True)))
    return cells.only_texts(found, held)


def text_columns(dataset: datasets.Dataset, *wanted: str) -> list[str]:
    """The names of the columns that hold texts. Raises UserError where a wanted one is not among them."""
    require_dataset(dataset)
    found = Added(columns.from_features(dataset.features)).columns
    texts = [column.name for column in found if column.kind != "other"]
    readable = [column.name for column in found if columns.holds_numbers(column)]
    for name in filter(None, wanted):
        for column in found:
            if column.name == name and name not in (*texts, *readable):
                raise UserError(
                    f"The column `{shortened(name, 60)}` holds {column.type or 'no text'}; choose one of"
                    f" {shortened(', '.join(texts)) or 'another dataset'}."
                )
        if name not in (*texts, *readable):
            raise unknown("text column", name, texts)
    are_given = all(name in readable for name in wanted) and len(wanted) == 2
    if not texts and not are_given and not columns.beside_numbers(found):
        there = ", ".join(f"`{column.name}` ({column.type})" for column in found)
        raise UserError(
            f"The dataset has no text column, only {shortened(there) or 'empty rows'}; choose another."
        )
    return texts


def require_dataset(given: Any) -> None:
    """Raises UserError for several splits, a stream, or what a transform makes, instead of a dataset."""
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
    if isinstance(given, datasets.Dataset) and given.format["type"] == "custom":
        raise UserError(
            "The Dataset has a transform (set_transform), which makes its columns when they are read; apply it with"
            " dataset.map, or remove it with dataset.with_format(None)."
        )


def _rows(
    dataset: datasets.Dataset, read: Sequence[Column], ways: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    src, tgt = read[:2]
    is_parallel = columns.are_parallel(src, tgt) and ways[0] == "line"
    for one, other, *more in zip(*(_values(dataset, each.name) for each in read), strict=True):
        if is_parallel:
            yield from zip(map(_first, one or ()), map(_first, other or ()), strict=False)
            continue
        if "line" in ways:
            yield from _lines([one, other], ways)
            continue
        source = _joined(one, ways[0])
        if src.name == tgt.name:
            yield source, source
            continue
        further = zip(more, read[2:], strict=True)
        references = (text for value, column in further for text in _listed(value, column))
        texts = [_joined(other, ways[1])] if ways[1] else _listed(other, tgt)
        yield source, *texts, *references


def _lines(texts: Sequence[Any], ways: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """A pair per text of one list or of two; one without text where they differ in length."""
    are_lined = [
        how == "line" and isinstance(value, list) for value, how in zip(texts, ways, strict=True)
    ]
    sides = [value if lined else None for value, lined in zip(texts, are_lined, strict=True)]
    lengths = {len(value) for value in sides if value is not None}
    if len(lengths) > 1:
        yield "", ""
        return
    n = next(iter(lengths), 1)
    src, tgt = (side or [value] * n for side, value in zip(sides, texts, strict=True))
    yield from zip(map(_first, src), map(_first, tgt), strict=False)


def _listed(value: Any, column: Column) -> list[str]:
    """The references in a list of them; of anything else its first text."""
    listed = value if columns.is_listed(column) and isinstance(value, list) and value else [value]
    return [_first(each) for each in listed]


def _joined(value: Any, how: str) -> str:
    """A text, or the texts of a list as one; of any other list the first."""
    text = cell(value) if isinstance(value, list) else flat(value)
    return _first(value) if text is None else lists.joined(text, how)


def _values(dataset: datasets.Dataset, name: str) -> Sequence[Any]:
    parts = Added(columns.from_features(dataset.features)).names
    if name not in dataset.column_names and name == "+".join(parts):
        values = ([cell(chats.exchanges(part, each)) for each in dataset[part]] for part in parts)
        return [joined(*row) for row in zip(*values, strict=True)]
    outer, _, inner = ("", "", "") if name in dataset.column_names else name.rpartition(".")
    return [_field(value, inner, outer) for value in dataset[outer]] if inner else dataset[name]


def _field(value: Any, name: str, outer: str) -> Any:
    """A field of a struct, or of each struct in a list; of a chat its turns or its answer."""
    if name in (chats.TURNS, chats.ANSWER) and chats.is_chat(value):
        return chats.columns(outer, value)[f"{outer}.{name}"]
    if isinstance(value, list):
        return [_field(each, name, outer) for each in value]
    return value and value.get(name)


def _first(value: Any) -> str:
    while isinstance(value, list) and not are_integers(value):
        value = value[0] if value else ""
    return cell(value) or ""
