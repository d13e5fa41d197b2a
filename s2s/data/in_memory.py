"""Pairs that a Python program holds: a table, a list of pairs, a Corpus or a SPEC."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from numbers import Integral
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from s2s.config import UserError, is_usable, shortened, unusable
from s2s.data import interop, saved_datasets
from s2s.data.corpus import Corpus
from s2s.data.files import two_files
from s2s.data.formats.reference_columns import ReferenceTable
from s2s.data.formats.table import broken_note, one_line
from s2s.data.pair import Pair
from s2s.data.sources import LOCAL_FILES, load, parse_spec

if TYPE_CHECKING:
    import datasets
    import pandas as pd
    import pyarrow as pa


GivenPairs: TypeAlias = (
    "str | os.PathLike[str] | Corpus | datasets.Dataset | pd.DataFrame | pa.Table | Mapping[str, Sequence[str]]"
    " | Iterable[tuple[str, str] | list[str] | Mapping[str, Any]]"
)
# The source's and the target's; with levels of names a column has a tuple of them.
Columns: TypeAlias = Sequence[str | int | tuple[str | int, ...]]
MOST_NAMES = 4  # columns in a title
MAX_COLUMN = 20  # characters of a column's name in a title
ALLOWED = (
    "give a datasets.Dataset, a pandas DataFrame, a list of (source, target) pairs or of dictionaries,"
    " or a SPEC"
)


def held(given: GivenPairs) -> GivenPairs:
    """What was given, so that it can be read several times: a path as a SPEC, what an iterator yields as a list."""
    if isinstance(given, os.PathLike):
        return os.fspath(given)
    if type(given) is dict:
        read = {name: list(each) for name, each in given.items() if isinstance(each, Iterator)}
        return {**given, **read}
    return list(given) if isinstance(given, Iterator) else given


def as_corpus(given: GivenPairs, columns: Columns | None = ()) -> Corpus:
    """The pairs of a table, a list, a Corpus or a SPEC; `columns` names a table's source and target, else guessed.

    Raises UserError for anything else, for an unknown column, for a text with a character that no text has, and where
    no row has text on both sides.
    """
    src, tgt = _two(columns)
    given = held(given)
    if isinstance(given, str):
        _refuse_columns(src, given)
        return load(given)
    if isinstance(given, Corpus):
        _refuse_columns(src, given)
        for number, pair in enumerate(given.pairs, 1):
            for text in (pair.src, pair.tgt, *pair.more):
                if not is_usable(text):
                    raise unusable(text, f"Pair {number:,} of the Corpus")
        return given
    if _is_list_of_pairs(given):
        _refuse_columns(src, given)
        return _of_pairs(given)
    return Corpus.from_datasets(_dataset(given), src, tgt, advice='columns=("{0}", "{1}")')


def as_references(given: GivenPairs, columns: Columns | None = ()) -> ReferenceTable:
    """Each source with its references, in order, and what is noted about their reading.

    A table has several in columns `ref1`, `ref2`, ..., or in a list; the same source may come several times. Raises
    UserError as `as_corpus` does, and for plain text, which has no references.
    """
    src, tgt = _two(columns)
    given = held(given)
    if isinstance(given, str | Corpus) or _is_list_of_pairs(given):
        corpus = as_corpus(given, columns)
        if corpus.is_plain:
            raise UserError(f"`{corpus.spec}` is plain text and has no references; give pairs.")
        rows = [(pair.src, (pair.tgt, *pair.more)) for pair in corpus.pairs]
        return ReferenceTable(rows, [*corpus.notes])
    dataset = _dataset(given)
    return interop.read_references(dataset, src, tgt, of=kind_of(given))


def dataset_title(given: GivenPairs, columns: Columns | None = ()) -> str:
    """What data without a name is called, after what it was: `DataFrame of 1,200 rows (en, de)`.

    A SPEC or Corpus is called by its SPEC, without folders; a datasets.Dataset by name, configuration and split, if
    it has them.
    """
    import datasets

    if isinstance(given, str):
        return _safe(_spec_title(given))
    if isinstance(given, Corpus):
        is_read = ":" in given.spec or PurePath(given.spec).suffix  # and not `pairs` or `datasets`
        name = _spec_title(given.spec) if is_read else f"Corpus of {_counted(len(given), 'pair')}"
        return _safe(f"{name} ({given.split})" if is_read else name)
    if _is_list_of_pairs(given):
        return f"List of {_counted(len(given), 'pair')}"
    if isinstance(given, datasets.Dataset) and (name := interop.published_name(given)):
        return _safe(name)
    table = _dataset(given)
    names = [*filter(None, _two(columns))] or table.column_names
    more = ", …" if len(names) > MOST_NAMES else ""
    listed = ", ".join(shortened(_safe(name), MAX_COLUMN) for name in names[:MOST_NAMES])
    kind = kind_of(given)
    return _safe(f"{kind[0].upper()}{kind[1:]} of {_counted(len(table), 'row')} ({listed}{more})")


def _spec_title(spec: str) -> str:
    """The name of a saved dataset; of files their names, without folders; else the SPEC without its options."""
    source, location, _ = parse_spec(spec)
    if source in LOCAL_FILES:
        paths = two_files(location) or (PurePath(location),)
        return ", ".join(path.name for path in paths)
    return saved_datasets.name_of(spec) if source == "corpus" else spec.partition("#")[0]


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def _safe(text: str) -> str:
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def has_no_columns(given: GivenPairs) -> bool:
    """Whether the data are pairs already, so that no columns can be chosen."""
    return isinstance(given, Corpus) or _is_list_of_pairs(given)


def kind_of(given: GivenPairs) -> str:
    """What a table is called: `DataFrame`, `Dataset`, `Table`, or `list`."""
    return type(given).__name__


def _two(columns: Columns | None) -> tuple[str, str]:
    columns = () if columns is None else columns
    no_order = (str, bytes, Mapping, Set)
    is_many = isinstance(columns, Iterable) and not isinstance(columns, no_order)
    names = tuple(columns) if is_many else (None,)
    are_names = all(map(_is_name, names))
    if not are_names or len(names) not in (0, 2):
        raise UserError(
            f"`columns` is {shortened(repr(columns))}; give two names, the source's and the target's, or leave it out."
        )
    src, tgt = map(str, names or ("", ""))
    return src, tgt


def _is_name(name: object) -> bool:
    if isinstance(name, tuple):
        return all(map(_is_name, name))
    return isinstance(name, str | Integral) and not isinstance(name, bool)


def _refuse_columns(src: str, given: Any) -> None:
    if src:
        advice = (
            "write them in the SPEC, as in pairs.csv#src=en,tgt=de"
            if isinstance(given, str)
            else "leave it out"
        )
        raise UserError(f"`columns` is for a Dataset or a DataFrame; {advice}.")


def _is_list_of_pairs(given: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(given, list | tuple) and not (given and isinstance(given[0], Mapping))


def _of_pairs(given: Sequence[Any]) -> Corpus:
    for number, row in enumerate(given, 1):
        is_pair = isinstance(row, list | tuple) and len(row) == 2
        if not is_pair or not all(isinstance(text, str) for text in row):
            raise UserError(
                f"Item {number} of the list is {shortened(repr(row))}; each must be a (source, target) pair of strings."
            )
        for text in row:
            if not is_usable(text):
                raise unusable(text, f"Item {number:,} of the list")
    pairs = tuple(
        Pair(one_line(src), one_line(tgt)) for src, tgt in given if src.strip() and tgt.strip()
    )
    if not pairs:
        raise UserError("The list has no pair with text on both sides; give at least one.")
    n_lost = len(given) - len(pairs)
    notes = broken_note(map("".join, given))
    if n_lost:
        notes.append(f"{n_lost:,} of {len(given):,} pairs have no text on a side and were dropped.")
    return Corpus("pairs", "train", pairs, tuple(notes))


def _dataset(given: Any) -> datasets.Dataset:
    import datasets
    import pandas as pd

    if isinstance(given, list | tuple):
        return interop.from_columns(_columns_of(given), "The list")
    if isinstance(given, Mapping) and not isinstance(
        given, datasets.DatasetDict | datasets.IterableDatasetDict
    ):
        return interop.from_columns(given, "The dictionary")
    if isinstance(given, pd.DataFrame):
        return interop.from_pandas(given)
    interop.require_dataset(given)
    if isinstance(given, datasets.Dataset):
        return given
    if hasattr(given, "__arrow_c_stream__") and hasattr(given, "columns"):  # pyarrow, polars
        return interop.from_arrow(given)
    raise UserError(f"The data is a {kind_of(given)}; {ALLOWED}.")


def _columns_of(rows: Sequence[Any]) -> dict[str, list[Any]]:
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise UserError(
                f"Item {number} of the list is {shortened(repr(row))}, and item 1 a dictionary; give one kind of them."
            )
    keys = dict.fromkeys(key for row in rows for key in row)
    return {key: [row.get(key) for row in rows] for key in keys}
