"""The sentences of an evaluation: their source, the sample taken from it, and their overlap with the training pairs."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from s2s import files, settings
from s2s.config import UserError, choose, shortened
from s2s.data import (
    Corpus,
    apply_task,
    find_misalignment,
    find_overlap,
    is_for_tests,
    load,
    load_pairs_for_training,
    opening,
    parse_spec,
    require_readable,
    splits,
)
from s2s.jobs import kept_pairs
from s2s.library import Library, sharing
from s2s.runs import Sentences, source_words
from s2s.scores import comparable

HELD_OUT = "held out"
SHIPPED = ("builtin", "synthetic")  # whose splits are known without reading them
MAX_SENTENCES = 20_000  # sentences of one evaluation
KEPT_SECONDS = 86_400.0
NAMED = 5  # line numbers that a message lists

SentencePairs = tuple[tuple[str, str], ...]  # source and reference
AllReferences = tuple[tuple[str, ...], ...]  # of each sentence


@dataclass(frozen=True)
class TestSet:
    """A test set that was read: all its pairs, and the training pairs where it belongs to a run.

    `references` are all those of each pair, where any has several.
    """

    pairs: SentencePairs
    train: SentencePairs = ()
    notes: tuple[str, ...] = ()
    references: AllReferences = ()

    @property
    def every_reference(self) -> AllReferences:
        return self.references or tuple((reference,) for _, reference in self.pairs)


class UploadedTable(NamedTuple):
    """The rows of a table: source and first reference, all references, and notes on the reading."""

    pairs: SentencePairs
    references: AllReferences
    notes: tuple[str, ...]

    @property
    def repeats(self) -> str:
        """One sentence about rows that repeat a source with another reference; "" where none does."""
        sources, references = grouped_references(self.pairs, self.references)
        counts = [len(each) for each in references]
        if len(sources) == len(self.pairs) or sum(counts) == len(sources):
            return ""
        low, high = min(counts), max(counts)
        many = f"{high:,}" if low == high else f"{low:,} to {high:,}"
        return (
            f"{len(self.pairs):,} rows have {len(sources):,} different sources: each is one sentence with {many}"
            " references."
        )


def splits_of_run(run: str) -> tuple[str, ...]:
    """The splits of a run's own dataset that it can be tested on, its validation pairs first, where they are there.

    None of a published model, which was not trained here.
    """
    source = str(Library().run(run).about().get("source", ""))
    if not source:
        return ()
    if parse_spec(source).source not in SHIPPED:
        return (HELD_OUT,)
    held_out = () if is_for_tests(source) else (HELD_OUT,)
    return (*held_out, *(name for name in splits(source) if name not in ("train", "valid")))


def require(test: Sentences) -> None:
    """Raises UserError unless this request may read a test set, its sentences being uploaded or not."""
    if test.run:
        with sharing.reading_data_of(Library().run(test.run)):
            return
    if test.spec:
        require_readable(test.spec)


def expected_size(test: Sentences) -> int:
    """About how many sentences an evaluation has: all that were requested; before they are read, the held-out pairs of
    a run whose recipe.json counts them (without those that are too long for training).
    """
    if test.n_all or not test.run or test.split not in ("", HELD_OUT):
        return test.n
    known = Library().run(test.run).about().get("data") or {}
    return min(test.n, int(known.get("n_valid", test.n)))


def read(test: Sentences) -> TestSet:
    """Read a test set: a split of a run's own dataset, or another SPEC. Raises UserError where it cannot be read."""
    if not test.run:
        return _of_dataset(test.spec, test.split or default_split(test.spec))
    about = Library().run(test.run).about()
    if not about.get("source"):
        given = f"The recipe.json of the run `{test.run}` does not name its dataset"
        raise UserError(f"{given}; give a test set of its own.")
    if is_for_tests(about["source"]):
        return _of_dataset(about["source"], test.split or default_split(about["source"]))
    specs = filter(None, (about.get("source"), about.get("valid")))
    if any(parse_spec(str(spec)).source not in SHIPPED for spec in specs):
        return _own(test)
    recipe = about["recipe"]
    parts = [
        about["source"],
        about.get("valid"),
        recipe.get("data"),
        recipe["train"]["seed"],
        about.get("data"),
        test.split,
    ]
    path = settings.home() / "texts" / f"{hash_of(parts)}.json"
    if (known := _kept(path)) is None:
        known = _own(test)
        _forget_old(path.parent)
        files.write_text(path, json.dumps([known.pairs, known.train, known.notes]))
    return known


