"""Files that somebody brings, other than datasets: opened in a process of its own, as `profile` does with datasets.

What an `opener` returns arrives as JSON; no other process reads the files.
"""

from __future__ import annotations

import functools
import itertools
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from s2s import settings
from s2s.config import LaterError, UserError, asker
from s2s.data.corpus import Corpus
from s2s.data.files import decode_lines, from_bytes
from s2s.data.formats.alignments import Numbering, read_alignments
from s2s.data.formats.number_column import read_numbers
from s2s.data.formats.reference_columns import read_references
from s2s.data.misalignment import misalignment_hint
from s2s.data.pair import Pair
from s2s.files import archives
from s2s.processes import bounds
from s2s.processes.program import EndedError, Program, TooLargeError, ask
from s2s.processes.slots import Slots

SECONDS = 300.0  # of one opening
MAX_WAIT = 60.0  # seconds
BATCH = 100  # rows of one answer
MOST_LEVELS = 200  # of nested JSON: who asks reads it too, wherever it stands itself
SLOTS = Slots(
    "opener",
    n=4,
    all_taken="Waiting for other files to be opened.",
    has_one="Waiting for your other file to be opened.",
    in_vain=f"Other files were being opened for {MAX_WAIT:.0f} seconds; try again in a while.",
    max_wait=MAX_WAIT,
)
Files = Sequence[tuple[str, Path]]  # as they are called, and where they lie
Work = Callable[[Mapping[str, Any], object], Iterator[Any]]


def opener(read: Callable[..., Iterable[Sequence[Any]]]) -> Work:
    """Makes a function of `Files` and options, which returns lists, one that a process can be asked for."""

    @functools.wraps(read)
    def work(order: Mapping[str, Any], _: object) -> Iterator[Any]:
        files = [(name, Path(path)) for name, path in order["files"]]
        with asker.acting_as(order["workspace"]):
            parts = read(files, **order["options"])
        for number, rows in enumerate(parts):
            for start in range(0, max(1, len(rows)), BATCH):
                yield number, rows[start : start + BATCH]

    return work


def opened(
    work: Work,
    files: Sequence[tuple[str, bytes | Path]],
    *,
    from_hub: bool = False,
    **options: Any,
) -> list[list[Any]]:
    """The lists that an opener makes of files; `from_hub`: it may read from the Hub. Raises UserError."""
    names = " and ".join(f"`{archives.printable(name)}`" for name, _ in files)
    program = Program(f"{work.__module__}:{work.__name__}", "opener", from_hub=from_hub)
    incoming = settings.make_home() / "incoming"
    try:
        with (
            SLOTS.held(incoming, asker.current(), lambda _: None),
            tempfile.TemporaryDirectory(dir=incoming) as folder,
        ):
            places = [
                (name, str(_place(content, Path(folder) / str(number))))
                for number, (name, content) in enumerate(files)
            ]
            order = {"files": places, "options": options, "workspace": asker.current()}
            answers = ask(program, order, seconds=SECONDS, more_memory=bounds.READER_MEMORY)
            parts = itertools.groupby(answers, lambda answer: answer[0])
            return [[row for _, rows in batches for row in rows] for _, batches in parts]
    except TooLargeError:
        raise UserError(
            f"{names} needs more memory than opening a file may take; give a smaller one."
        ) from None
    except TimeoutError:
        raise UserError(
            f"{names} was not read within {SECONDS:.0f} seconds; give a smaller file."
        ) from None
    except EndedError:
        raise LaterError(
            f"The process that opened {names} ended without a result; try again, and if that fails, give another file."
        ) from None
    except OSError as error:
        raise LaterError(
            f"{names} cannot be opened now ({error.strerror or error}); try again later."
        ) from error


def _place(content: bytes | Path, path: Path) -> Path:
    if isinstance(content, Path):
        return content.resolve()
    path.write_bytes(content)
    return path


def _contents(files: Files) -> list[tuple[str, bytes]]:
    return [(name, path.read_bytes()) for name, path in files]


@opener
def lines(files: Files) -> list[list[str]]:
    return [decode_lines(content, name) for name, content in _contents(files)]


@opener
def references(files: Files) -> tuple[Sequence[Any], ...]:
    """The rows of a table of sources with their references, and notes on them."""
    (table,) = _contents(files)
    found = read_references(*table)
    return found.rows, found.notes


@opener
def pairs(files: Files, *, has_more: bool) -> list[list[tuple[str, str]]]:
    """The pairs of two text files aligned line by line, sources first, or of one table. Text files keep every line.

    `has_more`: further files have references, so that one may be empty here.
    """
    contents = _contents(files)
    if len(contents) != 2:
        return [_texts(from_bytes(contents))]
    return [_aligned_pairs(contents, has_more=has_more)]


def _texts(corpus: Corpus) -> list[tuple[str, str]]:
    return [(pair.src, pair.tgt) for pair in corpus.pairs]


def _aligned_pairs(
    contents: Sequence[tuple[str, bytes]], *, has_more: bool
) -> list[tuple[str, str]]:
    (src_name, src), (ref_name, ref) = [
        (name, decode_lines(content, name)) for name, content in contents
    ]
    if len(src) != len(ref):
        counts = f"`{src_name}` has {len(src):,} lines and `{ref_name}` has {len(ref):,}"
        hint = misalignment_hint(src_name, ref_name, src, ref)
        raise UserError(f"{counts}, but line N of one must translate line N of the other; {hint}.")
    for number, (source, reference) in enumerate(zip(src, ref, strict=True), 1):
        if bool(source.strip()) != bool(reference.strip()) and not (has_more and source.strip()):
            name, other = (ref_name, src_name) if source.strip() else (src_name, ref_name)
            raise UserError(
                f"Line {number:,} of `{name}` is empty and that of `{other}` is not; fill it, or delete both lines."
            )
    if not any(source.strip() for source in src):
        raise UserError(f"`{src_name}` is empty; give at least one sentence.")
    return list(zip(src, ref, strict=True))


@opener
def numbers(files: Files, *, column: str, most: int) -> list[list[float]]:
    """The numbers of a file of scores, as `read_numbers` reads them."""
    ((name, content),) = _contents(files)
    return [read_numbers(name, content, column, most=most)]


@opener
def alignment(files: Files, *, first: int, is_target_first: bool) -> list[list[Any]]:
    """Sources, targets, and an alignment: source, target, sure links and possible links of each pair."""
    *texts, links = _contents(files)
    sentences = _aligned_pairs(texts, has_more=False)
    gold = read_alignments(
        *links, [Pair(src, tgt) for src, tgt in sentences], Numbering(first, is_target_first)
    )
    return [
        [(*pair, each.links, each.possible) for pair, each in zip(sentences, gold, strict=True)]
    ]


@opener
def parsed(files: Files) -> list[list[Any]]:
    """What a file of JSON holds; nothing where it is not JSON, or nested too deeply."""
    ((_, path),) = files
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return [[]]
    level = [found]
    for _ in range(MOST_LEVELS):
        level = [value for each in level for value in _within(each)]
    return [[] if level else [found]]


def _within(found: Any) -> Iterable[Any]:
    if isinstance(found, dict):
        return found.values()
    return found if isinstance(found, list) else ()
