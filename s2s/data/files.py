"""Pairs from a table, two aligned text files, a .zip of these, or pasted text; on disk or in memory."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from s2s.config import MAX_QUOTED, UserError, choose, shortened
from s2s.data.corpus import Corpus, Splits
from s2s.data.formats import archive, objects, pairing, streams
from s2s.data.formats.archive import AlignedTexts, Part
from s2s.data.formats.columns import Column, guess
from s2s.data.formats.encodings import Decoder
from s2s.data.formats.pairing import ColumnOffer, FileOptions, ReadPairs
from s2s.data.formats.reference_columns import read_pairs
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import TABLES, TableRow, is_table
from s2s.data.options import Caps, Options, chosen_rows

__all__ = [
    "ColumnOffer",
    "FileOptions",
    "decode_lines",
    "existing",
    "from_bytes",
    "from_pasted",
    "is_there",
    "limited",
    "offered",
    "opened",
    "pasted",
    "read_aligned",
    "two_files",
]

FILE_KINDS = f"{', '.join(TABLES[:-1])} or {TABLES[-1]}"
ALLOWED = f"give a {FILE_KINDS} file, a .zip of these, or two text files as FILE.src,FILE.tgt"
TABLE = f"give one {FILE_KINDS} table"
PASTED = "pasted text"
DEFAULTS = FileOptions()
CAPS = Caps()


def is_there(location: str) -> bool:
    """Whether a location names an existing file, or two separated by a comma."""
    return os.path.isfile(location) or two_files(location) is not None


def two_files(location: str) -> tuple[Path, Path] | None:
    """The two existing files that a location names with a comma between them; None if it does not."""
    for at, character in enumerate(location):
        if (
            character == ","
            and os.path.isfile(location[:at])
            and os.path.isfile(location[at + 1 :])
        ):
            return Path(location[:at]), Path(location[at + 1 :])
    return None


def existing(location: str) -> Path:
    """The path of a file. Raises UserError if there is none."""
    if os.path.isdir(location):
        raise UserError(f"`{shortened(location)}` is a folder; give a file in it.")
    if not os.path.isfile(location):
        raise UserError(f"There is no file `{shortened(location)}`; check the name and the folder.")
    return Path(location)


def opened(location: str, options: FileOptions, caps: Caps = CAPS) -> Splits:
    """The split of a file or of two aligned files, or the splits in a .zip; each is read when it is called.

    Raises UserError for a missing file or an unsupported extension.
    """
    if not os.path.isfile(location) and "," in location and not os.path.isdir(location):
        contents = [streams.on_disk(path) for path in _both_existing(location)]
    else:
        contents = [streams.on_disk(existing(location))]
        if not _is_zip(location) and not is_table(location):
            raise UserError(
                f"`{shortened(location)}` ends in `{shortened(Path(location).suffix, 20)}`, which is"
                f" not supported; {ALLOWED}."
            )
    return {
        split: partial(_corpus, location, split, contents, options, caps)
        for split in _splits(contents, options, caps)
    }


def _both_existing(location: str) -> tuple[Path, Path]:
    if both := two_files(location):
        return both
    missing = next(part for part in location.split(",", 1) if not os.path.isfile(part))
    raise UserError(
        f"There is no file `{shortened(missing)}`; two aligned files are given as FILE.src,FILE.tgt."
    )


def _is_zip(name: str) -> bool:
    return name.lower().endswith(".zip")


def _parts(contents: Sequence[Content], budget: ReadingBudget) -> Mapping[str, Part]:
    if len(contents) == 2:
        names = tuple(content.file for content in contents)
        return {"train": AlignedTexts(names, tuple(contents), *_ordered(contents))}
    (content,) = contents
    return (archive.parts if _is_zip(content.file) else objects.splits)(content, budget)


def _splits(contents: Sequence[Content], options: FileOptions, caps: Caps) -> list[str]:
    with ReadingBudget(caps, encoding=options.encoding) as budget:
        return list(_parts(contents, budget))


def offered(
    paths: Sequence[Path], options: FileOptions = DEFAULTS, caps: Caps = CAPS
) -> ColumnOffer:
    """What can be read from one or two files, judging by their first rows; errors name them without folders.

    The columns of a .zip are those of its first split. Raises UserError for files without text.
    """
    with ReadingBudget(caps, encoding=options.encoding, is_preview=True) as budget:
        return _offered([streams.on_disk(path, path.name) for path in paths], options, budget)


def _offered(
    contents: Sequence[Content], options: FileOptions, budget: ReadingBudget
) -> ColumnOffer:
    if len(contents) == 1 and not _is_zip(contents[0].file) and not is_table(contents[0].file):
        sides = ("", "", "a single text")
        return _of_lines("plain", (contents[0].file,), contents, sides, budget)
    _check_names([content.file for content in contents])
    parts = _parts(contents, budget)
    part = next(iter(parts.values()))
    if isinstance(part, AlignedTexts):
        sides = (part.src, part.tgt, part.reason)
        offer = _of_lines("aligned", part.sides, part.contents, sides, budget)
    else:
        offer = pairing.offered(part, options, budget)
        if offer.kind == "plain" and _is_zip(contents[0].file):
            raise UserError(
                f"`{part.name}` has only one text column; upload it without the .zip, as plain text, or add a second"
                " column."
            )
    kind = "splits" if len(parts) > 1 else offer.kind
    return dataclasses.replace(offer, kind=kind, splits=tuple(parts))


def _ordered(contents: Sequence[Content]) -> tuple[str, str, str]:
    """Names of source and target, and the reason: `train.de` and `train.en` are recognized as two languages."""
    found = archive.sides([content.file for content in contents])
    names = [content.file for content in contents]
    guessed = guess([Column(side, "text") for side in found]) if len(set(found)) == 2 else ()
    if not guessed:
        return names[0], names[1], "the order of the files"
    at = found.index(guessed[0].src)
    return names[at], names[1 - at], guessed[0].reason


def _of_lines(
    kind: str,
    names: tuple[str, ...],
    contents: Sequence[Content],
    sides: tuple[str, str, str],
    budget: ReadingBudget,
) -> ColumnOffer:
    heads = [
        list(itertools.islice(streams.lines(content, budget), pairing.N_SAMPLE_ROWS))
        for content in contents
    ]
    samples = tuple(
        tuple(line[: pairing.MAX_SAMPLE_CHARACTERS] for line in row)
        for row in zip(*heads, strict=False)
    )
    columns = tuple(Column(name, "text") for name in names)
    return ColumnOffer(kind, columns, names, *sides, **budget.seen(), samples=samples)


def from_bytes(
    contents: Sequence[tuple[str, bytes]], options: FileOptions = DEFAULTS, caps: Caps = CAPS
) -> Corpus:
    """The pairs of a table, of a .zip, or of two aligned texts, source first, given as (file name, content).

    The spec is the names joined with ` + `. Raises UserError, which names the files.
    """
    names = [name for name, _ in contents]
    _check_names(names)
    given = [streams.in_memory(name, content) for name, content in contents]
    spec = " + ".join(names)
    wanted = options.split if len(given) == 1 else ""
    split = wanted or _splits(given, options, caps)[0]
    return limited(_corpus(spec, split, given, options, caps), options.rows, options.sample)


def _check_names(names: Sequence[str]) -> None:
    n_tables = sum(is_table(name) or _is_zip(name) for name in names)
    names = [shortened(name, MAX_QUOTED // 2) for name in names]
    if len(names) == 2 and n_tables == 2:
        raise UserError(
            f"`{names[0]}` and `{names[1]}` are two tables, but only one can be read at a time; remove one of them."
        )
    if len(names) == 2 and n_tables == 1:
        raise UserError(
            f"One of `{names[0]}` and `{names[1]}` is a table, which is read by itself; remove the other."
        )
    if len(names) == 1 and n_tables == 0:
        raise UserError(
            f"`{names[0]}` alone has no targets; add the second file, aligned line by line, or {TABLE}."
        )
    if len(names) not in (1, 2):
        raise UserError(
            f"{len(names)} files were given; {TABLE}, two text files aligned line by line, or a .zip of these."
        )


def from_pasted(text: str) -> Corpus:
    """The pairs of lines like `source ||| target`, or with a tab instead of the bars.

    Raises UserError if there are none.
    """
    lines = decode_lines(text.encode(errors="surrogatepass"), PASTED)
    split_lines = [
        (number, line.split("\t" if "\t" in line else "|||"))
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    rows = [
        TableRow(number, [part.strip() for part in parts] if len(parts) == 2 else None)
        for number, parts in split_lines
    ]
    if not any(row.fields and all(row.fields) for row in rows):
        raise UserError(
            "The pasted text has no pair; write one pair per line, as `source ||| target` or with a tab"
            " between the two."
        )
    budget = ReadingBudget(CAPS)
    reading = pairing.paired(rows, budget, "without exactly one tab or `|||`", what="line")
    notes = [*reading.notes, *budget.all_notes()]
    return _as_corpus(PASTED, "train", reading._replace(notes=notes))


def pasted(location: str, options: Options) -> Splits:
    """`from_pasted` for the content of a file."""
    path = existing(location)
    return {"train": lambda: from_pasted(path.read_bytes().decode(errors="surrogatepass"))}


def decode_lines(content: bytes, name: str) -> list[str]:
    r"""The lines of a UTF-8 text, empty ones included; the last may have no line end, and no bytes are no lines.

    `\n` and `\r\n` end a line, or `\r` where most end in it: U+2028, U+0085 and the like are part of the text.
    Raises UserError, naming the content, for a binary file or another encoding.
    """
    decoder = Decoder(name, is_preview=True)
    text = streams.LineEnds().unified(decoder.decode(content, is_last=True), is_last=True)
    if not decoder.encoding.startswith("UTF-8"):
        raise UserError(
            f"`{name}` is not UTF-8: {decoder.why or f'it is {decoder.encoding}'}; save it as UTF-8 and try again."
        )
    return text.removesuffix("\n").split("\n") if text else []


def read_aligned(src: str | Path, tgt: str | Path) -> tuple[list[str], list[str]]:
    """The lines of two aligned files, empty ones included. Raises UserError if the counts differ."""
    contents = [streams.on_disk(existing(str(path))) for path in (src, tgt)]
    with ReadingBudget(CAPS) as budget:
        return _aligned(contents[0], contents[1], budget)


def _corpus(
    spec: str, split: str, contents: Sequence[Content], options: FileOptions, caps: Caps
) -> Corpus:
    with ReadingBudget(caps, encoding=options.encoding) as budget:
        part = choose(f"split of `{shortened(spec)}`", split, _parts(contents, budget))
        if not isinstance(part, AlignedTexts):
            return _as_corpus(spec, split, read_pairs(part, options, budget))
        src, *others = contents
        if others:
            pairing.check_no_table(options, f"{src.name},{others[0].name}")
            return _as_corpus(spec, split, _aligned_reading(src, others[0], budget))
        pairing.check_no_table(dataclasses.replace(options, src="", tgt=""), src.name)
        two = part.chosen(src.name, options.src, options.tgt)
        return _as_corpus(spec, split, _aligned_reading(*two, budget))


def _aligned_reading(src: Content, tgt: Content, budget: ReadingBudget) -> ReadPairs:
    sides = _aligned(src, tgt, budget)
    reading = pairing.paired(
        (TableRow(number, pair) for number, pair in enumerate(zip(*sides, strict=True), start=1)),
        budget,
        "",
    )
    return reading._replace(notes=[*reading.notes, *budget.all_notes()])


def _aligned(src: Content, tgt: Content, budget: ReadingBudget) -> tuple[list[str], list[str]]:
    budget.is_of_two = True
    src_lines = _lines(src, budget)
    tgt_lines = _lines(tgt, budget)
    if len(src_lines) != len(tgt_lines):
        from s2s.data.misalignment import misalignment_hint  # which imports numpy

        hint = misalignment_hint(src.name, tgt.name, src_lines, tgt_lines)
        raise archive.uneven((src.name, len(src_lines)), (tgt.name, len(tgt_lines)), hint)
    return src_lines, tgt_lines


def _lines(content: Content, budget: ReadingBudget) -> list[str]:
    lines = list(itertools.islice(streams.lines(content, budget), budget.caps.rows + 1))
    if not any(line and not line.isspace() for line in lines):
        raise UserError(f"`{content.name}` is empty; give a file with at least one pair.")
    return lines


def _as_corpus(spec: str, split: str, reading: ReadPairs) -> Corpus:
    if not reading.pairs:
        raise UserError(
            f"`{shortened(spec)}` has no pair with text on both sides; give at least one."
        )
    pairs, notes = tuple(reading.pairs), tuple(reading.notes)
    return Corpus(spec, split, pairs, notes, is_whole=reading.is_whole)


def limited(corpus: Corpus, rows: int | None, sample: int | None = None) -> Corpus:
    """A corpus of at most `rows` pairs (None: all), the first, or random ones by the seed `sample`; a note says so."""
    n = len(corpus)
    n_wanted = n if rows is None else min(rows, n)
    if n_wanted == n:
        if corpus.is_whole or sample is None:
            return corpus
        note = (
            f"These {n:,} pairs are the first, not a sample; `rows` says how many of them to draw."
        )
    elif sample is None:
        note = f"The first {n_wanted:,} of {n:,} pairs are used."
    else:
        of_all = f"{n:,}" if corpus.is_whole else f"the first {n:,}"
        note = f"{n_wanted:,} of {of_all} pairs, drawn at random with seed {sample}."
    pairs = tuple(corpus.pairs[at] for at in chosen_rows(n, n_wanted, sample))
    return dataclasses.replace(corpus, pairs=pairs, notes=(*corpus.notes, note))
