"""The tables of the `datasets` library: made, their text columns read, two columns written. Knows nothing of Corpus."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from s2s.config import UserError, require_usable, shortened, unknown
from s2s.data.formats import arrow, columns, lists, pairing, reference_columns
from s2s.data.formats.columns import Column
from s2s.data.formats.made import extended
from s2s.data.formats.objects import unfolded
from s2s.data.formats.pairing import FileOptions, ReadPairs
from s2s.data.formats.reference_columns import ReferenceTable
from s2s.data.formats.streams import ReadingBudget
from s2s.data.formats.table import Table, TableRow, check_names, checked, first_rows
from s2s.data.options import Caps

if TYPE_CHECKING:
    import datasets
    import pandas as pd
    import pyarrow as pa


# What `datasets` calls a dataset that it has read from files, or got from a program.
FORMATS = frozenset("arrow csv generator json pandas parquet sql text".split())
BATCH = 1000  # rows
MOST = sys.maxsize
UNLIMITED = Caps(rows=MOST, unpacked=MOST, cell=MOST, seconds=1e9)  # it is in memory already


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
        columns[str(name)] = [None if _is_nan(value) else value for value in values]
    if len({len(values) for values in columns.values()}) > 1:
        lengths = ", ".join(f"`{name}` {len(values):,}" for name, values in columns.items())
        raise UserError(
            f"{what} has columns of different lengths ({shortened(lengths)}); make them equal."
        )
    with _naming(what, columns):
        return datasets.Dataset.from_dict(columns)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


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
    import pyarrow as pa

    if pa.types.is_string_view(of):
        return pa.large_string()
    if pa.types.is_large_list(of):
        return pa.large_list(_without_view(of.value_type))
    return of


def published_name(dataset: datasets.Dataset) -> str:
    """A dataset's name, `opus_books (en-fr, train)`; empty where it was made in a program or read from files."""
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
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*_texts_within(key), *_texts_within(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts_within(inner)


def read_pairs(
    dataset: datasets.Dataset,
    src: str = "",
    tgt: str = "",
    way: str = "auto",
    *,
    of: str,
    advice: str,
) -> ReadPairs:
    """The pairs of two columns, nested ones as `translation.en`; without names they are guessed. `way`: of lists.

    The same column twice, or the only text column, is plain text. Errors call the table `of`; notes say with `advice`
    how others are chosen, as in `reference_columns.pairs_of`. Raises UserError for an unknown column, where no row has
    text on both sides, and as `require_dataset` does.
    """
    table, options = _opened(dataset, src, tgt, of)
    options = replace(options, lists=way)
    with ReadingBudget(UNLIMITED) as budget:
        if (at := _plain(table, options)) is not None:
            return _plain_pairs(table, at, options, budget)
        found = reference_columns.pairs_of(table, of, options, budget, advice)
    if not found.pairs:
        raise UserError(
            f"`{of}` has no row with text on both sides: {found.notes[0].rstrip('.')}; choose other columns."
        )
    return found


def read_references(
    dataset: datasets.Dataset, src: str = "", tgt: str = "", *, of: str
) -> ReferenceTable:
    """Each source with its references; the rest as `read_pairs`."""
    table, options = _opened(dataset, src, tgt, of)
    with ReadingBudget(UNLIMITED) as budget:
        return reference_columns.references_of(table, of, options, budget)


def _opened(dataset: datasets.Dataset, src: str, tgt: str, of: str) -> tuple[Table, FileOptions]:
    require_dataset(dataset)
    table = _table(dataset, of)
    names = [column.name for column in table.columns]
    _check_columns(table.columns, src, tgt)
    src, tgt = (str(1 + names.index(name)) if name else "" for name in (src, tgt))
    return table, FileOptions(src=src, tgt=tgt)


def _table(dataset: datasets.Dataset, of: str) -> Table:
    fields = list(dataset.features.arrow_schema)
    stored = tuple(column for field in fields for column in _columns(dataset, field))

    def read(chosen: Sequence[int]) -> Iterator[TableRow]:
        names = [stored[at].name for at in chosen]
        outer = {name if name in dataset.features else name.partition(".")[0] for name in names}
        batches = dataset.select_columns([*outer]).with_format("arrow").iter(BATCH)
        return arrow.rows(batches, names, of)

    table = Table(
        stored,
        first_rows(stored, read),
        lambda chosen: checked(read(chosen), of, "row"),
        too_narrow=f"`{of}` has fewer than two columns; give a source and a target.",
        unit="row",
    )
    return unfolded(extended(table))


def _columns(dataset: datasets.Dataset, field: pa.Field) -> Iterator[Column]:
    import datasets as library

    if isinstance(dataset.features[field.name], library.ClassLabel):
        yield Column(field.name, "other", "classes")
    else:
        yield from arrow.columns(field)


def _plain(table: Table, options: FileOptions) -> int | None:
    if options.src or options.tgt:
        return int(options.src) - 1 if options.src == options.tgt else None
    return columns.only_text(table.columns)


def _plain_pairs(table: Table, at: int, options: FileOptions, budget: ReadingBudget) -> ReadPairs:
    column = table.columns[at]
    how = lists.way(column, options.lists)
    rows = lists.read(table.rows([at, at]), [how, how])
    found = pairing.paired(rows, budget, table.fault, unit=table.unit)
    if not found.pairs:
        raise UserError(
            f"No row has text in `{shortened(column.name, 90)}`; choose another column."
        )
    note = f"`{column.name}` is read as plain text: choose a task without targets, or two columns."
    notes = [note, *lists.note([column], [how]), *found.notes]
    return found._replace(notes=notes, is_plain=True)


def _check_columns(found: Sequence[Column], *wanted: str) -> None:
    texts = [column.name for column in found if column.kind != "other"]
    readable = [*texts, *(column.name for column in found if columns.holds_numbers(column))]
    for name in filter(None, wanted):
        for column in found:
            if column.name == name and name not in readable:
                raise UserError(
                    f"The column `{shortened(name, 60)}` holds {column.type or 'no text'}; choose one of"
                    f" {shortened(', '.join(texts)) or 'another dataset'}."
                )
        if name not in readable:
            raise unknown("text column", name, texts)
    are_given = all(name in readable for name in wanted)
    if not texts and not are_given and not columns.beside_numbers(found):
        there = ", ".join(f"`{column.name}` ({column.type})" for column in found)
        raise UserError(
            f"The dataset has no text column, only {shortened(there) or 'empty rows'}; choose another."
        )


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
