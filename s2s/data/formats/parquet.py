"""Text columns of a .parquet file, read in small batches. Knows nothing of source and target."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from s2s.config import UserError
from s2s.data.formats import arrow, streams
from s2s.data.formats.made import extended, made_of
from s2s.data.formats.objects import unfolded
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import (
    EmptyError,
    Table,
    TableRow,
    check_names,
    checked,
    first_rows,
)
from s2s.files import archives

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

BATCH = 256  # rows; small, because dictionary encoding hides the size of a row until it is read
HEAD_BATCH = 10  # rows per batch while the head is read


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
        archives.check_ratio(self.name, self._n_bytes, self.size)
        self.budget.check_time(self.name)

    def charged(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        self.charge(batch.nbytes)
        return batch


class RowGroups:
    """An opened .parquet file: its columns, and its groups of rows, which can be read one by one."""

    def __init__(self, content: Content, budget: ReadingBudget) -> None:
        import pyarrow.parquet as pq

        self._name = content.name
        self._budget = budget
        self._raw = streams.seekable(content, budget)
        with _broken(content.name):
            self._file = pq.ParquetFile(self._raw, memory_map=False, pre_buffer=False)
            budget.check_columns(content.name, self._file.metadata.num_columns)
            fields = list(self._file.schema_arrow)
        self.columns = tuple(column for field in fields for column in arrow.columns(field))
        self._listed: dict[str, str] = {
            column.name: field.name
            for field in fields
            if arrow.is_list_of_structs(field.type)
            for column in arrow.columns(field)
        }
        check_names((column.name for column in self.columns), f"`{content.name}`")
        _check_footer(self._file.metadata, content.name, self._raw, budget)
        if not self._file.metadata.num_rows:
            raise EmptyError(f"`{content.name}` is empty; give a file with at least one pair.")

    @property
    def n_rows(self) -> list[int]:
        footer = self._file.metadata
        return [footer.row_group(at).num_rows for at in range(footer.num_row_groups)]

    def n_bytes(self, chosen: Sequence[int]) -> list[int]:
        """Bytes of each group that reading the columns of the table with these indices takes."""
        footer = self._file.metadata
        made = {len(self.columns): made_of(self.columns)}
        names = {self._stored_name(each) for at in chosen for each in made.get(at, (at,))}
        parts = [
            at
            for at in range(footer.num_columns)
            if any(_is_inside(footer.schema.column(at).path, name) for name in names)
        ]
        return [
            sum(footer.row_group(at).column(part).total_compressed_size for part in parts)
            for at in range(footer.num_row_groups)
        ]

    def table(self, groups: Sequence[int] | None = None, head: tuple[TableRow, ...] = ()) -> Table:
        """The rows of all groups, or of the given consecutive ones, as a table."""
        return extended(
            Table(
                self.columns,
                head,
                lambda chosen: checked(self._rows(chosen, groups), self._name, "row"),
                too_narrow=f"`{self._name}` has fewer than two columns; give a table with a source and a target.",
                unit="row",
            )
        )

    def head(self) -> tuple[TableRow, ...]:
        """The first rows, whatever characters their texts have."""
        return first_rows(self.columns, lambda chosen: self._rows(chosen, None, HEAD_BATCH))

    def _rows(
        self, chosen: Sequence[int], groups: Sequence[int] | None, batch_size: int = BATCH
    ) -> Iterator[TableRow]:
        import pyarrow.types as kinds

        size = self._raw.seek(0, io.SEEK_END)
        output = _OutputBudget(self._name, size, self._budget)
        names = [self.columns[at].name for at in chosen]
        stored = [self._stored_name(at) for at in chosen]
        has_dictionary = any(kinds.is_dictionary(field.type) for field in self._file.schema_arrow)
        n_before = sum(self.n_rows[: groups[0]]) if groups else 0
        with _broken(self._name):
            batches = self._file.iter_batches(
                batch_size, row_groups=groups, columns=stored, use_threads=False
            )
            rows = arrow.rows(map(output.charged, batches), names, self._name, n_before)
            for row in rows:
                if has_dictionary:  # nbytes does not include the decoded texts
                    output.charge(sum(len(text) for text in row.fields or () if text))
                yield row

    def _stored_name(self, at: int) -> str:
        name = self.columns[at].name
        return self._listed.get(name, name)


def parquet(content: Content, budget: ReadingBudget) -> Table:
    """Columns of strings and lists of strings; each field of a struct is a column: `translation.en`."""
    budget.check_no_encoding(content.name)
    file = RowGroups(content, budget)
    return unfolded(file.table(head=file.head()))


def _check_footer(
    footer: pq.FileMetaData, name: str, raw: IO[bytes], budget: ReadingBudget
) -> None:
    """Refuses too large a row group before pyarrow reads it; dictionaries are checked while reading."""
    largest = max(
        (footer.row_group(at).total_byte_size for at in range(footer.num_row_groups)), default=0
    )
    archives.check_ratio(name, largest, raw.seek(0, io.SEEK_END))
    if largest > budget.caps.unpacked:
        raise UserError(
            f"`{name}` has a row group of {largest / 1e6:,.0f} MB, more than the limit of"
            f" {budget.caps.unpacked / 1e6:,.0f} MB (`unpacked`)."
        )


def _is_inside(path: str, name: str) -> bool:
    """Whether a stored column belongs to a field: `translations.list.element.en` to `translations`."""
    return path == name or path.startswith(f"{name}.")


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
            f"`{name}` is not a complete .parquet file ({archives.why(error)}); write it again, or export it as .tsv."
        ) from error
