"""Columns of text in a .parquet file, read in small batches. Knows nothing of source and target."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from s2s.config import UserError
from s2s.data.formats import streams
from s2s.data.formats.columns import Column
from s2s.data.formats.streams import Content, Meter
from s2s.data.formats.table import HEAD, Row, Sheet, flat

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

BATCH = 256  # rows: a dictionary makes long texts of short numbers, so that nobody knows how much a row is before it is read
SMALL = 10  # rows of a batch of the head
FAULT = "without a text in both fields"


class _Watched:
    """Weighs what comes out of a file against the caps and against the size of the file."""

    def __init__(self, name: str, size: int, meter: Meter) -> None:
        self.name = name
        self.size = size
        self.meter = meter
        self._n_bytes = 0

    def weigh(self, n_bytes: int) -> None:
        self._n_bytes += n_bytes
        self.meter.unpack(self.name, n_bytes)
        streams.check_ratio(self.name, self._n_bytes, self.size)
        self.meter.tick(self.name)


def parquet(content: Content, meter: Meter) -> Sheet:
    """Columns of strings, of lists of strings, and of structs of strings, which are one column each: `translation.en`."""
    import pyarrow.parquet as pq

    raw = streams.seekable(content, meter)
    with _broken(content.name):
        file = pq.ParquetFile(raw, memory_map=False, pre_buffer=False)
        columns = tuple(column for field in file.schema_arrow for column in _columns(field))
    _weigh_footer(file.metadata, content.name, raw, meter)
    if not file.metadata.num_rows:
        raise UserError(f"`{content.name}` is empty; give a file with at least one pair.")

    def rows(chosen: Sequence[int], batch_size: int = BATCH) -> Iterator[Row]:
        size = raw.seek(0, io.SEEK_END)
        return _rows(
            file,
            [columns[at].name for at in chosen],
            _Watched(content.name, size, meter),
            batch_size,
        )

    texts = [at for at, column in enumerate(columns) if column.kind != "other"]
    head = tuple(
        _padded(row, texts, len(columns)) for row in itertools.islice(rows(texts, SMALL), HEAD)
    )
    narrow = (
        f"`{content.name}` has fewer than two columns; give a table with a source and a target."
    )
    return Sheet(columns, head, rows, True, FAULT, narrow, counted="row")


def _weigh_footer(footer: pq.FileMetaData, name: str, raw: IO[bytes], meter: Meter) -> None:
    """A part that is large by its own account is refused before pyarrow unpacks it; what a dictionary hides is weighed as it comes."""
    largest = max(
        (footer.row_group(at).total_byte_size for at in range(footer.num_row_groups)), default=0
    )
    streams.check_ratio(name, largest, raw.seek(0, io.SEEK_END))
    if largest > meter.caps.unpacked:
        raise UserError(
            f"`{name}` has a part of {largest / 1e6:,.0f} MB, more than the {meter.caps.unpacked / 1e6:,.0f} MB of `unpacked`."
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


def _padded(row: Row, at: Sequence[int], width: int) -> Row:
    fields: list[str | None] = [None] * width
    for place, field in zip(at, row.fields or (), strict=True):
        fields[place] = field
    return Row(row.number, fields)


def _rows(
    file: pq.ParquetFile, names: Sequence[str], watched: _Watched, batch_size: int
) -> Iterator[Row]:
    import pyarrow.types as kinds

    number = 0
    has_dictionary = any(kinds.is_dictionary(field.type) for field in file.schema_arrow)
    with _broken(watched.name):
        for batch in file.iter_batches(batch_size, columns=names, use_threads=False):
            watched.weigh(batch.nbytes)
            columns = [_values(batch, name) for name in names]
            if has_dictionary:  # whose batches weigh next to nothing, whatever they say
                watched.weigh(sum(len(text) for column in columns for text in column if text))
            for fields in zip(*columns, strict=True):
                number += 1
                yield Row(number, fields)


def _values(batch: pa.RecordBatch, name: str) -> list[str | None]:
    """One column, that of a struct included."""
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
    """What pyarrow says of a file that is not whole; with a cap on memory, also of one that would need more."""
    import pyarrow as pa

    try:
        yield
    except UserError:
        raise
    except MemoryError as error:
        raise UserError(
            f"`{name}` needs more memory than a reading may take; give a part of it."
        ) from error
    except (
        pa.ArrowException,
        OSError,
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        NotImplementedError,
    ) as error:
        raise UserError(
            f"`{name}` is no whole .parquet file ({streams.why(error)}); write it again, or export it as .tsv."
        ) from error
