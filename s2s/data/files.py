"""Pairs from a table, from two texts aligned line by line, from a .zip of such, or from pasted text; on disk or in memory."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from s2s.config import UserError, choose
from s2s.data.caps import Caps
from s2s.data.corpus import Corpus, Options, Splits
from s2s.data.formats import archive, pairing, streams
from s2s.data.formats.archive import Part, Texts
from s2s.data.formats.columns import Column, guess
from s2s.data.formats.encodings import Decoder
from s2s.data.formats.pairing import TABLES, FileOptions, Offer, Reading
from s2s.data.formats.streams import Content, Meter
from s2s.data.formats.table import Row

__all__ = [
    "FileOptions",
    "Offer",
    "decode_lines",
    "existing",
    "first_rows",
    "from_bytes",
    "from_pasted",
    "is_there",
    "offered",
    "opened",
    "pasted",
    "read_aligned",
    "two_files",
]

FILE_KINDS = f"{', '.join(list(TABLES)[:-1])} or {list(TABLES)[-1]}"
ALLOWED = f"give a {FILE_KINDS} file, a .zip of such, or two text files as FILE.src,FILE.tgt"
TABLE = f"give one {FILE_KINDS} table"
PASTED = "pasted text"
DEFAULTS = FileOptions()
CAPS = Caps()


def is_there(place: str) -> bool:
    """Whether a place names an existing file, or two with a comma between them."""
    return os.path.isfile(place) or two_files(place) is not None


def two_files(place: str) -> tuple[Path, Path] | None:
    """Cut at the first comma that has an existing file on each side."""
    for at, character in enumerate(place):
        if character == "," and os.path.isfile(place[:at]) and os.path.isfile(place[at + 1 :]):
            return Path(place[:at]), Path(place[at + 1 :])
    return None


def existing(place: str) -> Path:
    """The path of a file. Raises UserError where there is none."""
    if os.path.isdir(place):
        raise UserError(f"`{place}` is a folder; give a file in it.")
    if not os.path.isfile(place):
        raise UserError(f"There is no file `{place}`; check the name and the folder.")
    return Path(place)


def opened(place: str, options: FileOptions, caps: Caps = CAPS) -> Splits:
    """The one split of a file or of two aligned files, or those in a .zip; the content is read when it is asked for.

    Raises UserError for a missing file or an extension that cannot be read.
    """
    if not os.path.isfile(place) and "," in place and not os.path.isdir(place):
        return {
            "train": partial(
                _aligned_corpus,
                place,
                [streams.on_disk(path) for path in _both_existing(place)],
                options,
                caps,
            )
        }
    content = streams.on_disk(existing(place))
    if not _is_zip(place) and pairing.suffix(place) not in TABLES:
        raise UserError(
            f"`{place}` ends in `{Path(place).suffix}`, which cannot be read; {ALLOWED}."
        )
    return {
        split: partial(_corpus, place, split, content, options, caps)
        for split in _splits(content, caps)
    }


def _both_existing(place: str) -> tuple[Path, Path]:
    if both := two_files(place):
        return both
    lost = next(part for part in place.split(",", 1) if not os.path.isfile(part))
    raise UserError(f"There is no file `{lost}`; two aligned files are given as FILE.src,FILE.tgt.")


def _is_zip(name: str) -> bool:
    return name.lower().endswith(".zip")


def _parts(content: Content, meter: Meter) -> Mapping[str, Part]:
    return archive.parts(content, meter) if _is_zip(content.file) else {"train": content}


def _splits(content: Content, caps: Caps) -> list[str]:
    with Meter(caps) as meter:
        return list(_parts(content, meter))


def offered(paths: Sequence[Path], options: FileOptions = DEFAULTS, caps: Caps = CAPS) -> Offer:
    """What may be read of one or two files, from their first rows; errors call them by their names without folders.

    The columns of a .zip are those of its first split. Raises UserError for files that make no text.
    """
    with Meter(caps) as meter:
        return _offered([streams.on_disk(path, path.name) for path in paths], options, meter)


def _offered(contents: Sequence[Content], options: FileOptions, meter: Meter) -> Offer:
    if (
        len(contents) == 1
        and not _is_zip(contents[0].file)
        and pairing.suffix(contents[0].file) not in TABLES
    ):
        return _plain(contents[0], meter)
    _check_names([content.file for content in contents])
    if len(contents) == 2:
        names = tuple(content.file for content in contents)
        return _aligned_offer(Texts(names, tuple(contents), *_ordered(contents)), meter)
    parts = _parts(contents[0], meter)
    part = next(iter(parts.values()))
    _check_has_two(contents[0], part, options, meter)
    offer = (
        _aligned_offer(part, meter)
        if isinstance(part, Texts)
        else pairing.offered(part, options, meter)
    )
    return Offer(
        **{
            **vars(offer),
            "kind": "splits" if len(parts) > 1 else offer.kind,
            "splits": tuple(parts),
        }
    )


def _check_has_two(content: Content, part: Part, options: FileOptions, meter: Meter) -> None:
    if (
        _is_zip(content.file)
        and not isinstance(part, Texts)
        and pairing.offered(part, options, meter).kind == "plain"
    ):
        raise UserError(
            f"`{part.name}` has one column of text only; give it outside of the .zip, as plain text, or add a second column."
        )


def _ordered(contents: Sequence[Content]) -> tuple[str, str, str]:
    """Which of two files is the source: `train.de` and `train.en` are two languages, the first one first."""
    found = archive.sides([content.file for content in contents])
    names = [content.file for content in contents]
    guessed = guess([Column(side, "text") for side in found]) if len(set(found)) == 2 else ()
    if not guessed:
        return names[0], names[1], "the order in which they were given"
    at = found.index(guessed[0].src)
    return names[at], names[1 - at], guessed[0].reason


def _aligned_offer(texts: Texts, meter: Meter) -> Offer:
    heads = [
        list(itertools.islice(streams.lines(content, meter), pairing.N_SAMPLES))
        for content in texts.contents
    ]
    samples = tuple(
        tuple(field[: pairing.SAMPLE] for field in row) for row in zip(*heads, strict=False)
    )
    columns = tuple(Column(side, "text") for side in texts.sides)
    return Offer(
        "aligned",
        columns,
        texts.sides,
        texts.src,
        texts.tgt,
        texts.reason,
        encoding=meter.encoding,
        samples=samples,
    )


def _plain(content: Content, meter: Meter) -> Offer:
    lines = itertools.islice(streams.lines(content, meter), pairing.N_SAMPLES)
    samples = tuple((line[: pairing.SAMPLE],) for line in lines)
    columns = (Column(content.file, "text"),)
    return Offer(
        "plain",
        columns,
        (content.file,),
        reason="one text alone",
        encoding=meter.encoding,
        samples=samples,
    )


def from_bytes(
    contents: Sequence[tuple[str, bytes]], options: FileOptions = DEFAULTS, caps: Caps = CAPS
) -> Corpus:
    """The pairs of one table, of a .zip, or of two texts aligned line by line, source first; each content comes with its file name.

    Its spec is the names, joined with ` + `. Raises UserError, which knows the files by these names.
    """
    names = [name for name, _ in contents]
    _check_names(names)
    given = [streams.in_memory(name, content) for name, content in contents]
    spec = " + ".join(names)
    if len(given) == 2:
        return first_rows(_aligned_corpus(spec, given, options, caps), options.rows)
    split = options.split if options.split and _is_zip(names[0]) else _splits(given[0], caps)[0]
    return first_rows(_corpus(spec, split, given[0], options, caps), options.rows)


def _check_names(names: Sequence[str]) -> None:
    n_tables = sum(pairing.suffix(name) in TABLES or _is_zip(name) for name in names)
    if len(names) == 2 and n_tables == 2:
        raise UserError(
            f"`{names[0]}` and `{names[1]}` are two tables, and one at a time is read; take one of them away."
        )
    if len(names) == 2 and n_tables == 1:
        raise UserError(
            f"Of `{names[0]}` and `{names[1]}` one is a table, which is read by itself; take one of them away."
        )
    if len(names) == 1 and n_tables == 0:
        raise UserError(
            f"`{names[0]}` alone is no parallel text; add the second file, aligned line by line, or {TABLE}."
        )
    if len(names) not in (1, 2):
        raise UserError(
            f"{len(names)} files were given; {TABLE}, two text files that are aligned line by line, or a .zip of such."
        )


def from_pasted(text: str) -> Corpus:
    """The pairs of lines like `source ||| target`, or with a tab for the bars. Raises UserError where there is none."""
    lines = decode_lines(text.encode(errors="surrogatepass"), PASTED)
    cut = [
        (number, line.split("\t" if "\t" in line else "|||"))
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    rows = [
        Row(number, [part.strip() for part in parts] if len(parts) == 2 else None)
        for number, parts in cut
    ]
    if not any(row.fields and all(row.fields) for row in rows):
        raise UserError(
            "The pasted text has no pair; write one pair a line, as `source ||| target` or with a tab between the two."
        )
    reading = pairing.paired(rows, Meter(CAPS), "without exactly one tab or `|||`", what="line")
    return _whole(PASTED, "train", reading)


def pasted(place: str, options: Options) -> Splits:
    """`from_pasted` of what a file holds."""
    path = existing(place)
    return {"train": lambda: from_pasted(path.read_bytes().decode(errors="surrogatepass"))}


def decode_lines(content: bytes, name: str) -> list[str]:
    r"""The lines of a UTF-8 text, empty ones included; the last may lack its end, and no bytes are no lines.

    Only `\n` and `\r\n` end a line: U+2028, U+0085 and their like are part of the text.
    Raises UserError, which calls the content by that name, for a binary file or another encoding.
    """
    decoder = Decoder(name)
    text = decoder.decode(content, is_last=True).replace("\r\n", "\n")
    if not decoder.encoding.startswith("UTF-8"):
        raise UserError(
            f"`{name}` is not UTF-8: {decoder.why or f'it is {decoder.encoding}'}; save it as UTF-8 and try again."
        )
    return text.removesuffix("\n").split("\n") if text else []


def read_aligned(src: str | Path, tgt: str | Path) -> tuple[list[str], list[str]]:
    """The lines of two files that translate each other, empty ones included. Raises UserError where the counts differ."""
    contents = [streams.on_disk(existing(str(path))) for path in (src, tgt)]
    with Meter(CAPS) as meter:
        return _aligned(contents[0], contents[1], meter)


def _corpus(spec: str, split: str, content: Content, options: FileOptions, caps: Caps) -> Corpus:
    """Of one table, or of one split of a .zip."""
    with Meter(caps) as meter:
        part = choose(f"split of `{spec}`", split, _parts(content, meter))
        if not isinstance(part, Texts):
            return _whole(spec, split, pairing.read(part, options, meter))
        src, tgt = part.chosen(content.name, options.src, options.tgt)
        return _whole(spec, split, _aligned_reading(src, tgt, meter))


def _aligned_corpus(
    spec: str, contents: Sequence[Content], options: FileOptions, caps: Caps
) -> Corpus:
    src, tgt = contents
    if options.src or options.tgt or options.prefix or options.header != "auto":
        raise UserError(
            f"`src`, `tgt` and `header` are for tables, and `{src.name},{tgt.name}` is none; leave them out after the `#`."
        )
    with Meter(caps) as meter:
        return _whole(spec, "train", _aligned_reading(src, tgt, meter))


def _aligned_reading(src: Content, tgt: Content, meter: Meter) -> Reading:
    sides = _aligned(src, tgt, meter)
    reading = pairing.paired(
        (Row(number, pair) for number, pair in enumerate(zip(*sides, strict=True), start=1)),
        meter,
        "",
    )
    return Reading(reading.pairs, [*reading.notes, *meter.said()])


def _aligned(src: Content, tgt: Content, meter: Meter) -> tuple[list[str], list[str]]:
    src_lines = _lines(src, meter)
    tgt_lines = _lines(tgt, meter)
    if len(src_lines) != len(tgt_lines):
        counts = (
            f"`{src.name}` has {len(src_lines):,} lines and `{tgt.name}` has {len(tgt_lines):,}"
        )
        where = _look_at(src.name, tgt.name, src_lines, tgt_lines)
        raise UserError(f"{counts}, but line N of one must translate line N of the other; {where}.")
    return src_lines, tgt_lines


def _lines(content: Content, meter: Meter) -> list[str]:
    """The lines of a content with text in it, and one more than the cap at most."""
    lines = list(itertools.islice(streams.lines(content, meter), meter.caps.rows + 1))
    if not any(line and not line.isspace() for line in lines):
        raise UserError(f"`{content.name}` is empty; give a file with at least one pair.")
    return lines


def _look_at(src_name: str, tgt_name: str, src: list[str], tgt: list[str]) -> str:
    """Where a line may have been lost: by the lengths of all, else the first one that is empty on one side only, or far longer."""
    from s2s.data.misalignment import find_misalignment

    if found := find_misalignment(src, tgt):
        longer = src_name if found.side == "src" else tgt_name
        n_lines = "1 line" if found.n == 1 else f"{found.n:,} lines"
        return (
            f"from line {found.line:,} on `{longer}` seems to have {n_lines} too many, look there"
        )
    for number, (one, other) in enumerate(zip(src, tgt, strict=False), start=1):
        short, long = sorted((len(one.strip()), len(other.strip())))
        if (short == 0) != (long == 0) or long > 5 * short + 20:
            return f"line {number:,} is the first that looks wrong, look there and above"
    return f"nothing looks wrong before line {min(len(src), len(tgt)) + 1:,}, where one file ends"


def _whole(spec: str, split: str, reading: Reading) -> Corpus:
    if not reading.pairs:
        raise UserError(f"`{spec}` has no pair with text on both sides; give at least one.")
    return Corpus(spec, split, tuple(reading.pairs), tuple(reading.notes))


def first_rows(corpus: Corpus, rows: int | None) -> Corpus:
    """At most so many pairs, with a note where there are more; None keeps all."""
    if rows is None or rows >= len(corpus):
        return corpus
    note = f"The first {rows:,} of {len(corpus):,} pairs are used."
    return Corpus(corpus.spec, corpus.split, corpus.pairs[:rows], (*corpus.notes, note))
