"""Pairs that a Python program holds: a datasets.Dataset, a pandas DataFrame, a list of pairs, a Corpus or a SPEC."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from s2s.config import UserError, shortened
from s2s.data import interop
from s2s.data.corpus import Corpus, one_line
from s2s.data.formats.pairing import FileOptions
from s2s.data.formats.reference_columns import Row, read_references
from s2s.data.pair import Pair
from s2s.data.sources import load

if TYPE_CHECKING:
    import datasets
    import pandas as pd


GivenPairs: TypeAlias = (
    "str | Corpus | datasets.Dataset | pd.DataFrame | Sequence[tuple[str, str] | list[str]]"
)
ALLOWED = "give a datasets.Dataset, a pandas DataFrame, a list of (source, target) pairs, or a SPEC"


def as_corpus(given: GivenPairs, columns: Sequence[str] = ()) -> Corpus:
    """The pairs of any of these; `columns` names the source and the target of a table, and is guessed without.

    Raises UserError for anything else, for an unknown column, and where no row has text on both sides.
    """
    src, tgt = _two(columns)
    if isinstance(given, str | Corpus):
        _refuse_columns(columns, given)
        return load(given) if isinstance(given, str) else given
    if _is_list(given):
        _refuse_columns(columns, given)
        return _of_pairs(given)
    return Corpus.from_datasets(_dataset(given), src, tgt)


def as_references(given: GivenPairs, columns: Sequence[str] = ()) -> list[Row]:
    """Each source with its references, in order.

    A table has several in columns `ref1`, `ref2`, ..., or in a list; the same source may come several times. Raises
    UserError as `as_corpus` does, and for plain text, which has no references.
    """
    src, tgt = _two(columns)
    if isinstance(given, str | Corpus) or _is_list(given):
        corpus = as_corpus(given, columns)
        if corpus.is_plain:
            raise UserError(f"`{corpus.spec}` is plain text and has no references; give pairs.")
        return [(pair.src, (pair.tgt, *pair.more)) for pair in corpus.pairs]
    dataset = _dataset(given)
    texts = interop.text_columns(dataset, src, tgt)
    fields = {text.rpartition(".")[0] for text in texts} | {*texts}
    dataset = dataset.select_columns([name for name in dataset.column_names if name in fields])
    # As options, digits are the number of a column; at the end of a name, that of a reference.
    named = {name: f"({name})" for name in dataset.column_names if name.isdecimal()}
    dataset = dataset.rename_columns(named)
    src, tgt = named.get(src, src), named.get(tgt, tgt)
    lines = dataset.to_pandas().to_json(orient="records", lines=True)
    return read_references("data.jsonl", lines.encode(), FileOptions(src=src, tgt=tgt)).rows


def _two(columns: Sequence[str]) -> tuple[str, str]:
    if isinstance(columns, str) or len(columns) not in (0, 2):
        raise UserError(
            f"`columns` is {shortened(repr(columns))}; give two names, the source's and the target's, or leave it out."
        )
    src, tgt = columns or ("", "")
    return src, tgt


def _refuse_columns(columns: Sequence[str], given: Any) -> None:
    if columns:
        advice = (
            "write them in the SPEC, as in pairs.csv#src=en,tgt=de"
            if isinstance(given, str)
            else "leave it out"
        )
        raise UserError(f"`columns` is for a Dataset or a DataFrame; {advice}.")


def _is_list(given: Any) -> bool:
    return isinstance(given, list | tuple)


def _of_pairs(given: Sequence[Any]) -> Corpus:
    """Rows without text on both sides are dropped, and counted in a note."""
    for number, row in enumerate(given, 1):
        is_pair = isinstance(row, list | tuple) and len(row) == 2
        if not is_pair or not all(isinstance(text, str) for text in row):
            raise UserError(
                f"Item {number} of the list is {shortened(repr(row))}; each must be a (source, target) pair of strings."
            )
    pairs = tuple(
        Pair(one_line(src), one_line(tgt)) for src, tgt in given if src.strip() and tgt.strip()
    )
    if not pairs:
        raise UserError("The list has no pair with text on both sides; give at least one.")
    n_lost = len(given) - len(pairs)
    notes = (f"{n_lost:,} of {len(given):,} pairs have no text on a side and were dropped.",)
    return Corpus("pairs", "train", pairs, notes if n_lost else ())


def _dataset(given: Any) -> datasets.Dataset:
    """A table of the `datasets` library. What is neither that nor a DataFrame is refused."""
    import datasets
    import pandas as pd
    import pyarrow as pa

    if isinstance(given, pd.DataFrame):
        try:
            return datasets.Dataset.from_pandas(given, preserve_index=False)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise UserError(
                f"The DataFrame cannot be read ({shortened(error)}); give two columns of strings."
            ) from error
    interop.require_dataset(given)
    if not isinstance(given, datasets.Dataset):
        raise UserError(f"The data is a {type(given).__name__}; {ALLOWED}.")
    return given
