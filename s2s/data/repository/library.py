"""Tables that `datasets` reads in a process of its own: Arrow, tar archives of examples (WebDataset), and XML.

The process gets a builder's name and files that were listed before; no name is ever looked up, and nothing that a
dataset says decides what is read.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s import hub
from s2s.config import UserError, shortened
from s2s.data.formats.columns import Column
from s2s.data.formats.made import extended
from s2s.data.formats.streams import ReadingBudget, format_size
from s2s.data.formats.table import Table, TableRow, begun, checked, picked, read_once
from s2s.data.repository.origins import Origin
from s2s.processes import bounds
from s2s.processes.program import EndedError, Program, TooLargeError, ask

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


FOLDER_LIBRARY = Program("s2s.data.repository.library_process:answer", "reader", variables=QUIET)
HUB_LIBRARY = replace(FOLDER_LIBRARY, from_hub=True)


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
    name = f"{origin.name}/{file.path}"
    answers = budget.close_later(_answers(name, origin, file, budget, max_bytes))
    columns = tuple(Column(*column) for column in next(answers)["columns"])
    rows = _rows(name, origin, answers, budget)
    first = begun(rows, f"`{name}` is empty; choose another split.")
    head, read = read_once(first, rows, len(columns), picked)
    table = Table(columns, head, lambda chosen: checked(read(chosen), name, "row"), unit="row")
    return extended(table)


def _answers(
    name: str, origin: Origin, file: hub.File, budget: ReadingBudget, max_bytes: int | None
) -> Generator[dict[str, Any]]:
    builder = BUILDERS[hub.kind(file.path)]
    place = origin.order()
    order = {
        "origin": place,
        "file": list(file),
        "builder": builder.name,
        "arguments": dict(builder.arguments),
        "max_bytes": max_bytes,
        "cell": budget.caps.cell,
    }
    program = FOLDER_LIBRARY if "folder" in place else HUB_LIBRARY
    answers = ask(program, order, seconds=budget.seconds_left, memory=bounds.LIBRARY_MEMORY)
    try:
        with contextlib.closing(answers):
            for answer in answers:
                budget.check_time(name)
                yield answer
    except TooLargeError:
        raise UserError(
            f"`{shortened(name)}` needs more memory than the reader may use; choose another dataset, or convert it to"
            " parquet."
        ) from None
    except (EndedError, TimeoutError):
        budget.check_time(name)
        raise UserError(
            f"`{shortened(name)}` could not be read within {format_size(bounds.LIBRARY_MEMORY)} of memory, the reader's"
            " limit; choose another dataset, or convert it to parquet."
        ) from None
    except OSError as error:
        raise UserError(
            f"The dataset cannot be read now ({error.strerror or error}); try again later."
        ) from error


def _rows(
    name: str, origin: Origin, answers: Iterator[dict[str, Any]], budget: ReadingBudget
) -> Iterator[TableRow]:
    number = 0
    for answer in answers:
        for texts in answer.get("rows", ()):
            number += 1
            budget.charge_unpacked(name, sum(len(text) for text in texts if text is not None))
            yield TableRow(number, texts)
        origin.spend(answer.get("downloaded", 0))
