"""Tables that `datasets` reads in a process of its own: Arrow, tar archives of examples (WebDataset), and XML.

The process gets a builder's name and files that were listed before; no name is ever looked up, and nothing that a
dataset says decides what is read.
"""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s import hub
from s2s.config import UserError, shortened
from s2s.data.formats.columns import Column
from s2s.data.formats.made import extended
from s2s.data.formats.streams import ReadingBudget, format_size
from s2s.data.formats.table import Table, TableRow, begun, checked, picked, read_once
from s2s.data.reader_start import start_reader
from s2s.data.repository.origins import Origin

MAX_MEMORY = 2_000_000_000  # bytes of address space
MAX_LINE = 64_000_000  # bytes of one row; the reader's own limits are smaller

# `datasets` asks the Hub for nothing by itself and opens only what this program hands it; torch would cost seconds.
QUIET = MappingProxyType(
    {
        "HF_DATASETS_OFFLINE": "1",
        "HF_UPDATE_DOWNLOAD_COUNTS": "0",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "USE_TORCH": "0",
        "USE_TF": "0",
        "USE_JAX": "0",
    }
)


class Builder(NamedTuple):
    """A builder of `datasets`, with its arguments."""

    name: str
    arguments: Mapping[str, Any] = MappingProxyType({})


BUILDERS: Mapping[str, Builder] = MappingProxyType(
    {
        "arrow": Builder("arrow"),
        "tar": Builder("webdataset"),
        # `xml` itself cannot stream (datasets 5.2); as this does, it gives one text per file.
        "xml": Builder("text", MappingProxyType({"sample_by": "document"})),
    }
)


def needs_library(file: hub.File) -> bool:
    """Whether a file is read with `datasets`."""
    return hub.kind(file.path) in BUILDERS


def table(
    origin: Origin, file: hub.File, budget: ReadingBudget, max_bytes: int | None = None
) -> Table:
    """A file's columns and rows; with `max_bytes` only rows from that much of its start.

    Raises UserError for what `datasets` cannot read, and when a limit is exceeded.
    """
    reading = _Reading(origin, file, budget, max_bytes)
    columns = tuple(Column(*column) for column in reading.header["columns"])
    rows = reading.rows()
    first = begun(rows, f"`{reading.name}` is empty; choose another split.")
    head, read = read_once(first, rows, len(columns), picked)
    table = Table(
        columns, head, lambda chosen: checked(read(chosen), reading.name, "row"), unit="row"
    )
    return extended(table)


class _Reading:
    """One process, and the lines that it writes: the columns, a list of texts per row, and how it ended."""

    def __init__(
        self, origin: Origin, file: hub.File, budget: ReadingBudget, max_bytes: int | None
    ) -> None:
        self.name = f"{origin.name}/{file.path}"
        self._origin = origin
        self._budget = budget
        builder = BUILDERS[hub.kind(file.path)]
        place = origin.order()
        order = {
            "origin": place,
            "file": list(file),
            "builder": builder.name,
            "arguments": dict(builder.arguments),
            "memory": MAX_MEMORY,
            "seconds": budget.seconds_left,
            "max_bytes": max_bytes,
            "cell": budget.caps.cell,
        }
        self._process = start_reader(
            "s2s.data.repository.library_process",
            order,
            stdout=subprocess.PIPE,
            from_hub="folder" not in place,
            variables=QUIET,
        )
        budget.close_later(_Closing(self._process))
        self.header = self._next()

    def rows(self) -> Iterator[TableRow]:
        """The rows; the process ends with them."""
        for number in itertools.count(1):
            line = self._next()
            if isinstance(line, dict):
                self._origin.spend(line["downloaded"])
                self._process.wait()
                return
            self._budget.charge_unpacked(
                self.name, sum(len(text) for text in line if text is not None)
            )
            yield TableRow(number, line)

    def _next(self) -> Any:
        """The next line. Raises UserError where it is an error, or where the process ended without one."""
        assert self._process.stdout is not None  # PIPE
        self._budget.check_time(self.name)
        line = self._process.stdout.readline(MAX_LINE)
        self._budget.check_time(self.name)
        if not line.endswith(b"\n"):
            self._process.kill()
            self._process.wait()
            raise UserError(
                f"`{shortened(self.name)}` could not be read within {format_size(MAX_MEMORY)} of memory, the reader's"
                " limit; choose another dataset, or convert it to parquet."
            )
        answer = json.loads(line)
        if isinstance(answer, dict) and answer.get("error"):
            self._process.wait()
            raise UserError(answer["error"])
        return answer


class _Closing:
    """Ends a process when the reading's files are closed."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def close(self) -> None:
        """Kills the process, if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