def _of_dataset(spec: str, split: str | None) -> TestSet:
    corpus = load(spec, split)
    if corpus.is_plain:
        raise UserError(f"`{spec}` is plain text and has no references; give pairs.")
    return TestSet(_texts(corpus), notes=corpus.notes, references=_references(corpus))


def _forget_old(folder: Path) -> None:
    for path in folder.glob("*.json"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                path.unlink()


def _kept(path: Path) -> TestSet | None:
    try:
        content = json.loads(path.read_bytes())
        return TestSet(
            *files.from_json(tuple[SentencePairs, SentencePairs, tuple[str, ...]], content)
        )
    except files.UNREADABLE:
        return None


def _own(test: Sentences) -> TestSet:
    folder = Library().run(test.run)
    about = folder.about()
    recipe = folder.recipe()
    with sharing.reading_data_of(folder):
        own = kept_pairs.kept(folder, about) or load_pairs_for_training(
            about["source"], about.get("valid"), recipe.train.seed, recipe.data
        )
    if test.split in ("", HELD_OUT):
        references = _references(own.valid)
        return TestSet(_texts(own.valid), _texts(own.train), (own.note,), references)
    choose(
        f"split of the dataset of `{test.run}`",
        test.split,
        {name: name for name in splits_of_run(test.run)},
    )
    return TestSet(
        _texts(apply_task(load(about["source"], test.split), recipe.data, recipe.train.seed)),
        _texts(own.train),
    )


def default_split(spec: str) -> str | None:
    """The split of a dataset that a test is made on, where nobody has named one."""
    names = splits(spec)
    return next((name for name in ("test", "valid") if name in names), None)


def training_pairs(run: str) -> SentencePairs:
    """The pairs that the model was trained on. Raises UserError where its dataset does not exist (any more), or ships
    without them.
    """
    source = str(Library().run(run).about().get("source") or "")
    if source and is_for_tests(source):
        raise UserError(f"The training pairs of the run `{run}` do not ship with s2s.")
    return read(Sentences("", run=run)).train


def _texts(corpus: Corpus) -> SentencePairs:
    return tuple((pair.src, pair.tgt) for pair in corpus.pairs)


def _references(corpus: Corpus) -> AllReferences:
    if not any(pair.more for pair in corpus.pairs):
        return ()
    return tuple((pair.tgt, *pair.more) for pair in corpus.pairs)


def even_indices(n_all: int, n: int) -> list[int]:
    """`n` evenly spread indices below `n_all`: `even_indices(10, 4)` is `[0, 2, 5, 7]`."""
    return [i * n_all // n for i in range(n)]


def chosen_indices(n_all: int, n: int, seed: int) -> list[int]:
    """`n` indices below `n_all`, in order: drawn without replacement, or evenly spread for the seed 0."""
    if not seed or n >= n_all:
        return even_indices(n_all, n)
    return sorted(random.Random(seed).sample(range(n_all), n))


def grouped(pairs: Sequence[tuple[str, str]]) -> tuple[SentencePairs, AllReferences]:
    """The distinct sources with their references, in order: sources equal but for their Unicode form are one.

    >>> grouped([("a", "x"), ("b", "y"), ("a", "z"), ("a", "x")])
    ((('a', 'x'), ('b', 'y')), (('x', 'z'), ('y',)))
    """
    sources: dict[str, str] = {}
    references: dict[str, dict[str, str]] = {}
    for source, reference in pairs:
        key = comparable(source)
        sources.setdefault(key, source)
        references.setdefault(key, {}).setdefault(comparable(reference), reference)
    every = tuple(tuple(found.values()) for found in references.values())
    firsts = (each[0] for each in every)
    return tuple(zip(sources.values(), firsts, strict=True)), every


def grouped_references(
    pairs: Sequence[tuple[str, str]], references: Sequence[Sequence[str]]
) -> tuple[SentencePairs, AllReferences]:
    """The distinct sources with all their references, as `grouped`, for pairs that may have several references each."""
    every = [
        (source, one) for (source, _), each in zip(pairs, references, strict=True) for one in each
    ]
    return grouped(every)


def table(name: str, content: bytes) -> UploadedTable:
    """The sentences of a table, with one or several references per row. Raises UserError where it has none."""
    rows, notes = opening.opened(opening.references, [(name, content)])
    pairs = tuple((source, each[0]) for source, each in rows)
    return UploadedTable(pairs, tuple(tuple(each) for _, each in rows), tuple(notes))


def with_more_references(
    pairs: Sequence[tuple[str, str]], more: Sequence[tuple[str, Sequence[str]]], first: str
) -> AllReferences:
    """All references of each pair: its own, from the file `first`, then line N of each further file; no empty ones.

    Raises UserError for another number of lines, and for a source without any reference.
    """
    for name, lines in more:
        if len(lines) != len(pairs):
            raise UserError(
                f"`{name}` has {len(lines):,} lines and the sources have {len(pairs):,}; line N of each reference file"
                " must translate line N of the sources."
            )
    others = zip(*(lines for _, lines in more), strict=True) if more else ([()] * len(pairs))
    every = list[tuple[str, ...]]()
    for number, ((source, own), lines) in enumerate(zip(pairs, others, strict=True), 1):
        every.append(tuple(line for line in (own, *lines) if line.strip()) or ("",))
        if source.strip() and every[-1] == ("",):
            where = f"`{shortened(first)}`" + " and of every other reference file" * bool(more)
            sentence = "is empty but has a source; translate it, or remove it from all files."
            raise UserError(f"Line {number:,} of {where} {sentence}")
    return tuple(every)


def hash_of(parts: Sequence[object]) -> str:
    """A test set's hash: 16 hexadecimal digits, equal for equal test sets."""
    return hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()[:16]


def from_uploads(contents: Sequence[tuple[str, bytes]], *, has_more: bool = False) -> SentencePairs:
    """Pairs of two text files aligned line by line, sources first, or of one table. Text files keep every line.

    `has_more`: further files have references, so that one may be empty here. Raises UserError where the line counts
    differ, and where a line is empty on one side only.
    """
    (pairs,) = opening.opened(opening.pairs, contents, has_more=has_more)
    return tuple((source, reference) for source, reference in pairs)


def lines_of(contents: Sequence[tuple[str, bytes]]) -> list[list[str]]:
    """The lines of each text. Raises UserError."""
    return opening.opened(opening.lines, contents) if contents else []


def outputs(
    name: str, lines: list[str], pairs: Sequence[tuple[str, str]], n_all: int, seed: int = 0
) -> list[str]:
    """Another system's translations of the sampled sentences; `lines` has them, or those of the whole test set.

    Raises UserError where there are too few or too many, and names the line where one seems to be missing.
    """
    if len(lines) == len(pairs):
        return lines
    if len(lines) == n_all:
        return [lines[i] for i in chosen_indices(n_all, len(pairs), seed)]
    needed = (
        f"{len(pairs):,}"
        if n_all == len(pairs)
        else f"{len(pairs):,} (or {n_all:,}, for the whole test set)"
    )
    where = _lost(lines, [reference for _, reference in pairs]) if n_all == len(pairs) else ""
    raise UserError(
        f"`{name}` has {len(lines):,} lines and needs {needed}: one per sentence, in the same order{where}."
    )


def _lost(lines: Sequence[str], references: Sequence[str]) -> str:
    found = find_misalignment(references, lines)
    if found is None:
        return f"; it ends after line {len(lines):,}" if len(lines) < len(references) else ""
    last = f" to {found.line + found.n - 1:,}" if found.n > 1 else ""
    what = "seem to be missing" if found.side == "src" else "seem to be too many"
    return f"; line{'s' if last else ''} {found.line:,}{last} {what if last else what.replace('seem', 'seems')}"


def empty_lines(lines: Sequence[str]) -> str:
    """The numbers of the empty lines, as text; "" where none is empty."""
    empty = [f"{number:,}" for number, line in enumerate(lines, 1) if not line.strip()]
    if not empty:
        return ""
    more = f" and {len(empty) - NAMED:,} more" if len(empty) > NAMED else ""
    return f"line{'s' * (len(empty) > 1)} {', '.join(empty[:NAMED])}{more}"


def overlap_note(sources: Sequence[str], train: Sequence[tuple[str, str]]) -> str:
    """One sentence about how many of these sources the model was trained on; "" where none."""
    found = find_overlap(sources, (source for source, _ in train))
    if not found.n_pairs:
        return ""
    overlap = f"{found.n_pairs:,} of the {len(sources):,} sentences ({found.share:.0%}) are in the training data"
    return f"{overlap}: the model may have memorized them."


def coverage_note(sources: Sequence[str], train: Sequence[tuple[str, str]]) -> str:
    """One sentence where all words of these sources are in the training sources; "" elsewhere."""
    known = source_words.of_sources(source for source, _ in train)
    return source_words.coverage_note(sources, known, "test source")


def frequencies(sources: Sequence[str], train: Sequence[tuple[str, str]]) -> dict[str, int]:
    """How often each word of these sources occurs in the training sources."""
    words = {word for source in sources for word in comparable(source).split()}
    trained = (word for source, _ in train for word in comparable(source).split())
    counts = Counter(word for word in trained if word in words)
    return {word: counts[word] for word in sorted(words)}
