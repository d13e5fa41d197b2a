"""Text columns of Arrow's types, as .parquet files and `datasets` have them. Knows nothing of source and target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from s2s.data.formats import chats
from s2s.data.formats.columns import Column, of_chat
from s2s.data.formats.encodings import not_utf8
from s2s.data.formats.table import TableRow, cell, flat

if TYPE_CHECKING:
    import pyarrow as pa

MAX_TYPE = 40  # characters of a type's name
MEDIA = "images or audio"  # which `datasets` stores as {bytes, path}


def columns(field: pa.Field) -> Iterator[Column]:
    """The columns of a field: each field of a struct, or of the structs in a list, is one, `translation.en`."""
    import pyarrow.types as kinds

    is_listed = is_list_of_structs(field.type)
    struct = field.type.value_type if is_listed else field.type
    if not kinds.is_struct(struct) or not struct.num_fields:
        yield _column(field.name, field.type)
    elif {"bytes", "path"} == {inner.name for inner in struct}:
        yield Column(field.name, "other", MEDIA)
    else:
        for inner in struct:
            yield _column(f"{field.name}.{inner.name}", inner.type, is_listed=is_listed)
        if is_listed and chats.has_keys(inner.name for inner in struct):
            yield from of_chat(field.name)


def _column(name: str, of: pa.DataType, *, is_listed: bool = False) -> Column:
    import pyarrow.types as kinds

    kind = _kind(of)
    if is_listed:
        kind = "texts" if kind == "text" else "other"
    shown = of.value_type if _is_list(of) and kinds.is_integer(of.value_type) else of
    return Column(name, kind, str(shown)[:MAX_TYPE] if kind == "other" else "")


def is_list_of_structs(of: pa.DataType) -> bool:
    """Whether each value is a list of structs, such as several translations."""
    import pyarrow.types as kinds

    return bool(_is_list(of) and kinds.is_struct(of.value_type) and of.value_type.num_fields)


def _is_list(of: pa.DataType) -> bool:
    import pyarrow.types as kinds

    return bool(kinds.is_list(of) or kinds.is_large_list(of))


def _kind(of: pa.DataType) -> str:
    import pyarrow.types as kinds

    if _is_list(of):
        inner = of.value_type.value_type if _is_list(of.value_type) else of.value_type
        return "texts" if _kind(inner) == "text" else "other"
    of = of.value_type if kinds.is_dictionary(of) else of
    return "text" if kinds.is_string(of) or kinds.is_large_string(of) else "other"


def values(batch: pa.RecordBatch | pa.Table, name: str) -> list[str | None]:
    """The texts of one column, or of one field of a struct or of the structs in a list."""
    if name in batch.schema.names:
        found = batch.column(name)
    else:
        outer, _, inner = name.partition(".")
        column = batch.column(outer)
        if is_list_of_structs(column.type):
            if column.type.value_type.get_field_index(inner) < 0:
                return [flat(chats.columns(outer, each)[name]) for each in column.to_pylist()]
            return [_of_each(structs, inner) for structs in column.to_pylist()]
        found = column.flatten()[column.type.get_field_index(inner)]
    texts: list[Any] = found.to_pylist()
    return (
        texts
        if _kind(found.type) == "text"
        else [cell(chats.exchanges(name, text)) for text in texts]
    )


def rows(
    batches: Iterable[pa.RecordBatch | pa.Table], names: Sequence[str], of: str, n_before: int = 0
) -> Iterator[TableRow]:
    """The texts of these columns, numbered from the first row after `n_before`.

    Raises UserError for a text that is not UTF-8, which pyarrow does not check; `of` is what has the rows.
    """
    number = n_before
    for batch in batches:
        texts = [_texts(batch, name, number, of) for name in names]
        for fields in zip(*texts, strict=True):
            number += 1
            yield TableRow(number, fields)


def _texts(batch: pa.RecordBatch | pa.Table, name: str, n_before: int, of: str) -> list[str | None]:
    try:
        return values(batch, name)
    except UnicodeDecodeError as error:
        at = _first_undecodable(batch, name)
        raise not_utf8(error, f"Row {n_before + at + 1:,} of `{of}`") from error


def _first_undecodable(batch: pa.RecordBatch | pa.Table, name: str) -> int:
    for at in range(batch.num_rows):
        try:
            values(batch.slice(at, 1), name)
        except UnicodeDecodeError:
            return at
    raise ValueError(f"every text of `{name}` is UTF-8")


def _of_each(structs: list[dict[str, Any] | None] | None, inner: str) -> str | None:
    return flat([(struct or {}).get(inner) or "" for struct in structs or ()])
