"""Text columns of a .parquet file, read in small batches. Knows nothing of source and target."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from s2s.config import UserError
from s2s.data.formats import streams
from s2s.data.formats.columns import Column
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import HEAD, Table, TableRow, flat

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

BATCH = 256  # rows; small, because dictionary encoding hides the size of a row until it is read
HEAD_BATCH = 10  # rows per batch while the head is read
FAULT = "without a text in both fields"


class _OutputBudget:
    """Compares the bytes read with the limits and with the size of the file."""

    def __init__(self, name: str, size: int, budget: ReadingBudget) -> None:
        self.name = name
        self.size = size
        self.budget = budget
        self._n_bytes = 0

    def charge(self, n_bytes: int) -> None:
        self._n_bytes += n_bytes
        self.budget.charge_unpacked(self.name, n_bytes)
        streams.check_ratio(self.name, self._n_bytes, self.size)
        self.budget.check_time(self.name)


def parquet(content: Content, budget: ReadingBudget) -> Table:
    """Columns of strings and lists of strings; each field of a struct is a column: `translation.en`."""
    import pyarrow.parquet as pq

    raw = streams.seekable(content, budget)
    with _broken(content.name):
        file = pq.ParquetFile(raw, memory_map=False, pre_buffer=False)
        budget.check_columns(content.name, file.metadata.num_columns)
        columns = tuple(column for field in file.schema_arrow for column in _columns(field))
    _check_footer(file.metadata, content.name, raw, budget)
    if not file.metadata.num_rows:
        raise UserError(f"`{content.name}` is empty; give a file with at least one pair.")

    def rows(chosen: Sequence[int], batch_size: int = BATCH) -> Iterator[TableRow]:
        size = raw.seek(0, io.SEEK_END)
        return _rows(
            file,
            [columns[at].name for at in chosen],
            _OutputBudget(content.name, size, budget),
            batch_size,
        )

    texts = [at for at, column in enumerate(columns) if column.kind != "other"]
    head = tuple(
        _padded(row, texts, len(columns)) for row in itertools.islice(rows(texts, HEAD_BATCH), HEAD)
    )
    too_narrow = (
        f"`{content.name}` has fewer than two columns; give a table with a source and a target."
    )
    return Table(columns, head, rows, True, FAULT, too_narrow, unit="row")


def _check_footer(
    footer: pq.FileMetaData, name: str, raw: IO[bytes], budget: ReadingBudget
) -> None:
    """Refuses too large a row group before pyarrow reads it; dictionaries are checked while reading."""
    largest = max(
        (footer.row_group(at).total_byte_size for at in range(footer.num_row_groups)), default=0
    )
    streams.check_ratio(name, largest, raw.seek(0, io.SEEK_END))
    if largest > budget.caps.unpacked:
        raise UserError(
            f"`{name}` has a row group of {largest / 1e6:,.0f} MB, more than the limit of"
            f" {budget.caps.unpacked / 1e6:,.0f} MB (`unpacked`)."
        )


def _columns(field: pa.Field) -> Iterator[Column]:
    import pyarrow.types as kinds

    if kinds.is_struct(field.type) and field.type.num_fields:
        yield from (Column(f"{field.name}.{inner.name}", _kind(inner.type)) for inner in field.type)
    else:
        yield Column(field.name, _kind(field.type))


def _kind(of: pa.DataType) -> str:
    import pyarrow.types as kinds

    if kinds.is_list(of) or kinds.is_large_list(of):
        return "texts" if _kind(of.value_type) == "text" else "other"
    of = of.value_type if kinds.is_dictionary(of) else of
    return "text" if kinds.is_string(of) or kinds.is_large_string(of) else "other"


def _padded(row: TableRow, at: Sequence[int], width: int) -> TableRow:
    fields: list[str | None] = [None] * width
    for index, field in zip(at, row.fields or (), strict=True):
        fields[index] = field
    return TableRow(row.number, fields)


def _rows(
    file: pq.ParquetFile, names: Sequence[str], output: _OutputBudget, batch_size: int
) -> Iterator[TableRow]:
    import pyarrow.types as kinds

    number = 0
    has_dictionary = any(kinds.is_dictionary(field.type) for field in file.schema_arrow)
    with _broken(output.name):
        for batch in file.iter_batches(batch_size, columns=names, use_threads=False):
            output.charge(batch.nbytes)
            columns = [_values(batch, name) for name in names]
            if has_dictionary:  # nbytes does not include the decoded texts
                output.charge(sum(len(text) for column in columns for text in column if text))
            for fields in zip(*columns, strict=True):
                number += 1
                yield TableRow(number, fields)


def _values(batch: pa.RecordBatch, name: str) -> list[str | None]:
    """The texts of one column, or of one field of a struct."""
    if name in batch.schema.names:
        values = batch.column(name)
    else:
        outer, _, inner = name.partition(".")
        struct = batch.column(outer)
        values = struct.flatten()[struct.type.get_field_index(inner)]
    found: list[Any] = values.to_pylist()
    return found if _kind(values.type) == "text" else [flat(value) for value in found]


@contextmanager
def _broken(name: str) -> Iterator[None]:
    """Turns pyarrow's errors about a damaged or too large file into a UserError; our own mistakes pass."""
    import pyarrow as pa

    try:
        yield
    except UserError:
        raise
    except MemoryError as error:
        raise UserError(
            f"`{name}` needs more memory than the reader may use; give a part of it."
        ) from error
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"`{name}` is not a complete .parquet file ({streams.why(error)}); write it again, or export it as .tsv."
        ) from error
