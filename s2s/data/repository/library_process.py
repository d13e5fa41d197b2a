"""The process that `library` starts: reads a file with `datasets`; yields columns, rows, and bytes downloaded."""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from s2s import hub, settings
from s2s.config import UserError, shortened
from s2s.data.formats import arrow
from s2s.data.formats.columns import holds_numbers
from s2s.data.formats.streams import ReadThrough
from s2s.data.repository.origins import Origin, from_order
from s2s.processes import bounds

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa

PROTOCOL = "s2sfile"
BATCH = 64  # rows
TWICE = re.compile(r'Field "(.*)" exists (\d+) times in schema')  # pyarrow's words
TEXT_DECODERS = ("txt", "text", "transcript", "json", "jsn")


def answer(order: Mapping[str, Any], _: object) -> Iterator[Any]:
    incoming = (
        settings.make_home() / "incoming"
    )  # where it is removed even if this process is killed
    incoming.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=incoming) as cache:
        os.environ["HF_HOME"] = cache  # read at import; streaming writes nothing there
        yield from answers(order)


def answers(order: Mapping[str, Any]) -> Iterator[Any]:
    """The file's columns and rows. Raises UserError for whatever a damaged file makes the library raise."""
    origin = from_order(order["origin"])
    file = hub.File(*order["file"])
    opened = _Counted(origin, file)
    try:
        yield from _contents(order, opened)
    except Exception as error:
        if isinstance(error, UserError) or bounds.is_out_of_memory(error):
            raise
        # Log where, not what: an exception's message may quote the file.
        frames = traceback.format_tb(error.__traceback__)
        print(type(error).__name__, *frames, sep="\n", file=sys.stderr)
        raise UserError(_explain(f"{origin.name}/{file.path}", opened, error)) from None
    yield {"downloaded": opened.n_bytes}


def _explain(name: str, opened: _Counted, error: Exception) -> str:
    if opened.error:
        return str(opened.error)
    message = error.args[0] if error.args and isinstance(error.args[0], str) else ""
    if twice := TWICE.search(message):
        return (
            f"`{shortened(name)}` has {twice[2]} columns named `{shortened(twice[1], 60)}`; give each column a"
            " different name."
        )
    if "Invalid UTF8" in message:
        return (
            f"`{shortened(name)}` has a text that is not UTF-8; write it again from texts that are."
        )
    kind = {
        "arrow": "an .arrow file",
        "tar": "a .tar archive of examples (WebDataset)",
        "xml": "text",
    }
    return (
        f"`{shortened(name)}` is not {kind[hub.kind(name)]} that can be read here ({type(error).__name__}); choose"
        " another dataset."
    )


def _contents(order: Mapping[str, Any], opened: _Counted) -> Iterator[Any]:
    import datasets
    from datasets.packaged_modules.webdataset import webdataset

    for extension in set(webdataset.DECODERS) - set(TEXT_DECODERS):
        del webdataset.DECODERS[extension]  # arrays and tensors are no text
    _register(opened)
    stream = datasets.load_dataset(
        order["builder"],
        data_files={"train": [f"{PROTOCOL}://{opened.file.path}"]},
        split="train",
        streaming=True,
        **order["arguments"],
    )
    columns = None
    for batch in _tables(stream):
        if columns is None:
            fields = [field for field in batch.schema if not field.name.startswith("__")]
            columns = [column for field in fields for column in arrow.columns(field)]
            yield {"columns": columns}
        texts = [
            arrow.values(batch, column.name)
            if column.kind != "other" or holds_numbers(column)
            else [None] * len(batch)
            for column in columns
        ]
        limit = order["cell"] + 1
        rows = zip(*texts, strict=True)
        yield {"rows": [[text if text is None else text[:limit] for text in row] for row in rows]}
        if order["max_bytes"] and opened.n_bytes >= order["max_bytes"]:
            return
    if columns is None:
        yield {"columns": []}


def _tables(stream: datasets.IterableDataset) -> Iterator[pa.Table]:
    """Batches of rows; images and audio stay bytes.

    Not by `with_format("arrow")`, which fails on the last rows of a .tar (datasets 5.2).
    """
    import pyarrow as pa

    schema = stream.features.arrow_schema if stream.features else None
    for batch in (stream.decode(False) if schema else stream).iter(BATCH):
        yield pa.Table.from_pydict(batch, schema)


class _Counted:
    """A file, however often it is opened: the bytes read from it, and the error that stopped it."""

    def __init__(self, origin: Origin, file: hub.File) -> None:
        self.origin = origin
        self.file = file
        self.n_bytes = 0
        self.error: UserError | None = None

    def open(self) -> io.RawIOBase:
        """The file, whose reads are counted."""
        return _CountedFile(self)


class _CountedFile(ReadThrough):
    def __init__(self, counted: _Counted) -> None:
        super().__init__(counted.origin.open(counted.file))
        self._counted = counted

    def readinto(self, buffer: Any) -> int:
        try:
            n_bytes = super().readinto(buffer)
        except UserError as error:
            self._counted.error = error
            raise
        self._counted.n_bytes += n_bytes
        return n_bytes


def _register(opened: _Counted) -> None:
    """Makes the file known to `fsspec`, through which `datasets` opens it: a file system that holds nothing else."""
    import fsspec
    from fsspec.spec import AbstractFileSystem

    path = opened.file.path

    class OneFile(AbstractFileSystem):  # type: ignore[misc]
        protocol = PROTOCOL
        cachable = False

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            return str(path).removeprefix(f"{PROTOCOL}://")

        def info(self, given: str, **_: Any) -> dict[str, Any]:
            if self._strip_protocol(given) != path:
                raise FileNotFoundError(given)
            return {"name": path, "size": opened.file.size, "type": "file"}

        def ls(self, given: str, detail: bool = True, **_: Any) -> list[Any]:
            raise FileNotFoundError(given)

        def _open(self, given: str, mode: str = "rb", **_: Any) -> io.RawIOBase:
            self.info(given)
            return opened.open()

    fsspec.register_implementation(PROTOCOL, OneFile, clobber=True)
